-- What is remembered of the community as a whole, by name: its id, and which secrets are its own, as fingerprints.
CREATE TABLE community (
  name  text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

-- Which node does a scheduled job. A file has one server: SQLite has no such table.
CREATE TABLE job_turns (
  job          text COLLATE "C" PRIMARY KEY,
  at           bigint NOT NULL,      -- for when it was scheduled
  holder       text,                 -- the node; null once the run is over
  until        bigint NOT NULL,      -- when another node may take it over, unless the holder renews it
  succeeded_at bigint                -- when a run last did what it should
);
