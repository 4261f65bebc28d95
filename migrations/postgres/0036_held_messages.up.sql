-- Messages that nobody but their sender and moderators see: those that a rule holds until a moderator has decided, and
-- tombstones of those that were never released. Whatever reads `messages` cannot show one by mistake.
CREATE TABLE held_messages (
  id         text COLLATE "C" PRIMARY KEY NOT NULL,
  chat_id    text COLLATE "C" NOT NULL REFERENCES chats (id),
  seq        bigint NOT NULL,                -- its place among the chat's messages, which nothing else takes
  sender_id  text COLLATE "C" NOT NULL REFERENCES users (id),
  kind       text NOT NULL CHECK (kind IN ('text', 'photo')),
  text       text,
  photo_id   text COLLATE "C",
  client_id  text COLLATE "C",
  edited_at  bigint,
  deleted_at bigint,
  created_at bigint NOT NULL,
  caution    text,
  UNIQUE (chat_id, seq)
);
CREATE INDEX held_messages_of_sender ON held_messages (sender_id, chat_id, seq);
CREATE UNIQUE INDEX held_messages_by_client_id ON held_messages (sender_id, client_id) WHERE client_id IS NOT NULL;
CREATE INDEX held_messages_by_photo ON held_messages (photo_id) WHERE photo_id IS NOT NULL;

-- Number and time of the newest of them, of each member; 0 for none.
ALTER TABLE chats ADD COLUMN held_a bigint NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN held_b bigint NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN held_at_a bigint NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN held_at_b bigint NOT NULL DEFAULT 0;
