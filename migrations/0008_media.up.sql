CREATE TABLE media (
  id          TEXT PRIMARY KEY NOT NULL,
  owner_id    TEXT NOT NULL REFERENCES users (id),
  file        TEXT NOT NULL UNIQUE,           -- name in the file store: random, so that it tells nothing
  width       INTEGER NOT NULL,
  height      INTEGER NOT NULL,
  placeholder TEXT NOT NULL,
  bytes       INTEGER NOT NULL,
  created_at  INTEGER NOT NULL
);
CREATE INDEX media_of_owner ON media (owner_id, created_at, id);
CREATE INDEX media_by_age ON media (created_at, id);
CREATE INDEX users_by_photo ON users (photo) WHERE photo IS NOT NULL;
