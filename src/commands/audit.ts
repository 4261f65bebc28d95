import { createWriteStream, existsSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { auditService } from '../features/audit/service.ts'
import type { AuditFilter } from '../features/audit/store.ts'
import { auditLines } from '../features/moderation/audit-reading.ts'
import { ids } from '../lib/ids.ts'
import { iso } from '../lib/time.ts'
import { thrown, UsageError } from './command.ts'
import { besideServer } from './database.ts'

export const help = `usage: convene audit export FILE [--csv] [--from TIME] [--to TIME] [--action ACTION] [--actor ID] [--subject ID]

Writes the audit log to FILE, newest entry first: one JSON object per line, or CSV. FILE must not exist yet, and only this user
can read it. TIME is 2026-12-01 or 2026-12-01T18:00:00Z. Works while the server runs, and is itself written to the audit log.

The log names accounts by their ids. Entries are removed after 730 days, or as RETENTION says: export them before if you must
keep them.`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    args,
    options: { csv: { type: 'boolean' }, from: text, to: text, action: text, actor: text, subject: text },
    allowPositionals: true,
  })
  const [action, file, ...more] = positionals
  if (action !== 'export') throw new UsageError('audit takes export')
  if (file === undefined) throw new UsageError('where to? audit export FILE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const now = Date.now()
  const filter: AuditFilter = {
    ...(values.from !== undefined && { from: timeOf('--from', values.from) }),
    // Entries added during the export are not included.
    to: Math.min(values.to === undefined ? Infinity : timeOf('--to', values.to), now),
    ...(values.action !== undefined && { action: values.action }),
    ...(values.actor !== undefined && { actor_id: values.actor.toLowerCase() }),
    ...(values.subject !== undefined && { subject_id: values.subject.toLowerCase() }),
  }
  const path = resolve(file)
  if (existsSync(path)) throw new Error(`${path} exists: choose another name`)
  if (!existsSync(dirname(path))) throw new Error(`there is no directory ${dirname(path)}`)
  const count = await exportTo(path, filter, values.csv ? 'csv' : 'jsonl')
  console.log(`${count} ${count === 1 ? 'entry is' : 'entries are'} in ${path}`)
}

async function exportTo(path: string, filter: AuditFilter, format: 'jsonl' | 'csv'): Promise<number> {
  return besideServer(readConfig(), async (storage) => {
    let count = format === 'csv' ? -1 : 0
    async function* counted() {
      for await (const line of auditLines(storage.audit, filter, format)) {
        count++
        yield line
      }
    }
    try {
      // Audited first, so that nobody gets the file without an entry.
      const audit = auditService({ store: storage.audit, ids, now: Date.now, failed: thrown })
      await audit.record('audit_exported', null, null, { format, ...shown(filter) })
      await pipeline(Readable.from(counted()), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
      return count
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
  })
}

const shown = ({ from, to, ...filter }: AuditFilter) => ({
  ...filter,
  ...(from !== undefined && { from: iso(from) }),
  ...(to !== undefined && { to: iso(to) }),
})

function timeOf(name: string, text: string): number {
  const at = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`${name} must be a time such as 2026-12-01 or 2026-12-01T18:00:00Z`)
  return at
}
