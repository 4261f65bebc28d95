ALTER TABLE sessions ADD COLUMN passkey_at INTEGER;   -- when the session was opened, or last confirmed, with a passkey; null for never

CREATE TABLE passkeys (
  id            TEXT PRIMARY KEY NOT NULL,
  user_id       TEXT NOT NULL REFERENCES users (id),
  credential_id TEXT NOT NULL UNIQUE,          -- the authenticator's, as base64url
  public_key    TEXT NOT NULL,                 -- COSE, as base64url
  counter       INTEGER NOT NULL,              -- of signatures; stays 0 for authenticators that do not count
  transports    TEXT NOT NULL DEFAULT '[]',    -- JSON: how browsers reach the authenticator
  label         TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER
) WITHOUT ROWID;
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- Challenges are signed and not stored. One that was used is noted here until it would have expired, so that it is good once.
CREATE TABLE used_challenges (
  id         TEXT PRIMARY KEY NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX used_challenges_by_age ON used_challenges (expires_at);
