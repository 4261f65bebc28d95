CREATE TABLE media (
  owner_id    text COLLATE "C" NOT NULL REFERENCES users (id),
  id          text COLLATE "C" NOT NULL,
  file        text COLLATE "C" NOT NULL,          -- name in the file store: random, so that it tells nothing
  width       integer NOT NULL,
  height      integer NOT NULL,
  placeholder text NOT NULL,
  bytes       bigint NOT NULL,
  created_at  bigint NOT NULL,
  PRIMARY KEY (owner_id, id)
);
CREATE INDEX media_by_id ON media (id);
CREATE INDEX media_by_file ON media (file);
CREATE INDEX media_of_owner ON media (owner_id, created_at, id);
CREATE INDEX media_by_age ON media (created_at ASC, id ASC);
CREATE INDEX users_by_photo ON users (photo) WHERE photo IS NOT NULL;
