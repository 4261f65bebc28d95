-- Who has one of these codes may register while REGISTRATION is `invite`.
CREATE TABLE invites (
  id         TEXT PRIMARY KEY NOT NULL,
  code_hash  TEXT NOT NULL UNIQUE,   -- SHA-256 of the code, as hex
  uses       INTEGER NOT NULL,
  used       INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER,                -- null where it has no end
  note       TEXT,                   -- for admins
  created_at INTEGER NOT NULL,
  CHECK (used >= 0 AND used <= uses)
) WITHOUT ROWID;
CREATE INDEX invites_by_time ON invites (created_at, id);

-- For the console's search. `lower` folds A to Z only, in both engines.
CREATE INDEX users_by_name ON users (lower(name), id);
