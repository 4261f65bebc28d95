DROP INDEX messages_unread;
ALTER TABLE messages ADD COLUMN read INTEGER NOT NULL DEFAULT 0;
UPDATE messages SET read = 1 WHERE read_at IS NOT NULL;
ALTER TABLE messages DROP COLUMN read_at;
