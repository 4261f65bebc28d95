import type { SQL } from 'bun'
import { type Migration, migrations, onPostgres } from '../../../migrations/index.ts'
import { countOf, droppedBy, nameOf, type PlannedStep } from '../dropped.ts'
import {
  type Applied,
  appliedOf,
  type Compatible,
  compatibility,
  columns,
  copyMark,
  failed,
  label,
  makeCompatibility,
  MigrationError,
  type MigrationState,
  newest,
  statesOf,
  stepsDown,
  type WayDown,
} from '../migrate.ts'
import { connect } from './database.ts'
import { sqlstate, unusable } from './failures.ts'
import { type Queries, queriesOn } from './queries.ts'
import { serversOf } from './url.ts'

type Options = { now?: () => number; onStep?: (name: string) => void }

export type Migrator = {
  /** Each step in order, with the time it was applied or null. Changes nothing. */
  status(): Promise<MigrationState[]>
  /** Applies what is missing, each step in a transaction of its own. Returns the names of those applied here. */
  up(options?: Options & { to?: number }): Promise<string[]>
  /** What the steps down would remove. Changes nothing. */
  planDown(way: WayDown): Promise<PlannedStep[]>
  /** Undoes steps, each in a transaction of its own. Returns their names, the newest first. */
  down(options?: Options & WayDown): Promise<string[]>
  close(): Promise<void>
}

/**
 * Changes the schema over a connection of its own, to the first server of the URL that takes writes; `status` needs only one
 * that answers. Throws an Error for the operator if there is none.
 *
 * Nodes that start at once take turns by locking the one row of `schema_turn` for each step, the only kind of lock that all
 * engines have. A node that comes later finds the step applied and goes on to the next.
 *
 * `marked`: accepts a database with `copyMark`. Only for the command that has set the mark.
 */
export async function openMigrator(
  url: string,
  { writes = true, marked = false }: { writes?: boolean; marked?: boolean } = {},
): Promise<Migrator> {
  const client = await connection(url, writes)
  const db = queriesOn(client)
  // CockroachDB sorts by bytes anyway, and has no collation of that name.
  const { version } = await db.one<{ version: string }>('SELECT version()')
  const dialect = (text: string) => (/cockroach/i.test(version) ? text.replaceAll(' COLLATE "C"', '') : text)

  async function prepare() {
    const statements = [
      `CREATE TABLE IF NOT EXISTS ${turn} (id integer PRIMARY KEY)`,
      `INSERT INTO ${turn} (id) VALUES (1) ON CONFLICT DO NOTHING`,
      'CREATE TABLE IF NOT EXISTS schema_migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at text NOT NULL)',
    ]
    for (const statement of statements) await persistently(() => db.run(statement), alreadyThere)
  }

  /** Runs a step in one transaction, unless another node has. Returns whether it ran. */
  async function step(migration: Migration, isUp: boolean, now: () => number): Promise<boolean> {
    const { number, name, compatibleWith } = migration
    try {
      return await persistently(() =>
        client.begin(async (transaction) => {
          const tx = queriesOn(transaction)
          await tx.get(`SELECT id FROM ${turn} WHERE id = 1 FOR UPDATE`)
          const done = await tx.get('SELECT number FROM schema_migrations WHERE number = $1', [number])
          if ((done !== null) === isUp) return false
          // A write that waits for a table lock blocks all later ones, so give way to nodes that serve requests.
          await tx.run(`SET LOCAL lock_timeout = '${tableLockMs}ms'`)
          await transaction.unsafe(dialect(onPostgres(migration)[isUp ? 'up' : 'down'])).simple()
          if (isUp)
            await tx.run(`INSERT INTO schema_migrations (${columns}) VALUES ($1, $2, $3)`, [
              number,
              name,
              new Date(now()).toISOString(),
            ])
          else await tx.run('DELETE FROM schema_migrations WHERE number = $1', [number])
          if (compatibleWith === undefined) return true
          if (isUp) {
            await tx.run(makeCompatibility)
            await tx.run(`INSERT INTO ${compatibility} VALUES ($1, $2)`, [number, compatibleWith])
          } else await tx.run(`DELETE FROM ${compatibility} WHERE number = $1`, [number])
          return true
        }),
      )
    } catch (error) {
      throw failed(migration, error)
    }
  }

  async function steps(list: readonly Migration[], isUp: boolean, { now = Date.now, onStep }: Options) {
    const done: string[] = []
    for (const migration of list) {
      if (await step(migration, isUp, now)) done.push(label(migration))
      onStep?.(label(migration))
    }
    return done
  }

  return {
    status: () => status(db),

    async up({ to = newest, ...options } = {}) {
      const before = await applied(db, marked)
      const missing = migrations.filter(({ number }) => number <= to && !before.has(number))
      if (missing.length === 0) return []
      await prepare()
      return steps(missing, true, options)
    },

    async planDown(way) {
      const plan: PlannedStep[] = []
      for (const migration of stepsDown(await applied(db), way)) {
        const losses: PlannedStep['losses'] = []
        for (const dropped of droppedBy(onPostgres(migration))) {
          const row = await db.one<{ n: number | string }>(countOf(dropped))
          losses.push({ name: nameOf(dropped), rows: Number(row.n) })
        }
        plan.push({ label: label(migration), losses })
      }
      return plan
    },

    async down({ now, onStep, ...way } = {}) {
      const list = stepsDown(await applied(db), way)
      return steps(list, false, { now, onStep })
    },

    close: () => client.close({ timeout: 5 }),
  }
}

