-- The ways to sign in to an account. users has what signs in with a password or a messenger: their rows only say since when
-- and when last, and accounts from before have none until they are used.
CREATE TABLE identities (
  id           TEXT PRIMARY KEY NOT NULL,
  user_id      TEXT NOT NULL REFERENCES users (id),
  kind         TEXT NOT NULL CHECK (kind IN ('password', 'messenger', 'oidc')),
  provider     TEXT,      -- its name in the settings; this and the rest are of OIDC only
  issuer       TEXT,
  subject      TEXT,      -- whom the issuer means
  client_id    TEXT,      -- whom the grant was given to
  grant_token  TEXT,      -- a refresh token to revoke when the account ends, encrypted with a key that is not in the database
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX identities_of_user ON identities (user_id);
CREATE UNIQUE INDEX identities_by_subject ON identities (issuer, subject) WHERE subject IS NOT NULL;
