import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { AuditStore } from '../../features/audit/store.ts'
import type { Db } from './database.ts'
import { auditLog } from './schema.ts'
import type { Writer } from './writer.ts'

export function auditStore(db: Db, writer: Writer): AuditStore {
  return {
    record: (entry) =>
      writer.write(() => {
        db.insert(auditLog).values(entry).run()
      }),

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
