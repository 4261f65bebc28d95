import { and, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { AuditEntry, AuditStore } from '../../features/audit/store.ts'
import type { Database } from './database.ts'
import { build, type Queries } from './queries.ts'
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
