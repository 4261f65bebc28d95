import { SQL } from 'bun'
import { Database } from 'bun:sqlite'
import { afterAll, test } from 'bun:test'
import { tables } from '../src/storage/copy.ts'
import { up } from '../src/storage/migrate.ts'
import { openDatabase as openPostgres } from '../src/storage/postgres/database.ts'
import { queriesOn } from '../src/storage/postgres/queries.ts'
import { openMigrator } from '../src/storage/postgres/migrate.ts'
import { postgresStorage } from '../src/storage/postgres/storage.ts'
import { configure } from '../src/storage/sqlite/database.ts'
import { type Db, openDatabase as openSqlite, sqliteStorage, withDrizzle } from '../src/storage/sqlite/storage.ts'
import type { Storage } from '../src/storage/storage.ts'

export type Engine = {
  name: 'SQLite' | 'PostgreSQL'
  /** Why its tests cannot run here; null where they can. */
  skipped: string | null
  /** Lists its tables by name, as SQL. */
  catalogue: string
  /** A migrated, empty database of its own. */
  open(options?: { now?: () => number }): Promise<Opened>
}

/**
 * Rows by SQL that both engines take, with `?` for each value: what a test looks at, or sets, beside the product's own
 * ways. What SQLite keeps as 0 and 1 is true and false in PostgreSQL.
 */
// oxlint-disable-next-line no-explicit-any -- a row is what the statement asks for
export type Rows = <Row = Record<string, any>>(sql: string, ...values: (string | number | null)[]) => Promise<Row[]>

export type Remembered = {
  /** The tables that hold something else than then. */
  changed(): Promise<string[]>
  restore(tables: readonly string[]): Promise<void>
}

export type Opened = {
  /** Closing it removes the database. */
  storage: Storage
  rows: Rows
  /** SQLite itself; null on the other engine. */
  db: Db | null
  /** Another pool of connections to the same database, as another node has. */
  another(): Promise<Storage>
  /** Remembers every row, to bring it all back as it is now. */
  remember(): Promise<Remembered>
}

const server = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

// What needs no other server is tested without one, which is faster: `bun run test` says so.
const isWanted = server !== 'none'
const admin = new SQL(isWanted ? server : 'postgres://127.0.0.1/postgres', {
  max: 1,
  connectionTimeout: 3,
  idleTimeout: 1,
})
const isThere =
  isWanted &&
  (await admin.unsafe('SELECT 1').then(
    () => true,
    () => false,
  ))

/** Null where a PostgreSQL answers on TEST_DATABASE_URL. */
export const noPostgres = isThere ? null : isWanted ? 'skipped: no PostgreSQL' : 'skipped: TEST_DATABASE_URL is none'

let made = 0
const nextName = () => `convene_test_${process.pid}_${Date.now().toString(36)}_${++made}`

let swept: Promise<unknown> | null = null

