import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import type { Rule } from '../../../features/filter/store.ts'
import type { Evidence, PendingDecision, ReportReason } from '../../../features/safety/store.ts'

export const blocks = sqliteTable(
  'blocks',
  {
    id: text().primaryKey().notNull(),
    blocker_id: text().notNull(),
    blocked_id: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    unique().on(t.blocker_id, t.blocked_id),
    index('blocks_by_blocked').on(t.blocked_id, t.blocker_id),
    index('blocks_of_user').on(t.blocker_id, t.created_at, t.id),
  ],
)

export const reports = sqliteTable('reports', {
  id: text().primaryKey().notNull(),
  reporter_id: text(),
  target: text({ enum: ['user', 'message', 'review'] }).notNull(),
  target_id: text().notNull(),
  subject_id: text(),
  reason: text().$type<ReportReason>().notNull(),
  details: text(),
  status: text({ enum: ['open', 'resolved'] })
    .notNull()
    .default('open'),
  evidence: text({ mode: 'json' }).$type<Evidence>(),
  created_at: integer().notNull(),
  resolved_at: integer(),
  resolved_by: text(),
  action: text({ enum: ['dismiss', 'warn', 'remove_content', 'suspend'] }),
  note: text(),
  until: integer(),
  /** The person whom a reported review is about. */
  reviewed_id: text().generatedAlwaysAs(sql`CASE WHEN target = 'review' THEN evidence ->> '$.review.reviewed_id' END`, {
    mode: 'virtual',
  }),
  due_at: integer(),
  claimed_by: text(),
  claimed_until: integer(),
  pending: text({ mode: 'json' }).$type<PendingDecision>(),
  pending_until: integer(),
  kind: text({ enum: ['rule', 'held'] }),
  hides: integer(),
  origin: text(),
})

export const notices = sqliteTable('notices', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  report_id: text(),
  action: text({
    enum: ['warn', 'remove_content', 'suspend', 'unsuspend', 'appeal_upheld', 'appeal_rejected'],
  }).notNull(),
  reason: text().notNull(),
  note: text(),
  until: integer(),
  created_at: integer().notNull(),
  decided_by: text(),
  strikes: integer(),
  kind: text({ enum: ['hide', 'show'] }),
})

export const appeals = sqliteTable('appeals', {
  id: text().primaryKey().notNull(),
  notice_id: text().notNull().unique(),
  user_id: text().notNull(),
  text: text().notNull(),
  status: text({ enum: ['open', 'upheld', 'rejected'] })
    .notNull()
    .default('open'),
  created_at: integer().notNull(),
  resolved_at: integer(),
  resolved_by: text(),
  note: text(),
})

export const templates = sqliteTable(
  'templates',
  {
    id: text().primaryKey().notNull(),
    name: text().notNull(),
    language: text().notNull(),
    text: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [unique().on(t.name, t.language)],
)

export const ruleVersions = sqliteTable('rule_versions', {
  version: integer().primaryKey().notNull(),
  change: text({ enum: ['created', 'changed', 'deleted', 'imported'] }).notNull(),
  rule_id: text(),
  rule_count: integer().notNull(),
  rules: text({ mode: 'json' }).$type<Rule[]>().notNull(),
  actor_id: text(),
  at: integer().notNull(),
})

export const openers = sqliteTable(
  'openers',
  {
    user_id: text().notNull(),
    text_hash: text().notNull(),
    chat_id: text().notNull(),
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.text_hash, t.chat_id] })],
)
