import { sql } from 'drizzle-orm'
import { pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core'
import { int8, json } from './columns.ts'

export const blocks = pgTable(
  'blocks',
  {
    blocker_id: text().notNull(),
    blocked_id: text().notNull(),
    id: text().notNull(),
    created_at: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.blocker_id, t.blocked_id] })],
)

export const reports = pgTable('reports', {
  id: text().primaryKey(),
  reporter_id: text(),
  target: text({ enum: ['user', 'message', 'review'] }).notNull(),
  target_id: text().notNull(),
  subject_id: text(),
  reason: text().notNull(),
  details: text(),
  status: text({ enum: ['open', 'resolved'] })
    .notNull()
    .default('open'),
  evidence: json(),
  created_at: int8().notNull(),
  resolved_at: int8(),
  resolved_by: text(),
  action: text({ enum: ['dismiss', 'warn', 'remove_content', 'suspend'] }),
  note: text(),
  until: int8(),
  /** The person whom a reported review is about. */
  reviewed_id: text().generatedAlwaysAs(
    sql`CASE WHEN target = 'review' THEN evidence::json -> 'review' ->> 'reviewed_id' END`,
  ),
  due_at: int8(),
  claimed_by: text(),
  claimed_until: int8(),
  pending: json(),
  pending_until: int8(),
  kind: text({ enum: ['rule', 'held'] }),
  hides: int8(),
  origin: text(),
})

export const notices = pgTable(
  'notices',
  {
    user_id: text().notNull(),
    id: text().notNull(),
    report_id: text(),
    action: text({
      enum: ['warn', 'remove_content', 'suspend', 'unsuspend', 'appeal_upheld', 'appeal_rejected'],
    }).notNull(),
    reason: text().notNull(),
    note: text(),
    until: int8(),
    created_at: int8().notNull(),
    decided_by: text(),
    strikes: int8(),
    kind: text({ enum: ['hide', 'show'] }),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.id] })],
)

export const appeals = pgTable(
  'appeals',
  {
    user_id: text().notNull(),
    notice_id: text().notNull(),
    id: text().notNull(),
    text: text().notNull(),
    status: text({ enum: ['open', 'upheld', 'rejected'] })
      .notNull()
      .default('open'),
    created_at: int8().notNull(),
    resolved_at: int8(),
    resolved_by: text(),
    note: text(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.notice_id] })],
)

export const templates = pgTable(
  'templates',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    language: text().notNull(),
    text: text().notNull(),
    created_at: int8().notNull(),
  },
  (t) => [unique().on(t.name, t.language)],
)

export const ruleVersions = pgTable('rule_versions', {
  version: int8().primaryKey(),
  change: text({ enum: ['created', 'changed', 'deleted', 'imported'] }).notNull(),
  rule_id: text(),
  rule_count: int8().notNull(),
  rules: json().notNull(),
  actor_id: text(),
  at: int8().notNull(),
})

export const openers = pgTable(
  'openers',
  {
    user_id: text().notNull(),
    text_hash: text().notNull(),
    chat_id: text().notNull(),
    at: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.text_hash, t.chat_id] })],
)
