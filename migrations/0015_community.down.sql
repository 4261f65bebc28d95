DROP TABLE community;
