ALTER TABLE messages ADD COLUMN read_at INTEGER;
-- When an earlier release's messages were read is not known; the time they were written is the closest that is.
UPDATE messages SET read_at = created_at WHERE read = 1;
ALTER TABLE messages DROP COLUMN read;
-- Serves both the unread count and marking as read.
CREATE INDEX messages_unread ON messages (chat_id, sender_id) WHERE read_at IS NULL AND deleted_at IS NULL;
