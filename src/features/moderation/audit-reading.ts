import type { Page, Paging } from '../../lib/paging.ts'
import { batches } from '../../lib/batches.ts'
import { chunks } from '../../lib/chunks.ts'
import { csvLine } from '../../lib/csv.ts'
import { iso } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import type { AuditEntry, AuditFilter, AuditStore } from '../audit/store.ts'
import type { Moderator } from './moderators.ts'

type AuditQuery = Pick<AuditFilter, 'subject_id' | 'action'> & {
  actor_id?: string
  from?: string
  to?: string
}

type Log = Pick<AuditStore, 'list'>

type Deps = { auditLog: Log; audit: Audit; paging: Paging; now: () => number }

export function auditReading({ auditLog, audit, paging: { keyOf, pageOf }, now }: Deps) {
  const filterOf = (moderator: Moderator, { from, to, ...filter }: AuditQuery): AuditFilter => ({
    ...filter,
    ...(from && { from: Date.parse(from) }),
    ...(to && { to: Date.parse(to) }),
    reader: moderator.id,
  })

  return {
    /** The audit log, newest first, without entries that would tell the caller who blocked, reported or reviewed them. */
    async auditLog(moderator: Moderator, { limit = 30, cursor, ...filter }: AuditQuery & Page) {
      const key = keyOf('audit', cursor, ['number', 'string'])
      const rows = await auditLog.list(filterOf(moderator, filter), limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('audit', rows, limit, ({ at, id }) => [at, id], auditView)
    },

    /** The same as a file without pages. The export itself is recorded in the log. */
    async auditFile(
      moderator: Moderator,
      format: 'jsonl' | 'csv',
      { limit: _, cursor: __, ...query }: AuditQuery & Page,
    ) {
      const filter = filterOf(moderator, query)
      // Entries added during the export are not included.
      const to = Math.min(filter.to ?? Number.POSITIVE_INFINITY, now())
      await audit.record('audit_exported', moderator.id, null, { format, ...query })
      return chunks(auditLines(auditLog, { ...filter, to }, format))
    },
  }
}

/** All entries of a filter, newest first, in bounded memory. */
async function* entriesOf(auditLog: Log, filter: AuditFilter): AsyncGenerator<ReturnType<typeof auditView>> {
  const read = (last: AuditEntry | null) => auditLog.list(filter, batch, last)
  for await (const rows of batches(batch, read)) yield* rows.map(auditView)
}

/** The lines of a file of these entries, newest first. */
export async function* auditLines(auditLog: Log, filter: AuditFilter, format: 'jsonl' | 'csv'): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns)
  for await (const entry of entriesOf(auditLog, filter))
    yield format === 'csv'
      ? csvLine(columns.map((name) => (name === 'metadata' ? JSON.stringify(entry.metadata) : entry[name])))
      : `${JSON.stringify(entry)}\n`
}

const batch = 500

const columns = ['id', 'at', 'actor_id', 'action', 'subject_id', 'metadata'] as const

const auditView = ({ at, ...entry }: AuditEntry) => ({ ...entry, at: iso(at) })
