-- Who is marked as erased while messages, photos and the like are still being removed: what a crash cuts off goes on from here.
CREATE TABLE unfinished_erasures (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  at      INTEGER NOT NULL
) WITHOUT ROWID;
