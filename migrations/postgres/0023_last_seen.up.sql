-- When a user last had a socket open.
CREATE TABLE last_seen (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  at      bigint NOT NULL
);
