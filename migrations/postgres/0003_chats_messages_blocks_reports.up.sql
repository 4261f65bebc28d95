CREATE TABLE chats (
  id          text COLLATE "C" PRIMARY KEY,
  user_a      text COLLATE "C" NOT NULL,
  user_b      text COLLATE "C" NOT NULL,
  created_at  bigint NOT NULL,
  last_msg_at bigint,
  last_seq    bigint NOT NULL DEFAULT 0,          -- number of the newest message; clocks may jump, this does not
  CHECK (user_a < user_b),
  UNIQUE (user_a, user_b)                         -- global
);
CREATE INDEX chats_of_a ON chats (user_a, (coalesce(last_msg_at, created_at)), id);
CREATE INDEX chats_of_b ON chats (user_b, (coalesce(last_msg_at, created_at)), id);

CREATE TABLE messages (
  id         text COLLATE "C" NOT NULL,
  chat_id    text COLLATE "C" NOT NULL REFERENCES chats (id),
  seq        bigint NOT NULL,                     -- 1, 2, 3 … within the chat: the order of the conversation
  sender_id  text COLLATE "C" NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('text', 'photo')),
  text       text,
  photo_id   text COLLATE "C",
  client_id  text COLLATE "C",
  edited_at  bigint,
  deleted_at bigint,                              -- a tombstone: text and photo are gone, the row stays
  created_at bigint NOT NULL,
  PRIMARY KEY (chat_id, seq)
);
CREATE INDEX messages_by_id ON messages (id);
CREATE UNIQUE INDEX messages_by_client_id ON messages (sender_id, client_id) WHERE client_id IS NOT NULL;   -- global
CREATE INDEX messages_by_photo ON messages (photo_id) WHERE photo_id IS NOT NULL;

CREATE TABLE blocks (
  blocker_id text COLLATE "C" NOT NULL REFERENCES users (id),
  blocked_id text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (blocker_id, blocked_id)
);
CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id);
CREATE INDEX blocks_of_user ON blocks (blocker_id, created_at, id);

CREATE TABLE reports (
  id          text COLLATE "C" PRIMARY KEY,
  reporter_id text COLLATE "C",                   -- null once the reporter's account is erased
  target      text NOT NULL CHECK (target IN ('user', 'message', 'review')),
  target_id   text COLLATE "C" NOT NULL,
  subject_id  text COLLATE "C",                   -- the user concerned: the reported one, or the author of what is reported; null where that is not known any more
  reason      text NOT NULL,
  details     text,
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
  evidence    text,                               -- JSON, as things were when reported; null once its time is over
  created_at  bigint NOT NULL,
  resolved_at bigint,
  resolved_by text COLLATE "C",
  action      text CHECK (action IN ('dismiss', 'warn', 'remove_content', 'suspend')),
  note        text,
  until       bigint
);
CREATE UNIQUE INDEX reports_one_open ON reports (reporter_id, target, target_id) WHERE status = 'open';     -- global
CREATE INDEX reports_by_reporter ON reports (reporter_id, created_at, id);
CREATE INDEX reports_queue ON reports (status, created_at, id);
CREATE INDEX reports_by_time ON reports (created_at ASC, id ASC);
CREATE INDEX reports_by_subject ON reports (subject_id, created_at, id);
