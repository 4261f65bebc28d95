import { and, desc, eq, gte, isNotNull, isNull, lte, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { AuditEntry, AuditStore } from '../../features/audit/store.ts'
import { type Builders, changed, type Column, type Engine, first, rows, type Work } from './engine.ts'
import { olderThan } from './pages.ts'

/** Writes an audit entry inside the unit of work that it records. */
export function* recordAudit({ tables: { auditLog } }: Engine, db: Builders, entry: AuditEntry): Work<void> {
  yield* changed(db.insert(auditLog).values(entry))
}

export function auditStore(engine: Engine): AuditStore {
  const { auditLog } = engine.tables
  return {
    record: (entry) => engine.write((db) => recordAudit(engine, db, entry), { keepsProfileCache: true }),

    fold: (entry, since, merge) =>
      engine.write(
        function* (db) {
          const { actor_id, action, subject_id } = entry
          // Written so that an index serves each: none serves `IS NOT DISTINCT FROM`.
          const is = (column: Column, value: string | null) => (value === null ? isNull(column) : eq(column, value))
          const latest = db
            .select({ id: auditLog.id, metadata: auditLog.metadata })
            .from(auditLog)
            .where(
              and(
                is(auditLog.actor_id, actor_id),
                is(auditLog.subject_id, subject_id),
                eq(auditLog.action, action),
                gte(auditLog.at, since),
              ),
            )
            .orderBy(desc(auditLog.at), desc(auditLog.id))
            .limit(1)
          // Locked, so that two concurrent entries are both merged.
          const before = yield* first(engine.locked(latest, 'update'))
          if (before === null) return yield* recordAudit(engine, db, entry)
          const metadata = merge(before.metadata)
          yield* changed(db.update(auditLog).set({ metadata }).where(eq(auditLog.id, before.id)))
        },
        { keepsProfileCache: true },
      ),

    list: ({ actor_id, subject_id, action, from, to, reader }, limit, after) =>
      engine.read((db) =>
        rows(
          db
            .select()
            .from(auditLog)
            .where(
              and(
                actor_id === undefined
                  ? undefined
                  : actor_id === null
                    ? isNull(auditLog.actor_id)
                    : eq(auditLog.actor_id, actor_id),
                subject_id === undefined ? undefined : eq(auditLog.subject_id, subject_id),
                action === undefined ? undefined : eq(auditLog.action, action),
                from === undefined ? undefined : gte(auditLog.at, from),
                to === undefined ? undefined : lte(auditLog.at, to),
                reader === undefined ? undefined : concernsOthers(engine, reader),
                olderThan(auditLog.at, auditLog.id, after),
              ),
            )
            .orderBy(desc(auditLog.at), desc(auditLog.id))
            .limit(limit),
        ),
      ),
  }
}

// Makes PostgreSQL look up the reports of a page's entries instead of scanning the evidence of all reports.
const entryByEntry = sql`LIMIT 1 OFFSET 0`

/** Whether an entry reveals nothing to the reader about who blocked, reported or reviewed them, or when. */
function concernsOthers({ tables, jsonText }: Engine, reader: string): SQL | undefined {
  const { auditLog, reports, appeals, notices } = tables
  const isReviewOfReader = eq(reports.reviewed_id, reader)
  // Who opens an account right after a report names its people.
  const opened = sql`CASE WHEN ${auditLog.action} = 'person_read' AND ${auditLog.actor_id} IS DISTINCT FROM ${reader}
    THEN ${auditLog.subject_id} END`
  return and(
    or(notInArray(auditLog.action, ['block', 'unblock']), sql`${auditLog.subject_id} IS DISTINCT FROM ${reader}`),
    sql`NOT EXISTS (
      SELECT 1 FROM ${reports}
      WHERE ${reports.id} = CASE
          WHEN ${auditLog.action} IN ('report', 'report_read', 'decision_undone', 'decision_dropped', 'case_exported') THEN ${auditLog.subject_id}
          WHEN ${auditLog.action} = 'report_resolved' THEN ${jsonText(auditLog.metadata, 'report_id')} END
        AND (${reports.subject_id} = ${reader} OR ${isReviewOfReader}) ${entryByEntry})`,
    sql`NOT EXISTS (
      SELECT 1 FROM ${appeals} JOIN ${notices} ON ${notices.id} = ${appeals.notice_id}
        JOIN ${reports} ON ${reports.id} = ${notices.report_id}
      WHERE ${appeals.id} = CASE
          WHEN ${auditLog.action} = 'appeal' THEN ${auditLog.subject_id}
          WHEN ${auditLog.action} = 'appeal_resolved' THEN ${jsonText(auditLog.metadata, 'appeal_id')} END
        AND ${isReviewOfReader} ${entryByEntry})`,
    sql`NOT EXISTS (
      SELECT 1 FROM ${reports} WHERE ${reports.subject_id} = ${opened} AND ${isReviewOfReader} ${entryByEntry})`,
    sql`NOT EXISTS (
      SELECT 1 FROM ${reports} WHERE ${reports.reporter_id} = ${opened}
        AND (${reports.subject_id} = ${reader} OR ${isReviewOfReader}) ${entryByEntry})`,
    or(ne(auditLog.action, 'review'), isNotNull(auditLog.actor_id)),
  )
}
