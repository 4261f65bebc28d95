DROP TABLE age_refusals;
ALTER TABLE users DROP COLUMN birth_month;
