ALTER TABLE messages ADD COLUMN read_at INTEGER;
-- When an earlier release's messages were read is not known; the time they were written is the closest that is.
UPDATE messages SET read_at = created_at WHERE read = 1;
ALTER TABLE messages DROP COLUMN read;
-- Serves both the unread count and marking as read. The two times are always null here; only where they are in the index
-- too does SQLite count in it, and not in the table.
CREATE INDEX messages_unread ON messages (chat_id, sender_id, read_at, deleted_at) WHERE read_at IS NULL AND deleted_at IS NULL;
