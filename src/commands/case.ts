import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { auditService } from '../features/audit/service.ts'
import type { WholeCase } from '../features/moderation/store.ts'
import type { Files } from '../features/media/files.ts'
import { actionOf } from '../features/safety/rules.ts'
import { shownAge } from '../features/profile/rules.ts'
import type { Evidence } from '../features/safety/store.ts'
import { ids } from '../lib/ids.ts'
import { iso } from '../lib/time.ts'
import { openFiles, tellOperator } from '../storage/files/open.ts'
import { thrown, UsageError } from './command.ts'
import { besideServer } from './database.ts'

export const help = `usage: convene case export REPORT FILE

Writes everything stored about a case to FILE as JSON, to preserve it for an authority: the report with its evidence and images,
the decisions and appeals, the entries in the audit log, and the name, e-mail address and phone number of both accounts. REPORT
is the id of a report. FILE must not exist yet; only this user can read it. Works while the server runs. The export is recorded
in the audit log.

Evidence is erased some time after the decision: export it before. Make sure that whoever asks for it is entitled to it.`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
  const [action, report, file, ...more] = positionals
  if (action !== 'export') throw new UsageError('case takes export')
  if (report === undefined || file === undefined)
    throw new UsageError('which report, and where to? case export REPORT FILE')
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const path = resolve(file)
  if (existsSync(path)) throw new Error(`${path} exists: choose another name`)
  if (!existsSync(dirname(path))) throw new Error(`there is no directory ${dirname(path)}`)
  await exportCase(report.toLowerCase(), path)
  console.log(`the case of the report ${report} is in ${path}`)
}

async function exportCase(reportId: string, path: string) {
  const config = readConfig()
  await besideServer(config, async (storage) => {
    if (!(await storage.moderation.report(reportId))) throw new Error(`there is no report with the id ${reportId}`)
    closeSync(openSync(path, 'wx', 0o600))
    try {
      // Audited first: nobody gets the file without an entry.
      const audit = auditService({ store: storage.audit, ids, now: Date.now, failed: thrown })
      await audit.record('case_exported', null, reportId)
      const found = await storage.moderation.wholeCase(reportId)
      if (!found) throw new Error(`the report ${reportId} has just been removed`)
      await Bun.write(path, `${JSON.stringify(await caseView(found, openFiles(config, tellOperator)), null, 2)}\n`)
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
  })
}

async function caseView({ report, accounts, notices, appeals, images, entries }: WholeCase, files: Files) {
  return {
    exported_at: iso(Date.now()),
    report: withTimes({
      ...report,
      action: actionOf(report),
      evidence: report.evidence && withAge(report.evidence, report.created_at),
    }),
    accounts: accounts.map(withTimes),
    decisions: notices.map(withTimes),
    appeals: appeals.map(withTimes),
    images: await Promise.all(
      images.map(async ({ file, ...image }) => {
        const bytes = await (await files.get(file))?.bytes()
        if (!bytes) return { ...withTimes(image), sha256: null, webp_base64: null }
        const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
        return { ...withTimes(image), sha256, webp_base64: Buffer.from(bytes).toString('base64') }
      }),
    ),
    audit_log: entries.map(withTimes),
  }
}

/** Replaces the month of birth by the age that others saw: only its owner's export contains the month. */
function withAge({ user, ...evidence }: Evidence, at: number) {
  if (user === null) return { ...evidence, user }
  const { shown_birth_month, ...profile } = user
  return { ...evidence, user: { ...profile, age: shownAge(shown_birth_month, at) } }
}

const isTime = (name: string) => name === 'at' || name === 'until' || name.endsWith('_at') || name.endsWith('_until')

/** A copy with every time as text, including those nested in it. */
const withTimes = (value: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(value), (name, inner: unknown) =>
    typeof inner === 'number' && isTime(name) ? iso(inner) : inner,
  )
