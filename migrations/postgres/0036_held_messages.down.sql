ALTER TABLE chats DROP COLUMN held_at_b;
ALTER TABLE chats DROP COLUMN held_at_a;
ALTER TABLE chats DROP COLUMN held_b;
ALTER TABLE chats DROP COLUMN held_a;
DROP TABLE held_messages;
