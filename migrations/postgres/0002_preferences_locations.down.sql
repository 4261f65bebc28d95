DROP TABLE location_cells;
DROP TABLE locations;
DROP TABLE preferences;
