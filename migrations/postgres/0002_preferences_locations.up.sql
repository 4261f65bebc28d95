CREATE TABLE preferences (
  user_id    text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  drinks     text NOT NULL DEFAULT '[]',          -- JSON arrays of strings
  activities text NOT NULL DEFAULT '[]',
  purposes   text NOT NULL DEFAULT '[]',
  language   text NOT NULL DEFAULT 'en'
);

-- Only the published position. The true one is nowhere.
CREATE TABLE locations (
  user_id    text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  latitude   double precision,                    -- null until a position is published
  longitude  double precision,
  square     bigint,                              -- number of the point's square in a Z-ordered grid, for the nearby search
  visible    boolean NOT NULL DEFAULT true,       -- kept apart from the position: one may hide before there is any
  cell       bytea,                               -- tag of the secret grid cell that the published point stands for
  strayed    boolean NOT NULL DEFAULT false,      -- whether the last reading named another cell and was not followed yet
  updated_at bigint,
  CHECK ((square IS NULL) = (latitude IS NULL) AND (square IS NULL) = (longitude IS NULL))
);

CREATE TABLE location_cells (
  user_id text COLLATE "C" NOT NULL REFERENCES users (id),
  tag     bytea NOT NULL,
  uses    bigint NOT NULL,
  PRIMARY KEY (user_id, tag)
);
