import { boolean, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { int8, json } from './columns.ts'

export const outbox = pgTable('outbox', {
  id: text().primaryKey(),
  kind: text().notNull(),
  user_id: text(),
  payload: json().notNull(),
  created_at: int8().notNull(),
  due_at: int8().notNull(),
  leased_by: text(),
  attempts: int8().notNull().default(0),
  last_error: text(),
  slot: text(),
  again_at: int8(),
  lane: text(),
  ordered_by: text(),
  position: int8(),
})

export const channels = pgTable('channels', {
  id: text().primaryKey(),
  user_id: text().notNull(),
  session_id: text().notNull(),
  kind: text().notNull(),
  target: json().notNull(),
  target_hash: text().notNull().unique(),
  label: text().notNull(),
  created_at: int8().notNull(),
  last_delivered_at: int8(),
  failing_since: int8(),
})

export const notificationPreferences = pgTable('notification_preferences', {
  user_id: text().primaryKey(),
  messages: boolean().notNull().default(true),
  chats: boolean().notNull().default(true),
  reviews: boolean().notNull().default(true),
  digest: text({ enum: ['off', 'daily'] })
    .notNull()
    .default('off'),
  preview: text({ enum: ['none', 'name', 'full'] })
    .notNull()
    .default('name'),
  quiet_from: int8(),
  quiet_to: int8(),
  quiet_zone: text(),
  digest_at: int8(),
})

export const shownNotifications = pgTable(
  'shown_notifications',
  {
    channel_id: text().notNull(),
    tag: text().notNull(),
    user_id: text().notNull(),
    ref: text().notNull(),
    content_hash: text().notNull(),
    shown: text(),
    at: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channel_id, t.tag] })],
)

export const botPermissions = pgTable('bot_permissions', {
  user_id: text().primaryKey(),
  messenger_id: text().notNull(),
  state: text({ enum: ['granted', 'stopped', 'refused'] }).notNull(),
  language: text({ enum: ['en', 'ru'] }).notNull(),
  changed_at: int8().notNull(),
  told_at: int8(),
  told_until: int8(),
})

export const botUpdates = pgTable('bot_updates', {
  update_id: int8().primaryKey(),
  at: int8().notNull(),
})
