ALTER TABLE sessions ADD COLUMN passkey_at bigint;   -- when the session was opened, or last confirmed, with a passkey; null for never

CREATE TABLE passkeys (
  id            text COLLATE "C" PRIMARY KEY NOT NULL,
  user_id       text COLLATE "C" NOT NULL REFERENCES users (id),
  credential_id text COLLATE "C" NOT NULL UNIQUE,   -- the authenticator's, as base64url
  public_key    text NOT NULL,                      -- COSE, as base64url
  counter       bigint NOT NULL,                    -- of signatures; stays 0 for authenticators that do not count
  transports    text NOT NULL DEFAULT '[]',         -- JSON: how browsers reach the authenticator
  label         text NOT NULL,
  created_at    bigint NOT NULL,
  last_used_at  bigint
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- Challenges are signed and not stored. One that was used is noted here until it would have expired, so that it is good once.
CREATE TABLE used_challenges (
  id         text COLLATE "C" PRIMARY KEY NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX used_challenges_by_age ON used_challenges (expires_at ASC);
