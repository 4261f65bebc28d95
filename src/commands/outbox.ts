import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { iso } from '../lib/time.ts'
import { type Kind, outboxKinds, type Parcel } from '../outbox/store.ts'
import type { Storage } from '../storage/storage.ts'
import { UsageError } from './command.ts'
import { besideServer } from './database.ts'

export const help = `usage: convene outbox list [KIND] [--limit N] [--json]
       convene outbox retry ID|KIND [--json]
       convene outbox drop ID|KIND --yes [--json]

Shows and changes the outbox: what the server has yet to deliver, such as mails and notifications. Works while the server runs.
Kinds: ${outboxKinds.join(', ')}.

  list     shows the oldest 50, or N: when each was made, when it is tried next, how often it failed, and the last error
  retry    makes one, or all of a kind, due now; a running server tries it within a second
  drop     removes one, or all of a kind, undelivered`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' }, yes: { type: 'boolean' }, limit: { type: 'string', default: '50' } },
    allowPositionals: true,
  })
  const [action, what, ...more] = positionals
  if (more.length > 0) throw new UsageError(`unexpected argument '${more[0]}'`)
  const json = values.json ?? false
  const limit = Number(values.limit)
  if (!/^\d{1,6}$/.test(values.limit) || limit < 1) throw new UsageError('--limit must be a whole number from 1')
  if (action === 'list') return besideServer(readConfig(), (storage) => list(storage, kindOf(what), limit, json))
  if (action !== 'retry' && action !== 'drop') throw new UsageError('outbox takes list, retry or drop')
  if (what === undefined) throw new UsageError(`outbox ${action} takes an id or a kind`)
  if (action === 'drop' && !values.yes) throw new UsageError(`add --yes to drop ${what} undelivered`)
  const kind = outboxKinds.find((kind) => kind === what)
  const which = kind === undefined ? { id: what } : { kind }
  await besideServer(readConfig(), async ({ outbox }) => {
    const count = action === 'retry' ? await outbox.retry(which, Date.now()) : await outbox.drop(which)
    if (count === 0 && kind === undefined) throw new Error(`nothing with the id ${what} waits`)
    console.log(json ? JSON.stringify({ count }) : `${action === 'retry' ? 'due now' : 'dropped'}: ${count}`)
  })
}

function kindOf(name: string | undefined): Kind | null {
  const kind = outboxKinds.find((kind) => kind === name)
  if (name !== undefined && kind === undefined) throw new UsageError(`the kind must be ${outboxKinds.join(' or ')}`)
  return kind ?? null
}

async function list({ outbox }: Storage, kind: Kind | null, limit: number, json: boolean) {
  const parcels = (await outbox.list(kind, limit)).map(shown)
  if (json) return console.log(JSON.stringify(parcels))
  if (parcels.length === 0) return console.log('nothing waits')
  for (const { id, kind, about, created_at, due_at, attempts, last_error } of parcels)
    console.log(
      `${id} ${kind}${about === null ? '' : ` ${about}`}, made ${created_at}, next ${due_at}, failed ${attempts} times${last_error === null ? '' : `: ${last_error}`}`,
    )
}

const shown = ({ id, kind, user_id, payload, created_at, due_at, attempts, last_error }: Parcel) => ({
  ...{ id, kind, about: 'about' in payload ? payload.about : null, user_id },
  ...{ created_at: iso(created_at), due_at: iso(due_at), attempts, last_error },
})
