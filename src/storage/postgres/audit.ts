import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { AuditEntry, AuditStore } from '../../features/audit/store.ts'
import type { Database } from './database.ts'
import { build, type Queries } from './queries.ts'
import { reviewedIn } from './safety.ts'
import { auditLog } from './schema.ts'

/** Writes an entry, inside the write that it tells of. */
export const recordAudit = (tx: Queries, { id, at, actor_id, action, subject_id, metadata }: AuditEntry) =>
  tx.run('INSERT INTO audit_log (id, at, actor_id, action, subject_id, metadata) VALUES ($1, $2, $3, $4, $5, $6)', [
    id,
    at,
    actor_id,
    action,
    subject_id,
    JSON.stringify(metadata),
  ])

export function auditStore(db: Database): AuditStore {
  return {
    async record(entry) {
      await db.statement((q) => recordAudit(q, entry))
    },

    async list(filter, limit, after) {
      const entries = await db.read((q) =>
        q.all(
          build
            .select()
            .from(auditLog)
            .where(
              and(
                filter.actor_id === undefined ? undefined : eq(auditLog.actor_id, filter.actor_id),
                filter.subject_id === undefined ? undefined : eq(auditLog.subject_id, filter.subject_id),
                filter.action === undefined ? undefined : eq(auditLog.action, filter.action),
                filter.from === undefined ? undefined : gte(auditLog.at, filter.from),
                filter.to === undefined ? undefined : lte(auditLog.at, filter.to),
                filter.reader === undefined ? undefined : concernsOthers(filter.reader),
                after === null ? undefined : sql`(${auditLog.at}, ${auditLog.id}) < (${after.at}, ${after.id})`,
              ),
            )
            .orderBy(desc(auditLog.at), desc(auditLog.id))
            .limit(limit),
        ),
      )
      return entries.map((entry) => ({ ...entry, metadata: JSON.parse(entry.metadata) }))
    },
  }
}

/** Whether an entry tells the reader nothing of who blocked them, reported them, or reviewed them: nor when. */
const concernsOthers = (reader: string) => sql`
  (${auditLog.action} NOT IN ('block', 'unblock') OR ${auditLog.subject_id} IS DISTINCT FROM ${reader})
  AND NOT EXISTS (
    SELECT 1 FROM reports
    WHERE reports.id = CASE
        WHEN ${auditLog.action} IN ('report', 'report_read') THEN ${auditLog.subject_id}
        WHEN ${auditLog.action} = 'report_resolved' THEN ${auditLog.metadata}::json ->> 'report_id' END
      AND (reports.subject_id = ${reader}
        OR reports.target = 'review' AND strpos(coalesce(reports.evidence, ''), ${reviewedIn(reader)}) > 0))
  AND NOT EXISTS (
    SELECT 1 FROM appeals JOIN notices ON notices.user_id = appeals.user_id AND notices.id = appeals.notice_id
      JOIN reports ON reports.id = notices.report_id
    WHERE appeals.id = CASE
        WHEN ${auditLog.action} = 'appeal' THEN ${auditLog.subject_id}
        WHEN ${auditLog.action} = 'appeal_resolved' THEN ${auditLog.metadata}::json ->> 'appeal_id' END
      AND reports.target = 'review' AND strpos(coalesce(reports.evidence, ''), ${reviewedIn(reader)}) > 0)
  AND (${auditLog.action} <> 'review' OR ${auditLog.actor_id} IS NOT NULL)`
