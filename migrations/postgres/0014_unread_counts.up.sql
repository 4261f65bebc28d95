-- What each of the two has not read yet, counted as it happens; read_to is the number of the newest message that was there
-- when they last marked the chat read. The row is written with every message anyway, where an index of what is unread
-- would be one more.
ALTER TABLE chats ADD COLUMN unread_a bigint NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN unread_b bigint NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN read_to_a bigint NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN read_to_b bigint NOT NULL DEFAULT 0;
-- No release has run on PostgreSQL before this step, so there is nothing to count.
DROP INDEX messages_unread;
