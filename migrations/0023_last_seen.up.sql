-- When a user last had a socket open.
CREATE TABLE last_seen (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  at      INTEGER NOT NULL
) WITHOUT ROWID;