/** Drops what runs have left that were killed: whose process is gone, and which are too old to be another machine's. */
async function sweepDatabases() {
  const left: { name: string }[] = await admin.unsafe(
    "SELECT datname AS name FROM pg_database WHERE datname LIKE 'convene\\_test\\_%'",
  )
  for (const { name } of left) {
    const [, pid, at] = /^convene_test_(\d+)_([0-9a-z]+)_\d+$/.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid)) || Date.now() - Number.parseInt(at!, 36) < 600_000) continue
    // Another run may be dropping it too; and one that somebody is connected to stays.
    await admin.unsafe(`DROP DATABASE IF EXISTS ${name}`).catch(() => {})
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** A new database: empty, or like another one. Answers its URL, and what removes it. */
export async function newPostgres({ template }: { template?: string } = {}): Promise<{
  url: string
  name: string
  drop(): Promise<void>
}> {
  await (swept ??= sweepDatabases())
  const name = nextName()
  if (template !== undefined) await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  // Of a locale whose order is not that of bytes, so that it shows where an order depends on it.
  else
    await admin
      .unsafe(
        `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
      )
      .catch(() => admin.unsafe(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
  const url = new URL(server)
  url.pathname = `/${name}`
  // Many run at once, and a server takes a hundred connections.
  url.searchParams.set('max', '4')
  return {
    url: url.href,
    name,
    async drop() {
      await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    },
  }
}

let template: ReturnType<typeof migratedTemplate> | null = null

async function migratedTemplate() {
  const database = await newPostgres()
  const migrator = await openMigrator(database.url)
  await migrator.up()
  await migrator.close()
  return database
}

/** A migrated database of its own. */
export async function migratedPostgres() {
  template ??= migratedTemplate()
  return newPostgres({ template: (await template).name })
}

afterAll(async () => {
  await (await template)?.drop()
  template = null
})

let migrated: Uint8Array | null = null

/** An empty database in memory. The migrations run once, and every further database is a copy of the first one. */
function inMemory(now: () => number): Database {
  if (migrated === null) {
    const first = openSqlite(':memory:')
    up(first, { now })
    migrated = first.serialize()
    first.close()
  }
  const client = Database.deserialize(migrated, { strict: true })
  configure(client)
  return client
}

/** SQLite in memory, or in that file. */
export async function openSqliteAt(
  path: string,
  now: () => number = Date.now,
  { commits }: { commits?: Int32Array } = {},
): Promise<Opened> {
  const client = path === ':memory:' ? inMemory(now) : openSqlite(path)
  if (path !== ':memory:') up(client, { now })
  const db = withDrizzle(client)
  const storage = sqliteStorage(db, {
    commits,
    onFatal(error) {
      throw error
    },
  })
  return {
    storage,
    db,
    rows: async <Row>(sql: string, ...values: (string | number | null)[]) =>
      client.query<Row, (string | number | null)[]>(sql).all(...values),
    another: () => Promise.reject(new Error('SQLite is of one node')),

    async remember() {
      const names = client.query<{ name: string }, []>(sqlite.catalogue).all()
      client.run("ATTACH ':memory:' AS remembered")
      const before = names.map(({ name }) => {
        client.run(`CREATE TABLE remembered.${name} AS SELECT * FROM main.${name}`)
        const rows = client.prepare(`SELECT * FROM main.${name}`)
        return { name, rows, was: JSON.stringify(rows.all()) }
      })
      return {
        changed: async () =>
          before.filter(({ rows, was }) => JSON.stringify(rows.all()) !== was).map(({ name }) => name),
        async restore(tables) {
          // The reads of this turn of the event loop share a transaction, in which the keys cannot be switched off.
          if (client.inTransaction) client.run('COMMIT')
          client.run('PRAGMA foreign_keys = OFF')
          client.transaction(() => {
            for (const name of tables) {
              client.run(`DELETE FROM main.${name}`)
              // Without generated columns, which take no values.
              const columns = client
                .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
                .all(name)
              const stored = columns.map((column) => column.name).join()
              client.run(`INSERT INTO main.${name} (${stored}) SELECT ${stored} FROM remembered.${name}`)
            }
          })()
          client.run('PRAGMA foreign_keys = ON')
        },
      }
    },
  }
}

const sqlite: Engine = {
  name: 'SQLite',
  skipped: null,
  catalogue: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  open: ({ now } = {}) => openSqliteAt(':memory:', now),
}

type Pooled = Awaited<ReturnType<typeof newPostgres>> & { client: SQL }

// Making and dropping one takes longer than most tests: it is emptied for the next one.
const pooled = new Set<Pooled>()
const free: Pooled[] = []
const emptied = [
  'DROP SCHEMA IF EXISTS remembered CASCADE',
  ...tables.toReversed().map(({ name }) => `DELETE FROM ${name}`),
  // Copied nowhere.
  'DELETE FROM job_turns',
  'DELETE FROM nodes',
].join(';')

async function takePostgres(): Promise<Pooled> {
  const one = free.pop()
  if (one) return one
  const database = await newPostgres()
  const migrator = await openMigrator(database.url)
  await migrator.up()
  await migrator.close()
  const made = { ...database, client: new SQL(database.url, { max: 1 }) }
  pooled.add(made)
  return made
}

async function giveBack(database: Pooled) {
  try {
    await database.client.unsafe(emptied).simple()
    free.push(database)
  } catch {
    // The test has changed more than rows.
    await remove(database)
  }
}

async function remove(database: Pooled) {
  pooled.delete(database)
  await database.client.close()
  await database.drop()
}

afterAll(async () => {
  free.length = 0
  await Promise.all([...pooled].map(remove))
})

const postgres: Engine = {
  name: 'PostgreSQL',
  skipped: noPostgres,
  catalogue: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  async open() {
    const database = await takePostgres()
    const { client } = database
    const pools: Storage[] = []
    async function another() {
      const storage = postgresStorage(await openPostgres(database.url, { max: 3 }))
      pools.push(storage)
      return storage
    }
    const first = await another().catch(async (error) => {
      await giveBack(database)
      throw error
    })
    return {
      storage: {
        ...first,
        async close() {
          await Promise.all(pools.map((pool) => pool.close()))
          await giveBack(database)
        },
      },
      db: null,
      async rows(sql, ...values) {
        let n = 0
        return queriesOn(client).all(
          sql.replaceAll('?', () => `$${++n}`),
          values,
        )
      },
      another,

      async remember() {
        const names = tables.map(({ name }) => name)
        const copies = names.map((name) => `CREATE TABLE remembered.${name} AS TABLE ${name};`)
        await client.unsafe(`CREATE SCHEMA remembered; ${copies.join('')}`).simple()
        const differing = names.map(
          (name) => `SELECT '${name}' AS name WHERE EXISTS
            ((TABLE ${name} EXCEPT ALL TABLE remembered.${name}) UNION ALL (TABLE remembered.${name} EXCEPT ALL TABLE ${name}))`,
        )
        // A look at who wrote the rows is quick, and says that nothing was written.
        const counted = names.map((name) => `SELECT count(*) AS rows, max(xmin::text::int8) AS writer FROM ${name}`)
        const stamp = async () => JSON.stringify(await client.unsafe(counted.join(' UNION ALL ')))
        let stamped = await stamp()
        return {
          async changed() {
            if ((await stamp()) === stamped) return []
            return (await client.unsafe(differing.join(' UNION ALL '))).map(({ name }: { name: string }) => name)
          },
          async restore(changed) {
            const steps = changed.map((name) => {
              const stored = tables.find((table) => table.name === name)!.columns.map((column) => column.name)
              return `DELETE FROM ${name}; INSERT INTO ${name} (${stored}) SELECT ${stored} FROM remembered.${name};`
            })
            // Without the keys, so that the order of the tables does not matter.
            await client
              .unsafe(`SET session_replication_role = replica; ${steps.join('')} RESET session_replication_role`)
              .simple()
            stamped = await stamp()
          },
        }
      },
    }
  },
}

/** Every engine, the embedded one first. */
export const engines: readonly Engine[] = [sqlite, postgres]

const asked = process.env.CONVENE_TEST_ENGINE || 'sqlite'
if (!['sqlite', 'postgres', 'cluster', 'workers'].includes(asked))
  throw new Error(`no CONVENE_TEST_ENGINE is named ${asked}`)

/** The one that `testApp` runs on: CONVENE_TEST_ENGINE=postgres for the other. */
export const engineOfApps = asked === 'sqlite' || asked === 'workers' ? sqlite : postgres

/**
 * How many nodes make one app: CONVENE_TEST_ENGINE=cluster for three, on PostgreSQL and Redis, behind nginx; workers for the
 * three threads of one server.
 */
export const nodesOfApps = asked === 'cluster' || asked === 'workers' ? 3 : 1

/** Whether those nodes are threads. */
export const areThreads = asked === 'workers'

type Run = () => void | Promise<void>
const testUnless = (reason: string | null) => (name: string, run: Run, timeout?: number) =>
  reason === null ? test(name, run, timeout) : test.skip(`${name} (skipped: ${reason})`, run)

/** A test that looks into SQLite itself. */
export const sqliteTest = testUnless(engineOfApps === sqlite ? null : 'it looks into SQLite itself')

/** A test that looks into PostgreSQL itself. */
export const postgresTest = testUnless(engineOfApps === postgres ? null : 'it looks into PostgreSQL itself')

/** A test that replaces timers or functions of its one node, which a database elsewhere would miss. */
export const oneSqliteNodeTest = testUnless(
  engineOfApps === sqlite && nodesOfApps === 1 ? null : 'it replaces parts of one node on SQLite',
)

/** A test that cannot hold where the nodes are threads, for that reason. */
export const exceptThreads = (reason: string) => testUnless(areThreads ? reason : null)

/** A test that cannot hold on several nodes, for that reason. */
export const oneNodeTest = (reason: string) => testUnless(nodesOfApps === 1 ? null : reason)
