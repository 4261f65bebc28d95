-- The nodes that run on this database, and what several need and they do not have. A file has one server: SQLite has no such
-- table.
CREATE TABLE nodes (
  id      text COLLATE "C" PRIMARY KEY,
  place   text NOT NULL,      -- stands for its data directory, which one process at a time can hold
  host    text NOT NULL,
  lacks   text NOT NULL,      -- names of settings, between spaces
  seen_at bigint NOT NULL     -- when it last said that it lives, by this database's clock
);
