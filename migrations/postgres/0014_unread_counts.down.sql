CREATE INDEX messages_unread ON messages (chat_id, sender_id, seq) WHERE read_at IS NULL AND deleted_at IS NULL;
ALTER TABLE chats DROP COLUMN unread_a;
ALTER TABLE chats DROP COLUMN unread_b;
ALTER TABLE chats DROP COLUMN read_to_a;
ALTER TABLE chats DROP COLUMN read_to_b;
