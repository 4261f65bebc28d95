import type { Page, Side, Table, Target, Value } from '../copy.ts'
import { copyMark } from '../migrate.ts'
import { connect, type Database, openDatabase } from './database.ts'
import { unusable } from './failures.ts'
import { type Queries, queriesOn } from './queries.ts'
import { type ServerUrl, serversOf, shownUrl } from './url.ts'

type Ask = <T>(work: (q: Queries) => Promise<T>) => Promise<T>

/** The name distinguishes these connections from those of nodes. */
const settings = { application_name: 'convene copy', statement_timeout: '0', idle_in_transaction_session_timeout: '0' }

/**
 * Runs `work` on one snapshot, over a connection of its own to the first server that answers, even a standby. Throws an Error
 * for the operator if none answers, or if nodes are connected.
 */
export async function readSnapshot<T>(url: string, work: (source: Side) => Promise<T>): Promise<T> {
  return onOneConnection(url, async (client) => {
    await refuseNodes(url, queriesOn(client))
    return client.begin('isolation level repeatable read read only', (transaction) => {
      const q = queriesOn(transaction)
      return work(reader((ask) => ask(q)))
    })
  })
}

/**
 * The same beside running nodes, on the server that takes writes, because a standby may be behind. `q` sees the same snapshot,
 * and takes one statement at a time.
 */
export async function readSnapshotBesideNodes<T>(
  url: string,
  work: (snapshot: { source: Side; q: Queries; server: ServerUrl }) => Promise<T>,
): Promise<T> {
  return onOneConnection(
    url,
    (client, server) =>
      client.begin('isolation level repeatable read read only', (transaction) => {
        const q = queriesOn(transaction)
        return work({ source: reader((ask) => ask(q)), q, server })
      }),
    { writes: true },
  )
}

/** Runs `work` on the server that takes writes. Throws if nodes are connected. */
export async function onIdleServer<T>(
  url: string,
  work: (client: ReturnType<typeof connect>, server: ServerUrl) => Promise<T>,
): Promise<T> {
  return onOneConnection(
    url,
    async (client, server) => {
      await refuseNodes(url, queriesOn(client))
      return work(client, server)
    },
    { writes: true },
  )
}

/** Whether a copy into the database was begun and not finished. */
export const isHalfCopied = (url: string): Promise<boolean> =>
  onOneConnection(url, async (client) => hasNotes(queriesOn(client)))

/** Throws if nodes are connected. */
export const refuseAnyNode = (url: string): Promise<void> =>
  onOneConnection(url, (client) => refuseNodes(url, queriesOn(client)))

/** A migrated database to copy into. Throws if nodes are connected. */
export async function openTarget(url: string): Promise<Target & { close(): Promise<void> }> {
  await refuseAnyNode(url)
  const db = await openDatabase(url, { settings, max: 2 })
  return { ...target(db), close: db.close }
}

async function onOneConnection<T>(
  url: string,
  work: (client: ReturnType<typeof connect>, server: ServerUrl) => Promise<T>,
  { writes = false }: { writes?: boolean } = {},
): Promise<T> {
  let failure: unknown
  for (const server of serversOf(url).servers) {
    const client = connect(server, settings, { max: 1 })
    try {
      const isWanted = await client.unsafe('SHOW transaction_read_only').then(
        ([row]) => {
          if (!writes || row.transaction_read_only === 'off') return true
          failure ??= new Error(`${shownUrl(url)} can only be read: name its primary in DATABASE_URL`)
          return false
        },
        (error) => {
          failure ??= unusable(url, error)
          return false
        },
      )
      if (isWanted) return await work(client, server)
    } finally {
      await client.close({ timeout: 0 })
    }
  }
  throw failure
}

async function refuseNodes(url: string, q: Queries) {
  // A connection of ours that was just closed takes a while to disappear.
  for (let attempt = 1; ; attempt++) {
    const others = await q.one<{ connections: number }>(nodes)
    if (others.connections === 0) return
    if (attempt === 20)
      throw new Error(
        `nodes of Convene use ${shownUrl(url)} (${others.connections} connections): stop all of them first`,
      )
    await Bun.sleep(100)
  }
}

// Engines that do not list their connections report none.
const nodes = `
  SELECT count(*) AS connections FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'convene' AND pid <> pg_backend_pid()`

const hasNotes = async (q: Queries) =>
  (await q.get('SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = $1', [
    copyMark,
  ])) !== null

const columnsOf = ({ columns }: Table) => columns.map(({ name }) => name).join()

function reader(ask: Ask): Side {
  return {
    count: ({ name }) => ask(async (q) => (await q.one<{ n: number }>(`SELECT count(*) AS n FROM ${name}`)).n),

    async read(table, after, limit): Promise<Page> {
      const { name, columns, key } = table
      const past = after === null ? '' : `WHERE (${key.join()}) > (${key.map((_, i) => `$${i + 1}`).join()})`
      const found = await ask((q) =>
        q.all<Record<string, Value>>(
          `SELECT ${columnsOf(table)} FROM ${name} ${past} ORDER BY ${key.join()} LIMIT ${limit}`,
          after ?? [],
        ),
      )
      return {
        rows: found.map((row) => columns.map((column) => row[column.name] ?? null)),
        keys: found.map((row) => key.map((column) => row[column] ?? null)),
      }
    },
  }
}

function target(db: Database): Target {
  return {
    ...reader(db.read),

    notes: () =>
      db.read(async (q) => {
        if (!(await hasNotes(q))) return null
        const notes = await q.all<{ name: string; note: string }>(`SELECT name, note FROM ${copyMark}`)
        return new Map(notes.map(({ name, note }) => [name, note]))
      }),

    async begin(name, note) {
      await db.write(async (tx) => {
        await tx.run('DELETE FROM community')
        await tx.run(`CREATE TABLE ${copyMark} (name text PRIMARY KEY, note text NOT NULL)`)
        await tx.run(`INSERT INTO ${copyMark} (name, note) VALUES ($1, $2)`, [name, note])
      })
    },

    async write(table, rows, note) {
      const columns = table.columns.map(({ kind, type }, i) =>
        kind === 'bytes' ? `decode(c${i}, 'hex')` : kind === 'text' ? `c${i}` : `c${i}::${type}`,
      )
      const names = table.columns.map((_, i) => `c${i}`).join()
      const arrays = table.columns.map((_, i) => `$${i + 1}::text[]`).join()
      const insert = `INSERT INTO ${table.name} (${columnsOf(table)}) SELECT ${columns.join()} FROM unnest(${arrays}) AS u (${names})`
      const values = table.columns.map((_, i) => rows.map((row) => asText(row[i] ?? null)))
      await db.write((tx) =>
        Promise.all([
          tx.run(insert, values),
          tx.run(
            `INSERT INTO ${copyMark} (name, note) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET note = excluded.note`,
            [table.name, note],
          ),
        ]),
      )
    },

    async verifyCopy(tables) {
      // Until the server has updated its statistics, the planner would take the tables for empty.
      for (const { name } of tables) await db.statement((q) => q.run(`ANALYZE ${name}`))
    },

    async finish() {
      await db.statement((q) => q.run(`DROP TABLE ${copyMark}`))
    },
  }
}

const asText = (value: Value): string | null =>
  value === null ? null : value instanceof Uint8Array ? value.toHex() : String(value)
