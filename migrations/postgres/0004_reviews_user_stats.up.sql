CREATE TABLE reviews (
  chat_id     text COLLATE "C" PRIMARY KEY REFERENCES chats (id),
  id          text COLLATE "C" NOT NULL,          -- UUIDv4: a time-ordered id would tell when an anonymous one was written
  reviewer_id text COLLATE "C",                   -- null once the author's account is erased
  reviewed_id text COLLATE "C" NOT NULL,
  rating      integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
  anonymous   boolean NOT NULL DEFAULT false,
  text        text,
  created_at  bigint NOT NULL
);
CREATE INDEX reviews_by_id ON reviews (id);
-- Lists are ordered by day and then by the random id, so that the order tells nothing finer than the day. A remainder is
-- the same in every engine; what / makes of whole numbers is not.
CREATE INDEX reviews_of_user ON reviews (reviewed_id, (created_at - created_at % 86400000), id);
CREATE INDEX reviews_by_author ON reviews (reviewer_id);

CREATE TABLE user_stats (
  user_id    text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  rating_avg double precision,
  count      bigint NOT NULL DEFAULT 0
);
