import type { Page, Paging } from '../../lib/paging.ts'
import { iso } from '../../lib/time.ts'
import type { AuditEntry, AuditFilter, AuditStore } from '../audit/store.ts'
import type { Moderator } from './moderators.ts'

export type AuditQuery = Pick<AuditFilter, 'subject_id' | 'action'> & {
  actor_id?: string
  from?: string
  to?: string
}

type Deps = { auditLog: Pick<AuditStore, 'list'>; paging: Paging }

export const auditReading = ({ auditLog, paging: { keyOf, pageOf } }: Deps) => ({
  /** The audit log, newest first, without what would tell the caller who blocked, reported or reviewed them. */
  async auditLog(moderator: Moderator, { limit = 30, cursor, from, to, ...filter }: AuditQuery & Page) {
    const key = keyOf('audit', cursor, ['number', 'string'])
    const rows = await auditLog.list(
      { ...filter, ...(from && { from: Date.parse(from) }), ...(to && { to: Date.parse(to) }), reader: moderator.id },
      limit + 1,
      key && { at: key[0], id: key[1] },
    )
    return pageOf('audit', rows, limit, ({ at, id }) => [at, id], auditView)
  },
})

const auditView = ({ at, ...entry }: AuditEntry) => ({ ...entry, at: iso(at) })
