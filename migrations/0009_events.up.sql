CREATE TABLE event_counters (
  user_id TEXT PRIMARY KEY NOT NULL REFERENCES users (id),
  seq     INTEGER NOT NULL                    -- of the newest event
) WITHOUT ROWID;

CREATE TABLE events (
  user_id TEXT NOT NULL REFERENCES users (id),
  seq     INTEGER NOT NULL,                   -- 1, 2, 3 … for each user, without a gap
  type    TEXT NOT NULL,
  at      INTEGER NOT NULL,
  ref     TEXT,                               -- id of the message, chat or review that is shown as it is when the event is read
  data    TEXT,                               -- JSON, where the event itself is all there is
  PRIMARY KEY (user_id, seq)
) WITHOUT ROWID;
