-- Numbers of each day in UTC, counted once the day is over.
CREATE TABLE daily_figures (
  day        bigint PRIMARY KEY,             -- when it begins
  registered bigint NOT NULL,
  active     bigint NOT NULL,
  messages   bigint NOT NULL,
  chats      bigint NOT NULL,
  reports    bigint NOT NULL,
  decided    bigint NOT NULL,
  blocks     bigint NOT NULL,
  counted_at bigint NOT NULL                 -- before the end of the day: the numbers so far
);
CREATE INDEX users_by_time ON users (created_at ASC);
CREATE INDEX chats_by_time ON chats (created_at ASC);
CREATE INDEX blocks_by_time ON blocks (created_at ASC);
CREATE INDEX notices_by_time ON notices (created_at ASC);
CREATE INDEX reports_by_resolution ON reports (resolved_at ASC) WHERE resolved_at IS NOT NULL;
