-- Numbers of each day in UTC, counted once the day is over.
CREATE TABLE daily_figures (
  day        INTEGER PRIMARY KEY NOT NULL,   -- when it begins
  registered INTEGER NOT NULL,
  active     INTEGER NOT NULL,
  messages   INTEGER NOT NULL,
  chats      INTEGER NOT NULL,
  reports    INTEGER NOT NULL,
  decided    INTEGER NOT NULL,
  blocks     INTEGER NOT NULL,
  counted_at INTEGER NOT NULL                -- before the end of the day: the numbers so far
);
CREATE INDEX users_by_time ON users (created_at);
CREATE INDEX chats_by_time ON chats (created_at);
CREATE INDEX blocks_by_time ON blocks (created_at);
CREATE INDEX notices_by_time ON notices (created_at);
CREATE INDEX reports_by_resolution ON reports (resolved_at) WHERE resolved_at IS NOT NULL;
