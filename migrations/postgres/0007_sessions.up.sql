CREATE TABLE sessions (
  user_id      text COLLATE "C" NOT NULL REFERENCES users (id),
  id           text COLLATE "C" NOT NULL,
  generation   bigint NOT NULL DEFAULT 0,         -- how often the refresh token was rotated
  rotated_at   bigint NOT NULL,                   -- when this generation began
  created_at   bigint NOT NULL,
  last_used_at bigint NOT NULL,
  user_agent   text,
  ended_at     bigint,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX sessions_by_id ON sessions (id);
CREATE INDEX sessions_of_user ON sessions (user_id, created_at, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_end ON sessions (ended_at ASC) WHERE ended_at IS NOT NULL;
CREATE INDEX sessions_by_use ON sessions (last_used_at ASC) WHERE ended_at IS NULL;
