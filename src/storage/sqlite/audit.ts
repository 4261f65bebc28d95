import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { AuditEntry, AuditStore } from '../../features/audit/store.ts'
import type { Db } from './database.ts'
import { auditLog } from './schema.ts'
import type { Writer } from './writer.ts'

/** Writes an entry, inside the write that it tells of. */
export const auditRecorder = (db: Db) => (entry: AuditEntry) => {
  db.insert(auditLog).values(entry).run()
}

export function auditStore(db: Db, writer: Writer): AuditStore {
  const record = auditRecorder(db)
  return {
    record: (entry) => writer.write(() => record(entry), { leavesPeople: true }),

    list: async (filter, limit, after) =>
      db
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
        .limit(limit)
        .all(),
  }
}

/** Whether an entry tells the reader nothing of who blocked them, reported them, or reviewed them: nor when. */
const concernsOthers = (reader: string) => sql`
  (${auditLog.action} NOT IN ('block', 'unblock') OR ${auditLog.subject_id} IS NOT ${reader})
  AND NOT EXISTS (
    SELECT 1 FROM reports
    WHERE reports.id = CASE
        WHEN ${auditLog.action} IN ('report', 'report_read') THEN ${auditLog.subject_id}
        WHEN ${auditLog.action} = 'report_resolved' THEN ${auditLog.metadata} ->> '$.report_id' END
      AND (reports.subject_id = ${reader} OR reports.evidence ->> '$.review.reviewed_id' = ${reader}))
  AND NOT EXISTS (
    SELECT 1 FROM appeals JOIN notices ON notices.id = appeals.notice_id JOIN reports ON reports.id = notices.report_id
    WHERE appeals.id = CASE
        WHEN ${auditLog.action} = 'appeal' THEN ${auditLog.subject_id}
        WHEN ${auditLog.action} = 'appeal_resolved' THEN ${auditLog.metadata} ->> '$.appeal_id' END
      AND reports.evidence ->> '$.review.reviewed_id' = ${reader})
  AND (${auditLog.action} <> 'review' OR ${auditLog.actor_id} IS NOT NULL)`
