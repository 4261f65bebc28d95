-- What each of the two has not read yet, counted as it happens; read_to is the number of the newest message that was there
-- when they last marked the chat read. The row is written with every message anyway, where an index of what is unread
-- would be one more page of the log for each.
ALTER TABLE chats ADD COLUMN unread_a INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN unread_b INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN read_to_a INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN read_to_b INTEGER NOT NULL DEFAULT 0;
UPDATE chats SET
  (unread_a, read_to_a) = (
    SELECT count(*), coalesce(min(seq) - 1, chats.last_seq) FROM messages
    WHERE chat_id = chats.id AND sender_id = chats.user_b AND read_at IS NULL AND deleted_at IS NULL),
  (unread_b, read_to_b) = (
    SELECT count(*), coalesce(min(seq) - 1, chats.last_seq) FROM messages
    WHERE chat_id = chats.id AND sender_id = chats.user_a AND read_at IS NULL AND deleted_at IS NULL);
DROP INDEX messages_unread;