const turn = 'schema_turn'

/** Each step in order, with the time it was applied or null. Throws if the database is not ours. */
export const status = async (db: Queries): Promise<MigrationState[]> => statesOf(await applied(db))

async function applied(db: Queries, marked = false): Promise<Applied> {
  const tables = await db.all<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
  )
  if (tables.every(({ name }) => name === turn)) return new Map()
  const ours = await db.all<{ name: string }>(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'schema_migrations' ORDER BY ordinal_position",
  )
  const isForeign = ours.map(({ name }) => name).join(', ') !== columns
  const rows = isForeign
    ? []
    : await db.all<{ number: number; name: string; applied_at: string }>(`SELECT ${columns} FROM schema_migrations`)
  const has = (table: string) => tables.some(({ name }) => name === table)
  const compatible = has(compatibility)
    ? await db.all<Compatible>(`SELECT number, compatible_with FROM ${compatibility}`)
    : []
  return appliedOf(rows, { isForeign, isHalfCopied: has(copyMark) && !marked, compatible })
}

async function connection(url: string, writes: boolean): Promise<SQL> {
  let failure: unknown
  for (const server of serversOf(url).servers) {
    // A step may take long, but should not wait long for a lock.
    const client = connect(server, { statement_timeout: '0', lock_timeout: '30s' }, { max: 1 })
    try {
      const row = await queriesOn(client).get<{ transaction_read_only: string }>('SHOW transaction_read_only')
      if (!writes || row?.transaction_read_only === 'off') return client
      failure ??= new MigrationError('this database can only be read: name its primary in DATABASE_URL')
    } catch (error) {
      failure = unusable(url, error)
    }
    await client.close({ timeout: 0 })
  }
  throw failure
}

// Errors of nodes that create the same table at once, in spite of IF NOT EXISTS.
const alreadyThere = /^(23505|42P07|42710)$/
// The last one is a lock timeout.
const transient = /^(40001|40P01|55P03)$/
const tableLockMs = 2000

/** Retries work that collided with nodes that started at the same time. */
async function persistently<T>(work: () => Promise<T>, collision = transient): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const state = sqlstate(error)
      if (attempt === 5 || !(collision.test(state) || transient.test(state))) throw error
      await Bun.sleep(Math.random() * 50 * 2 ** attempt)
    }
  }
}
