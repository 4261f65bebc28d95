import type { SchemaBuilders } from './columns.ts'

export const server = ({ table, text, int8, json, either, key }: SchemaBuilders) => ({
  events: table(
    'events',
    {
      user_id: text().notNull(),
      seq: int8().notNull(),
      type: text().notNull(),
      at: int8().notNull(),
      ref: text(),
      data: either(json<unknown>(), text()),
    },
    (t) => [key(t, ['user_id', 'seq'])],
  ),

  eventCounters: table('event_counters', {
    user_id: text().primaryKey().notNull(),
    seq: int8().notNull(),
  }),

  auditLog: table('audit_log', {
    id: text().primaryKey().notNull(),
    at: int8().notNull(),
    actor_id: text(),
    action: text().notNull(),
    subject_id: text(),
    metadata: json<Record<string, unknown>>().notNull(),
  }),

  announcements: table('announcements', {
    id: text().primaryKey().notNull(),
    text: text().notNull(),
    until: int8(),
    created_at: int8().notNull(),
  }),

  dailyFigures: table('daily_figures', {
    day: int8().primaryKey().notNull(),
    registered: int8().notNull(),
    active: int8().notNull(),
    messages: int8().notNull(),
    chats: int8().notNull(),
    reports: int8().notNull(),
    decided: int8().notNull(),
    blocks: int8().notNull(),
    counted_at: int8().notNull(),
  }),

  community: table('community', { name: text().primaryKey().notNull(), value: text().notNull() }),
})
