import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { iso } from '../lib/time.ts'
import type { Parcel } from '../outbox/store.ts'
import type { Storage } from '../storage/storage.ts'
import { UsageError } from './command.ts'
import { besideServer } from './database.ts'

export const help = `usage: convene webhooks list [--limit N] [--json]
       convene webhooks retry [ID] [--json]

Shows and retries the webhooks that the receiver at WEBHOOK_URL has not accepted yet. Works while the server runs.

  list   shows the oldest 50, or N: type, ids, when each was made, when it is tried next, how often it failed, and the last error
  retry  makes one, or all, due now; a running server tries it within a second. Those of one user still arrive in order`

export const onlyOurDatabase = true

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: 'boolean' }, limit: { type: 'string', default: '50' } },
    allowPositionals: true,
  })
  const [action, id, ...more] = positionals
  const surplus = action === 'list' ? id : more[0]
  if (action !== 'list' && action !== 'retry') throw new UsageError('webhooks takes list or retry')
  if (surplus !== undefined) throw new UsageError(`unexpected argument '${surplus}'`)
  const limit = Number(values.limit)
  if (!/^\d{1,6}$/.test(values.limit) || limit < 1) throw new UsageError('--limit must be a whole number from 1')
  const json = values.json ?? false
  await besideServer(readConfig(), (storage) =>
    action === 'list' ? list(storage, limit, json) : retry(storage, id, json),
  )
}

async function list({ outbox }: Storage, limit: number, json: boolean) {
  const waiting = (await outbox.list('webhook', limit)).map(shown)
  if (json) return console.log(JSON.stringify(waiting))
  if (waiting.length === 0) return console.log('no webhook waits')
  for (const { id, type, data, created_at, due_at, attempts, last_error } of waiting)
    console.log(
      `${id} ${type} ${JSON.stringify(data)}, made ${created_at}, next ${due_at}, failed ${attempts} times${last_error === null ? '' : `: ${last_error}`}`,
    )
}

async function retry({ outbox }: Storage, id: string | undefined, json: boolean) {
  const count = await outbox.retry({ kind: 'webhook', ...(id !== undefined && { id }) }, Date.now())
  if (count === 0 && id !== undefined) throw new Error(`no webhook with the id ${id} waits`)
  console.log(json ? JSON.stringify({ count }) : `due now: ${count}`)
}

const shown = ({ id, payload, created_at, due_at, attempts, last_error }: Parcel) => ({
  ...{ id, type: 'about' in payload ? payload.about : null, data: 'data' in payload ? payload.data : null },
  ...{ created_at: iso(created_at), due_at: iso(due_at), attempts, last_error },
})
