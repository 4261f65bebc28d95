import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const events = sqliteTable(
  'events',
  {
    user_id: text().notNull(),
    seq: integer().notNull(),
    type: text().notNull(),
    at: integer().notNull(),
    ref: text(),
    data: text({ mode: 'json' }).$type<unknown>(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.seq] })],
)

export const eventCounters = sqliteTable('event_counters', {
  user_id: text().primaryKey().notNull(),
  seq: integer().notNull(),
})

export const auditLog = sqliteTable('audit_log', {
  id: text().primaryKey().notNull(),
  at: integer().notNull(),
  actor_id: text(),
  action: text().notNull(),
  subject_id: text(),
  metadata: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
})

export const announcements = sqliteTable('announcements', {
  id: text().primaryKey().notNull(),
  text: text().notNull(),
  until: integer(),
  created_at: integer().notNull(),
})

export const dailyFigures = sqliteTable('daily_figures', {
  day: integer().primaryKey().notNull(),
  registered: integer().notNull(),
  active: integer().notNull(),
  messages: integer().notNull(),
  chats: integer().notNull(),
  reports: integer().notNull(),
  decided: integer().notNull(),
  blocks: integer().notNull(),
  counted_at: integer().notNull(),
})

export const community = sqliteTable('community', { name: text().primaryKey().notNull(), value: text().notNull() })
