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
            after === null ? undefined : sql`(${auditLog.at}, ${auditLog.id}) < (${after.at}, ${after.id})`,
          ),
        )
        .orderBy(desc(auditLog.at), desc(auditLog.id))
        .limit(limit)
        .all(),
  }
}
