const unreadBy = (reader: 'a' | 'b', sender: 'a' | 'b') => `
  unread_${reader} = (SELECT count(*) FROM messages m
    WHERE m.chat_id = chats.id AND m.seq > read_to_${reader} AND m.sender_id = user_${sender}
      AND m.read_at IS NULL AND m.deleted_at IS NULL)`

/**
 * Counts anew what is unread in a chat (its id is `$1`), after messages were removed from it. For the write that removes
 * them, which holds the lock of the chat.
 */
export const recountUnread = `
  UPDATE chats SET ${unreadBy('a', 'b')}, ${unreadBy('b', 'a')} WHERE id = $1 AND unread_a + unread_b > 0`
