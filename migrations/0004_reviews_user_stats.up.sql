CREATE TABLE reviews (
  id          TEXT PRIMARY KEY NOT NULL,      -- UUIDv4: a time-ordered id would tell when an anonymous one was written
  chat_id     TEXT NOT NULL UNIQUE REFERENCES chats (id),
  reviewer_id TEXT REFERENCES users (id),     -- null once the author's account is erased
  reviewed_id TEXT NOT NULL REFERENCES users (id),
  rating      INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  anonymous   INTEGER NOT NULL DEFAULT 0,
  text        TEXT,
  created_at  INTEGER NOT NULL
);
-- Lists are ordered by day and then by the random id, so that the order tells nothing finer than the day.
CREATE INDEX reviews_of_user ON reviews (reviewed_id, created_at / 86400000, id);
CREATE INDEX reviews_by_author ON reviews (reviewer_id);

CREATE TABLE user_stats (
  user_id    TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  rating_avg REAL,
  count      INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
