-- No release has run on PostgreSQL before this step, so there is no earlier flag to take over.
ALTER TABLE messages ADD COLUMN read_at bigint;
-- Serves the unread count, marking as read, and the newest of the unread.
CREATE INDEX messages_unread ON messages (chat_id, sender_id, seq) WHERE read_at IS NULL AND deleted_at IS NULL;
