-- The ways to sign in to an account. users has what signs in with a password or a messenger: their rows only say since when
-- and when last, and accounts from before have none until they are used.
CREATE TABLE identities (
  id           text COLLATE "C" PRIMARY KEY NOT NULL,
  user_id      text COLLATE "C" NOT NULL REFERENCES users (id),
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('password', 'messenger', 'oidc')),
  provider     text COLLATE "C",   -- its name in the settings; this and the rest are of OIDC only
  issuer       text COLLATE "C",
  subject      text COLLATE "C",   -- whom the issuer means
  client_id    text COLLATE "C",   -- whom the grant was given to
  grant_token  text COLLATE "C",   -- a refresh token to revoke when the account ends, encrypted with a key that is not in the database
  created_at   bigint NOT NULL,
  last_used_at bigint
);
CREATE INDEX identities_of_user ON identities (user_id);
CREATE UNIQUE INDEX identities_by_subject ON identities (issuer, subject) WHERE subject IS NOT NULL;
