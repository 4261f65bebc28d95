import { SQL } from 'bun'
import { afterAll } from 'bun:test'
import { up } from '../src/storage/migrate.ts'
import { openDatabase as openPostgres } from '../src/storage/postgres/database.ts'
import { openMigrator } from '../src/storage/postgres/migrate.ts'
import { postgresStorage } from '../src/storage/postgres/storage.ts'
import { openDatabase as openSqlite, sqliteStorage, withDrizzle } from '../src/storage/sqlite/storage.ts'
import type { Storage } from '../src/storage/storage.ts'

export type Engine = {
  name: 'SQLite' | 'PostgreSQL'
  /** Why its tests cannot run here; null where they can. */
  skipped: string | null
  /** A migrated, empty database of its own. Closing the storage removes it. */
  open(): Promise<Storage>
}

const server = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

const admin = new SQL(server, { max: 1, connectionTimeout: 3, idleTimeout: 1 })
const isThere = await admin.unsafe('SELECT 1').then(
  () => true,
  () => false,
)

/** Null where a PostgreSQL answers on TEST_DATABASE_URL. */
export const noPostgres = isThere ? null : 'skipped: no PostgreSQL'

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

const sqlite: Engine = {
  name: 'SQLite',
  skipped: null,
  async open() {
    const client = openSqlite(':memory:')
    up(client)
    return sqliteStorage(withDrizzle(client), {
      onFatal(error) {
        throw error
      },
    })
  },
}

const postgres: Engine = {
  name: 'PostgreSQL',
  skipped: noPostgres,
  async open() {
    const database = await migratedPostgres()
    const storage = postgresStorage(await openPostgres(database.url)) as Storage
    return {
      ...storage,
      async close() {
        await storage.close()
        await database.drop()
      },
    }
  },
}

/** Every engine, the embedded one first. */
export const engines: readonly Engine[] = [sqlite, postgres]

/** The one that `testApp` runs on: CONVENE_TEST_ENGINE=postgres for the other. */
export const engineOfApps = process.env.CONVENE_TEST_ENGINE === 'postgres' ? postgres : sqlite
