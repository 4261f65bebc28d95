DROP INDEX messages_unread;
ALTER TABLE messages DROP COLUMN read_at;
