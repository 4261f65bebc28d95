-- Messages that nobody but their sender and moderators see: those that a rule holds until a moderator has decided, and
-- tombstones of those that were never released. Whatever reads `messages` cannot show one by mistake.
CREATE TABLE held_messages (
  id         TEXT PRIMARY KEY NOT NULL,
  chat_id    TEXT NOT NULL REFERENCES chats (id),
  seq        INTEGER NOT NULL,                -- its place among the chat's messages, which nothing else takes
  sender_id  TEXT NOT NULL REFERENCES users (id),
  kind       TEXT NOT NULL CHECK (kind IN ('text', 'photo')),
  text       TEXT,
  photo_id   TEXT,
  client_id  TEXT,
  edited_at  INTEGER,
  deleted_at INTEGER,
  created_at INTEGER NOT NULL,
  caution    TEXT,
  UNIQUE (chat_id, seq)
);
CREATE INDEX held_messages_of_sender ON held_messages (sender_id, chat_id, seq);
CREATE UNIQUE INDEX held_messages_by_client_id ON held_messages (sender_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX held_messages_by_photo ON held_messages (photo_id) WHERE photo_id IS NOT NULL;

-- Number and time of the newest of them, of each member; 0 for none.
ALTER TABLE chats ADD COLUMN held_a INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN held_b INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN held_at_a INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN held_at_b INTEGER NOT NULL DEFAULT 0;
