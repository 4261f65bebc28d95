import { sql } from 'drizzle-orm'
import type { Rule } from '../../../features/filter/store.ts'
import type { Evidence, PendingDecision, ReportReason } from '../../../features/safety/store.ts'
import type { SchemaBuilders } from './columns.ts'

export const moderation = ({ table, text, int8, json, either, key, unique }: SchemaBuilders) => ({
  blocks: table(
    'blocks',
    {
      id: text().notNull(),
      blocker_id: text().notNull(),
      blocked_id: text().notNull(),
      created_at: int8().notNull(),
    },
    (t) => [
      key(t, either(['id'], ['blocker_id', 'blocked_id'])),
      ...either([unique().on(t.blocker_id, t.blocked_id)], []),
    ],
  ),

  reports: table('reports', {
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
    evidence: json<Evidence>(),
    created_at: int8().notNull(),
    resolved_at: int8(),
    resolved_by: text(),
    action: text({ enum: ['dismiss', 'warn', 'remove_content', 'suspend'] }),
    note: text(),
    until: int8(),
    /** The person whom a reported review is about. */
    reviewed_id: text().generatedAlwaysAs(
      either(
        sql`CASE WHEN target = 'review' THEN evidence ->> '$.review.reviewed_id' END`,
        sql`CASE WHEN target = 'review' THEN evidence::json -> 'review' ->> 'reviewed_id' END`,
      ),
      { mode: 'virtual' },
    ),
    due_at: int8(),
    claimed_by: text(),
    claimed_until: int8(),
    pending: json<PendingDecision>(),
    pending_until: int8(),
    kind: text({ enum: ['rule', 'held'] }),
    hides: int8(),
    origin: text(),
  }),

  notices: table(
    'notices',
    {
      id: text().notNull(),
      user_id: text().notNull(),
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
    (t) => [key(t, either(['id'], ['user_id', 'id']))],
  ),

  appeals: table(
    'appeals',
    {
      id: text().notNull(),
      notice_id: text().notNull(),
      user_id: text().notNull(),
      text: text().notNull(),
      status: text({ enum: ['open', 'upheld', 'rejected'] })
        .notNull()
        .default('open'),
      created_at: int8().notNull(),
      resolved_at: int8(),
      resolved_by: text(),
      note: text(),
    },
    (t) => [key(t, either(['id'], ['user_id', 'notice_id'])), ...either([unique().on(t.notice_id)], [])],
  ),

  templates: table(
    'templates',
    {
      id: text().primaryKey().notNull(),
      name: text().notNull(),
      language: text().notNull(),
      text: text().notNull(),
      created_at: int8().notNull(),
    },
    (t) => [unique().on(t.name, t.language)],
  ),

  ruleVersions: table('rule_versions', {
    version: int8().primaryKey().notNull(),
    change: text({ enum: ['created', 'changed', 'deleted', 'imported'] }).notNull(),
    rule_id: text(),
    rule_count: int8().notNull(),
    rules: json<Rule[]>().notNull(),
    actor_id: text(),
    at: int8().notNull(),
  }),

  openers: table(
    'openers',
    {
      user_id: text().notNull(),
      text_hash: text().notNull(),
      chat_id: text().notNull(),
      at: int8().notNull(),
    },
    (t) => [key(t, ['user_id', 'text_hash', 'chat_id'])],
  ),
})
