-- Whether each of the two has ever written in the chat. Deleting a message does not take it back. The release before does not
-- set them: what it stored while both ran shows with the sender's next message.
ALTER TABLE chats ADD COLUMN wrote_a boolean NOT NULL DEFAULT false;
ALTER TABLE chats ADD COLUMN wrote_b boolean NOT NULL DEFAULT false;
UPDATE chats SET
  wrote_a = EXISTS (SELECT 1 FROM messages WHERE chat_id = chats.id AND sender_id = chats.user_a),
  wrote_b = EXISTS (SELECT 1 FROM messages WHERE chat_id = chats.id AND sender_id = chats.user_b);
