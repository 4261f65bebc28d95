CREATE TABLE chats (
  id          TEXT PRIMARY KEY NOT NULL,
  user_a      TEXT NOT NULL REFERENCES users (id),
  user_b      TEXT NOT NULL REFERENCES users (id),
  created_at  INTEGER NOT NULL,
  last_msg_at INTEGER,
  last_seq    INTEGER NOT NULL DEFAULT 0,     -- number of the newest message; clocks may jump, this does not
  CHECK (user_a < user_b),
  UNIQUE (user_a, user_b)
);
CREATE INDEX chats_of_a ON chats (user_a, coalesce(last_msg_at, created_at), id);
CREATE INDEX chats_of_b ON chats (user_b, coalesce(last_msg_at, created_at), id);

CREATE TABLE messages (
  id         TEXT NOT NULL UNIQUE,
  chat_id    TEXT NOT NULL REFERENCES chats (id),
  seq        INTEGER NOT NULL,                -- 1, 2, 3 … within the chat: the order of the conversation
  sender_id  TEXT NOT NULL REFERENCES users (id),
  kind       TEXT NOT NULL CHECK (kind IN ('text', 'photo')),
  text       TEXT,
  photo_id   TEXT,
  client_id  TEXT,
  read       INTEGER NOT NULL DEFAULT 0,
  edited_at  INTEGER,
  deleted_at INTEGER,                         -- a tombstone: text and photo are gone, the row stays
  created_at INTEGER NOT NULL,
  PRIMARY KEY (chat_id, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX messages_by_client_id ON messages (sender_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX messages_by_photo ON messages (photo_id) WHERE photo_id IS NOT NULL;

CREATE TABLE blocks (
  id         TEXT PRIMARY KEY NOT NULL,
  blocker_id TEXT NOT NULL REFERENCES users (id),
  blocked_id TEXT NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  UNIQUE (blocker_id, blocked_id)
);
CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id);
CREATE INDEX blocks_of_user ON blocks (blocker_id, created_at, id);

CREATE TABLE reports (
  id          TEXT PRIMARY KEY NOT NULL,
  reporter_id TEXT REFERENCES users (id),     -- null once the reporter's account is erased
  target      TEXT NOT NULL CHECK (target IN ('user', 'message', 'review')),
  target_id   TEXT NOT NULL,
  subject_id  TEXT REFERENCES users (id),     -- the user concerned: the reported one, or the author of what is reported; null where that is not known any more
  reason      TEXT NOT NULL,
  details     TEXT,
  status      TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
  evidence    TEXT,                           -- JSON, as things were when reported; null once its time is over
  created_at  INTEGER NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT REFERENCES users (id),
  action      TEXT CHECK (action IN ('dismiss', 'warn', 'remove_content', 'suspend')),
  note        TEXT,
  until       INTEGER
);
CREATE UNIQUE INDEX reports_one_open ON reports (reporter_id, target, target_id) WHERE status = 'open';
CREATE INDEX reports_by_reporter ON reports (reporter_id, created_at, id);
CREATE INDEX reports_queue ON reports (status, created_at, id);
CREATE INDEX reports_by_time ON reports (created_at, id);
CREATE INDEX reports_by_subject ON reports (subject_id, created_at, id);
