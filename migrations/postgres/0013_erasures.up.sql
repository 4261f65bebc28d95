-- Who is marked as erased while messages, photos and the like are still being removed: what a crash cuts off goes on from here.
CREATE TABLE unfinished_erasures (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  at      bigint NOT NULL
);
