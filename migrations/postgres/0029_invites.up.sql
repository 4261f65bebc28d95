-- Who has one of these codes may register while REGISTRATION is `invite`.
CREATE TABLE invites (
  id         text COLLATE "C" PRIMARY KEY NOT NULL,
  code_hash  text COLLATE "C" NOT NULL UNIQUE,   -- global; SHA-256 of the code, as hex
  uses       bigint NOT NULL,
  used       bigint NOT NULL DEFAULT 0,
  expires_at bigint,                             -- null where it has no end
  note       text,                               -- for admins
  created_at bigint NOT NULL,
  CHECK (used >= 0 AND used <= uses)
);
CREATE INDEX invites_by_time ON invites (created_at, id);

-- For the console's search. `lower` folds A to Z only, in both engines.
CREATE INDEX users_by_name ON users (lower(name COLLATE "C"), id);
