-- Where the operator sets MIN_AGE: year and month of birth, and who was too young, by a keyed hash of their address, for a day.
ALTER TABLE users ADD COLUMN birth_month text;     -- YYYY-MM
CREATE TABLE age_refusals (
  origin text COLLATE "C" PRIMARY KEY,
  at     bigint NOT NULL
);
CREATE INDEX age_refusals_by_time ON age_refusals (at);
