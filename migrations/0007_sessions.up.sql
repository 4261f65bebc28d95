CREATE TABLE sessions (
  id           TEXT PRIMARY KEY NOT NULL,
  user_id      TEXT NOT NULL REFERENCES users (id),
  generation   INTEGER NOT NULL DEFAULT 0,    -- how often the refresh token was rotated
  rotated_at   INTEGER NOT NULL,              -- when this generation began
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  user_agent   TEXT,
  ended_at     INTEGER
);
CREATE INDEX sessions_of_user ON sessions (user_id, created_at, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_end ON sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX sessions_by_use ON sessions (last_used_at) WHERE ended_at IS NULL;
