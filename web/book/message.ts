import type { Message } from 'convene-client'

/** A text that was read, to make other messages from: what they all have is listed here alone. */
export const aText: Message = {
  id: '0199a3c4-0004-7000-8000-000000000000',
  chat_id: '0199a3c4-0003-7000-8000-000000000000',
  sender_id: '0199a3c4-0001-7000-8000-000000000000',
  client_id: null,
  kind: 'text',
  text: 'Coffee at the river?',
  photo: null,
  caution: null,
  read: true,
  read_at: '2026-05-14T16:24:00.000Z',
  edited: false,
  edited_at: null,
  deleted: false,
  created_at: '2026-05-14T16:24:00.000Z',
}
