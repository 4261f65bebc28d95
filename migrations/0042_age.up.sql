-- Where the operator sets MIN_AGE: year and month of birth, and who was too young, by a keyed hash of their address, for a day.
ALTER TABLE users ADD COLUMN birth_month TEXT;     -- YYYY-MM
CREATE TABLE age_refusals (
  origin TEXT PRIMARY KEY NOT NULL,
  at     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX age_refusals_by_time ON age_refusals (at);
