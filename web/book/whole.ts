import type { Me, Message } from 'convene-client'

// To make others from: what all of them have is listed here alone.

/** A text that was read. */
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

/** The account of somebody who has said nothing of themselves. */
export const anAccount: Me = {
  id: '0199a3c4-0001-7000-8000-000000000000',
  name: 'Mia',
  email: 'mia@example.org',
  email_verified: true,
  phone: null,
  messenger_id: null,
  birth_month: null,
  show_age: false,
  hidden: null,
  bio: null,
  city: null,
  gender: null,
  photo: null,
  photo_thumb: null,
  role: 'user',
  visible: true,
  consents_missing: [],
  created_at: '2026-03-05T16:24:00.000Z',
  updated_at: '2026-05-12T16:24:00.000Z',
}
