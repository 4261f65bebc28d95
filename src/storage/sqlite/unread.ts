import type { Db } from './database.ts'

const unreadBy = (reader: 'a' | 'b', sender: 'a' | 'b') => `
  unread_${reader} = (SELECT count(*) FROM messages
    WHERE chat_id = chats.id AND seq > read_to_${reader} AND sender_id = user_${sender}
      AND read_at IS NULL AND deleted_at IS NULL)`

/** Counts anew what is unread in a chat, after messages were removed from it. Call it inside the write that removes them. */
export function unreadCounter(db: Db) {
  const recount = db.$client.prepare<null, [string]>(
    `UPDATE chats SET ${unreadBy('a', 'b')}, ${unreadBy('b', 'a')} WHERE id = ? AND unread_a + unread_b > 0`,
  )
  return (chatId: string) => void recount.run(chatId)
}
