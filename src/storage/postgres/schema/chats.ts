import { boolean, doublePrecision, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core'
import { messageKinds } from '../../../features/chats/content.ts'
import { int8 } from './columns.ts'

export const chats = pgTable(
  'chats',
  {
    id: text().primaryKey(),
    user_a: text().notNull(),
    user_b: text().notNull(),
    created_at: int8().notNull(),
    last_msg_at: int8(),
    last_seq: int8().notNull().default(0),
    unread_a: int8().notNull().default(0),
    unread_b: int8().notNull().default(0),
    read_to_a: int8().notNull().default(0),
    read_to_b: int8().notNull().default(0),
    wrote_a: boolean().notNull().default(false),
    wrote_b: boolean().notNull().default(false),
    muted_a: int8(),
    muted_b: int8(),
    held_a: int8().notNull().default(0),
    held_b: int8().notNull().default(0),
    held_at_a: int8().notNull().default(0),
    held_at_b: int8().notNull().default(0),
  },
  (t) => [unique().on(t.user_a, t.user_b)],
)

export const messages = pgTable(
  'messages',
  {
    id: text().notNull(),
    chat_id: text().notNull(),
    seq: int8().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: int8(),
    deleted_at: int8(),
    created_at: int8().notNull(),
    read_at: int8(),
    caution: text(),
  },
  (t) => [primaryKey({ columns: [t.chat_id, t.seq] })],
)

export const heldMessages = pgTable(
  'held_messages',
  {
    id: text().primaryKey(),
    chat_id: text().notNull(),
    seq: int8().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: int8(),
    deleted_at: int8(),
    created_at: int8().notNull(),
    caution: text(),
  },
  (t) => [unique().on(t.chat_id, t.seq)],
)

export const messageVersions = pgTable(
  'message_versions',
  {
    chat_id: text().notNull(),
    message_id: text().notNull(),
    at: int8().notNull(),
    text: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.chat_id, t.message_id, t.at] })],
)

export const reviews = pgTable('reviews', {
  chat_id: text().primaryKey(),
  id: text().notNull(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  anonymous: boolean().notNull().default(false),
  text: text(),
  created_at: int8().notNull(),
})

export const pendingReviews = pgTable('pending_reviews', {
  chat_id: text().primaryKey(),
  id: text().notNull(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  text: text(),
  created_at: int8().notNull(),
  appears_at: int8().notNull(),
})

export const userStats = pgTable('user_stats', {
  user_id: text().primaryKey(),
  rating_avg: doublePrecision(),
  count: int8().notNull().default(0),
})
