import { integer, primaryKey, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import { messageKinds } from '../../../features/chats/content.ts'

export const chats = sqliteTable(
  'chats',
  {
    id: text().primaryKey().notNull(),
    user_a: text().notNull(),
    user_b: text().notNull(),
    created_at: integer().notNull(),
    last_msg_at: integer(),
    last_seq: integer().notNull().default(0),
    unread_a: integer().notNull().default(0),
    unread_b: integer().notNull().default(0),
    read_to_a: integer().notNull().default(0),
    read_to_b: integer().notNull().default(0),
    wrote_a: integer({ mode: 'boolean' }).notNull().default(false),
    wrote_b: integer({ mode: 'boolean' }).notNull().default(false),
    muted_a: integer(),
    muted_b: integer(),
    held_a: integer().notNull().default(0),
    held_b: integer().notNull().default(0),
    held_at_a: integer().notNull().default(0),
    held_at_b: integer().notNull().default(0),
  },
  (t) => [unique().on(t.user_a, t.user_b)],
)

export const messages = sqliteTable(
  'messages',
  {
    id: text().notNull().unique(),
    chat_id: text().notNull(),
    seq: integer().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: integer(),
    deleted_at: integer(),
    created_at: integer().notNull(),
    read_at: integer(),
    caution: text(),
  },
  (t) => [primaryKey({ columns: [t.chat_id, t.seq] })],
)

export const heldMessages = sqliteTable(
  'held_messages',
  {
    id: text().primaryKey().notNull(),
    chat_id: text().notNull(),
    seq: integer().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: integer(),
    deleted_at: integer(),
    created_at: integer().notNull(),
    caution: text(),
  },
  (t) => [unique().on(t.chat_id, t.seq)],
)

export const messageVersions = sqliteTable(
  'message_versions',
  {
    message_id: text().notNull(),
    at: integer().notNull(),
    text: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.message_id, t.at] })],
)

export const reviews = sqliteTable('reviews', {
  id: text().primaryKey().notNull(),
  chat_id: text().notNull().unique(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  anonymous: integer({ mode: 'boolean' }).notNull().default(false),
  text: text(),
  created_at: integer().notNull(),
})

export const pendingReviews = sqliteTable('pending_reviews', {
  chat_id: text().primaryKey().notNull(),
  id: text().notNull().unique(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  text: text(),
  created_at: integer().notNull(),
  appears_at: integer().notNull(),
})

export const userStats = sqliteTable('user_stats', {
  user_id: text().primaryKey().notNull(),
  rating_avg: real(),
  count: integer().notNull().default(0),
})
