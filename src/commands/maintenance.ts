import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { auditService } from '../features/audit/service.ts'
import { type Maintenance, longestText, readMaintenance } from '../features/maintenance/rules.ts'
import { lookEveryMs, maintenanceMode, storedAs } from '../features/maintenance/service.ts'
import { ids } from '../lib/ids.ts'
import { iso } from '../lib/time.ts'
import type { Storage } from '../storage/storage.ts'
import { thrown, UsageError } from './command.ts'
import { besideServer } from './database.ts'

export const help = `usage: convene maintenance on TEXT [--retry-after SECONDS]
       convene maintenance off
       convene maintenance status [--json]

During maintenance people can read but not write: every write is answered 503 with the code maintenance and TEXT, which the app
shows. It applies to all nodes, also after a restart, until it is turned off. When the command returns, it is in force.

  on      turns it on, or changes TEXT. Clients try again after 60 seconds, or after --retry-after
  off     turns it off
  status  shows whether it is on. Exit code: 0 in both cases

Signing in with a password or a passkey, signing out, and the routes of moderators and admins still work. Scheduled jobs and
deliveries continue: to pause those too, stop the server.`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' }, 'retry-after': { type: 'string' } },
    allowPositionals: true,
  })
  const [action, text, ...more] = positionals
  if (action !== 'on' && action !== 'off' && action !== 'status')
    throw new UsageError('maintenance takes on, off or status')
  const surplus = action === 'on' ? more[0] : text
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}'; put TEXT in quotes`)
  if (values['retry-after'] !== undefined && action !== 'on') throw new UsageError('--retry-after goes with on')
  if (values.json && action !== 'status') throw new UsageError('--json goes with status')
  const next = action === 'on' ? begun(text, values['retry-after'] ?? '60') : null
  if (action === 'status')
    return besideServer(readConfig(), async ({ community }) => show(await storedIn(community), values.json ?? false))
  await besideServer(readConfig(), async (storage) => {
    const before = await storedIn(storage.community)
    const maintenance = next && before ? { ...next, since: before.since } : next
    await maintenanceMode({ store: storage.community, onChange() {} }).set(maintenance)
    const audit = auditService({ store: storage.audit, ids, now: Date.now, failed: thrown })
    await audit.record(`maintenance_${action}`, null)
  })
  // Each node looks once a second.
  await Bun.sleep(2 * lookEveryMs)
  console.log(action === 'on' ? 'maintenance is on: people can read but not write' : 'maintenance is off')
}

const storedIn = async (community: Storage['community']) => readMaintenance((await community.all()).get(storedAs))

function begun(text: string | undefined, retryAfter: string): Maintenance {
  const told = text?.trim() ?? ''
  // oxlint-disable-next-line no-control-regex -- it is shown in one line
  if (told === '' || [...told].length > longestText || /[\x00-\x1f\x7f]/.test(told))
    throw new UsageError(
      `maintenance on takes the TEXT that people are shown: one line of at most ${longestText} characters`,
    )
  const retryAfterS = Number(retryAfter)
  if (!/^\d{1,5}$/.test(retryAfter) || retryAfterS < 1 || retryAfterS > 86_400)
    throw new UsageError('--retry-after must be a whole number of seconds from 1 to 86400')
  return { text: told, since: Date.now(), retryAfterS }
}

function show(maintenance: Maintenance | null, json: boolean) {
  const shown = maintenance && {
    text: maintenance.text,
    since: iso(maintenance.since),
    retry_after_s: maintenance.retryAfterS,
  }
  if (json) return console.log(JSON.stringify({ maintenance: shown }))
  console.log(shown === null ? 'maintenance is off' : `maintenance is on since ${shown.since}: ${shown.text}`)
}
