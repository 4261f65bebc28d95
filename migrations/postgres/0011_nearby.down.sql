DROP TABLE nearby_traits;
DROP VIEW visible_traits;
DROP VIEW traits;
DROP INDEX users_suspended;
DROP INDEX locations_nearby;
