import type { ChatEntry, Message } from '../features/chats/store.ts'

/** A chat with its last message as one row, in either engine. */
export type EntryRow = Omit<Message, 'id' | 'chat_id' | 'created_at'> & {
  id: string
  user_a: string
  user_b: string
  created_at: number
  last_msg_at: number | null
  unread_count: number
  message_id: string | null
  message_created_at: number
}

/** What a message without a photo has in its place. */
export const noPhoto = { photo_width: null, photo_height: null, photo_placeholder: null }

export function entryOf(row: EntryRow): ChatEntry {
  const { id, user_a, user_b, created_at, last_msg_at, unread_count, message_id, message_created_at, ...message } = row
  return {
    chat: { id, user_a, user_b, created_at, last_msg_at },
    last_message:
      message_id === null ? null : { ...message, id: message_id, chat_id: id, created_at: message_created_at },
    unread_count,
  }
}
