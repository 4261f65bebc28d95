CREATE TABLE preferences (
  user_id    TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  drinks     TEXT NOT NULL DEFAULT '[]',      -- JSON arrays of strings
  activities TEXT NOT NULL DEFAULT '[]',
  purposes   TEXT NOT NULL DEFAULT '[]',
  language   TEXT NOT NULL DEFAULT 'en'
) WITHOUT ROWID;

-- Only the published position. The true one is nowhere.
CREATE TABLE locations (
  id         INTEGER PRIMARY KEY NOT NULL,
  user_id    TEXT NOT NULL UNIQUE REFERENCES users (id),
  latitude   REAL,                            -- null until a position is published
  longitude  REAL,
  square     INTEGER,                         -- number of the point's square in a Z-ordered grid, for the nearby search
  visible    INTEGER NOT NULL DEFAULT 1,      -- kept apart from the position: one may hide before there is any
  cell       BLOB,                            -- tag of the secret grid cell that the published point stands for
  strayed    INTEGER NOT NULL DEFAULT 0,      -- whether the last reading named another cell and was not followed yet
  updated_at INTEGER,
  CHECK ((square IS NULL) = (latitude IS NULL) AND (square IS NULL) = (longitude IS NULL))
);

CREATE TABLE location_cells (
  user_id TEXT NOT NULL REFERENCES users (id),
  tag     BLOB NOT NULL,
  uses    INTEGER NOT NULL,
  PRIMARY KEY (user_id, tag)
) WITHOUT ROWID;
