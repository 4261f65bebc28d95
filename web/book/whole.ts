import type { Me, Message } from 'convene-client'

// Sample objects with all fields, from which the book makes the others.

/** A text message that was read. */
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

/** An account without optional fields. */
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
