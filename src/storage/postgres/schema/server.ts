import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { int8, json } from './columns.ts'

export const events = pgTable(
  'events',
  {
    user_id: text().notNull(),
    seq: int8().notNull(),
    type: text().notNull(),
    at: int8().notNull(),
    ref: text(),
    data: text(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.seq] })],
)

export const eventCounters = pgTable('event_counters', { user_id: text().primaryKey(), seq: int8().notNull() })

export const auditLog = pgTable('audit_log', {
  id: text().primaryKey(),
  at: int8().notNull(),
  actor_id: text(),
  action: text().notNull(),
  subject_id: text(),
  metadata: json().notNull(),
})

export const announcements = pgTable('announcements', {
  id: text().primaryKey(),
  text: text().notNull(),
  until: int8(),
  created_at: int8().notNull(),
})

export const dailyFigures = pgTable('daily_figures', {
  day: int8().primaryKey(),
  registered: int8().notNull(),
  active: int8().notNull(),
  messages: int8().notNull(),
  chats: int8().notNull(),
  reports: int8().notNull(),
  decided: int8().notNull(),
  blocks: int8().notNull(),
  counted_at: int8().notNull(),
})

export const community = pgTable('community', { name: text().primaryKey(), value: text().notNull() })

export const jobTurns = pgTable('job_turns', {
  job: text().primaryKey(),
  at: int8().notNull(),
  holder: text(),
  until: int8().notNull(),
  succeeded_at: int8(),
})

export const nodes = pgTable('nodes', {
  id: text().primaryKey(),
  place: text().notNull(),
  host: text().notNull(),
  lacks: text().notNull(),
  seen_at: int8().notNull(),
})
