import type { ChannelKind, ChannelTargets } from '../../../outbox/push.ts'
import { type Kind, type Payloads, outboxKinds } from '../../../outbox/store.ts'
import type { SchemaBuilders } from './columns.ts'

export const outbox = ({ table, text, int8, flag, json, key }: SchemaBuilders) => ({
  outbox: table('outbox', {
    id: text().primaryKey().notNull(),
    kind: text({ enum: outboxKinds }).$type<Kind>().notNull(),
    user_id: text(),
    payload: json<Payloads[Kind]>().notNull(),
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
  }),

  channels: table('channels', {
    id: text().primaryKey().notNull(),
    user_id: text().notNull(),
    session_id: text().notNull(),
    kind: text().$type<ChannelKind>().notNull(),
    target: json<ChannelTargets[ChannelKind]>().notNull(),
    target_hash: text().notNull().unique(),
    label: text().notNull(),
    created_at: int8().notNull(),
    last_delivered_at: int8(),
    failing_since: int8(),
  }),

  notificationPreferences: table('notification_preferences', {
    user_id: text().primaryKey().notNull(),
    messages: flag().notNull().default(true),
    chats: flag().notNull().default(true),
    reviews: flag().notNull().default(true),
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
  }),

  shownNotifications: table(
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
    (t) => [key(t, ['channel_id', 'tag'])],
  ),

  botPermissions: table('bot_permissions', {
    user_id: text().primaryKey().notNull(),
    messenger_id: text().notNull(),
    state: text({ enum: ['granted', 'stopped', 'refused'] }).notNull(),
    language: text({ enum: ['en', 'ru'] }).notNull(),
    changed_at: int8().notNull(),
    told_at: int8(),
    told_until: int8(),
  }),

  botUpdates: table('bot_updates', {
    update_id: int8().primaryKey().notNull(),
    at: int8().notNull(),
  }),
})
