-- What is remembered of the community as a whole, by name: its id, and which secrets are its own, as fingerprints.
CREATE TABLE community (
  name  TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) WITHOUT ROWID;
