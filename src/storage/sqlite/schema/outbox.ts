import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { ChannelKind, ChannelTargets } from '../../../outbox/push.ts'
import { type Kind, type Payloads, outboxKinds } from '../../../outbox/store.ts'

export const outbox = sqliteTable('outbox', {
  id: text().primaryKey().notNull(),
  kind: text({ enum: outboxKinds }).$type<Kind>().notNull(),
  user_id: text(),
  payload: text({ mode: 'json' }).$type<Payloads[Kind]>().notNull(),
  created_at: integer().notNull(),
  due_at: integer().notNull(),
  leased_by: text(),
  attempts: integer().notNull().default(0),
  last_error: text(),
  slot: text(),
  again_at: integer(),
  lane: text(),
  ordered_by: text(),
  position: integer(),
})

export const channels = sqliteTable('channels', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  session_id: text().notNull(),
  kind: text().$type<ChannelKind>().notNull(),
  target: text({ mode: 'json' }).$type<ChannelTargets[ChannelKind]>().notNull(),
  target_hash: text().notNull().unique(),
  label: text().notNull(),
  created_at: integer().notNull(),
  last_delivered_at: integer(),
  failing_since: integer(),
})

export const notificationPreferences = sqliteTable('notification_preferences', {
  user_id: text().primaryKey().notNull(),
  messages: integer({ mode: 'boolean' }).notNull().default(true),
  chats: integer({ mode: 'boolean' }).notNull().default(true),
  reviews: integer({ mode: 'boolean' }).notNull().default(true),
  digest: text({ enum: ['off', 'daily'] })
    .notNull()
    .default('off'),
  preview: text({ enum: ['none', 'name', 'full'] })
    .notNull()
    .default('name'),
  quiet_from: integer(),
  quiet_to: integer(),
  quiet_zone: text(),
  digest_at: integer(),
})

export const shownNotifications = sqliteTable(
  'shown_notifications',
  {
    channel_id: text().notNull(),
    tag: text().notNull(),
    user_id: text().notNull(),
    ref: text().notNull(),
    content_hash: text().notNull(),
    shown: text(),
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channel_id, t.tag] })],
)

export const botPermissions = sqliteTable('bot_permissions', {
  user_id: text().primaryKey().notNull(),
  messenger_id: text().notNull(),
  state: text({ enum: ['granted', 'stopped', 'refused'] }).notNull(),
  language: text({ enum: ['en', 'ru'] }).notNull(),
  changed_at: integer().notNull(),
  told_at: integer(),
  told_until: integer(),
})

export const botUpdates = sqliteTable('bot_updates', {
  update_id: integer().primaryKey().notNull(),
  at: integer().notNull(),
})
