CREATE TABLE event_counters (
  user_id text COLLATE "C" PRIMARY KEY REFERENCES users (id),
  seq     bigint NOT NULL                         -- of the newest event
);

-- Only storage/postgres/events.ts writes here, after the user's counter, which has a foreign key.
CREATE TABLE events (
  user_id text COLLATE "C" NOT NULL,
  seq     bigint NOT NULL,                        -- 1, 2, 3 … for each user, without a gap
  type    text NOT NULL,
  at      bigint NOT NULL,
  ref     text COLLATE "C",                       -- id of the message, chat or review that is shown as it is when the event is read
  data    text,                                   -- JSON, where the event itself is all there is
  PRIMARY KEY (user_id, seq)
);
