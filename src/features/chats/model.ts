import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, id, imageId, nextCursor, nullable, object, oneOf, optional, time, uuid } from '../../http/schema.ts'
import { line, prose } from '../../lib/text.ts'
import { image } from '../media/model.ts'
import { profile } from '../profile/model.ts'
import { messageKinds } from './content.ts'

const messageKind = oneOf(messageKinds, 'MessageKind')

export const message = t.Object(
  {
    id: entityId(),
    chat_id: entityId(),
    sender_id: entityId(),
    kind: messageKind,
    text: nullable(t.String()),
    photo: nullable(image),
    read: t.Boolean(),
    read_at: nullable(time),
    edited: t.Boolean(),
    edited_at: nullable(time),
    deleted: t.Boolean(),
    created_at: time,
    client_id: nullable(t.String({ description: 'Shown to the sender only' })),
    caution: nullable(
      t.String({ description: 'The warning that a rule of the operator shows to the recipient; null for the sender' }),
    ),
  },
  {
    title: 'Message',
    examples: [
      {
        id: '0199a3c4-9a10-7d33-b6c1-0d5c7e4b8f21',
        chat_id: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11',
        sender_id: '0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f',
        kind: 'text',
        text: 'Coffee at the river?',
        photo: null,
        read: false,
        read_at: null,
        edited: false,
        edited_at: null,
        deleted: false,
        created_at: '2026-11-21T08:34:00.000Z',
        client_id: 'a1',
        caution: null,
      },
    ],
  },
)

export const chat = t.Object(
  {
    id: entityId(),
    user: profile,
    online: t.Boolean({ description: 'Whether the other user has an open socket; false until both have written' }),
    last_seen_at: nullable(time),
    muted_until: nullable(
      t.String({
        description: 'This chat sends no notifications until then; `9999-12-31T00:00:00.000Z` is a mute without end',
        documented: { format: 'date-time' },
      }),
    ),
    last_msg_at: nullable(time),
    last_message: nullable(message),
    unread_count: Type.Integer(),
    created_at: time,
  },
  { title: 'Chat' },
)

export const chatList = object('ChatList', {
  items: t.Array(chat),
  next_cursor: nextCursor,
  unread_total: Type.Integer({ description: 'The sum of `unread_count` over all chats, not only those of this page' }),
})
export const messageList = object('MessageList', { items: t.Array(message), next_cursor: nextCursor })

export const newChat = t.Object({ user_id: id }, { title: 'NewChat', description: 'The other user' })

export const newMessage = t.Object(
  {
    kind: optional(messageKind),
    text: optional(prose(4000)),
    photo: optional(imageId('Expected the id of an image that you uploaded')),
    client_id: optional(line(64, { min: 1 })),
  },
  {
    title: 'NewMessage',
    description: '`text`, `photo`, or both',
    documented: { minProperties: 1 },
    examples: [{ text: 'Coffee at the river?', client_id: 'a1' }],
  },
)

export const messageEdit = object(
  'MessageEdit',
  { text: prose(4000, { min: 1 }) },
  { examples: [{ text: 'Coffee at the bridge?' }] },
)

export const readUpTo = object('ReadUpTo', { up_to: optional(uuid('Expected the id of a message of this chat')) })

export const readMarks = object('ReadMarks', {
  read: Type.Integer({ description: 'How many messages were marked' }),
  read_at: nullable(time),
})
