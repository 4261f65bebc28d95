import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Config, DatabaseConfig } from '../config.ts'
import { MigrationError } from '../storage/migrate.ts'
import { refuseForeign, statusOf } from '../storage/open.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../storage/sqlite/storage.ts'
import type { Storage } from '../storage/storage.ts'
import { thrown } from './command.ts'

type Where = Pick<Config, 'database'>

/** The path of an SQLite database. Throws for another engine, saying what to use there instead. */
export function sqlitePath({ database }: Where, instead: string): string {
  if (database.engine === 'sqlite') return database.path
  throw new Error(`this is for an SQLite database, and DATABASE_URL names a PostgreSQL one: ${instead}`)
}

/** Throws where there is no database yet, or none that this user may see. */
export function requireDatabase(databasePath: string) {
  try {
    statSync(databasePath)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new Error(`${databasePath} cannot be looked at (${code}): run this as the user that runs the server`, {
        cause: error,
      })
    throw new Error(`there is no database at ${databasePath}: look at DATA_DIR, or start the server once to make it`, {
      cause: error,
    })
  }
}

/** The SQLite database for this process alone; made where there is none. Throws where a server, or anything else, uses it. */
export async function openAlone(path: string): Promise<Database> {
  await refuseForeign({ engine: 'sqlite', path })
  return openDatabase(path, { alone: true })
}

// A server's group of writes takes some milliseconds, its longest job a few hundred.
const patienceMs = 5000

type Beside = { storage: Storage; close(): Promise<void> }

/** Storage beside running servers, its schema up to date. Do little and close it: a server does not wait for us. */
export async function openBesideServer({ database }: Where): Promise<Beside> {
  if (database.engine === 'sqlite') requireDatabase(database.path)
  const missing = (await statusOf(database)).filter(({ applied_at }) => applied_at === null)
  if (missing.length > 0)
    throw new MigrationError(
      `this database is ${missing.length} migrations behind: run convene migrate up, or start the server once`,
    )
  return database.engine === 'sqlite' ? besideFile(database) : besideNodes(database)
}

function besideFile({ path }: DatabaseConfig & { engine: 'sqlite' }): Beside {
  const client = openDatabase(path)
  client.run(`PRAGMA busy_timeout = ${patienceMs}`)
  const storage = sqliteStorage(withDrizzle(client), { onFatal: thrown })
  return {
    storage,
    async close() {
      // What was read in this turn is let go of at its end.
      await setImmediate()
      // Not storage.close, which would hold the server up for a checkpoint of the whole log.
      client.close()
    },
  }
}

async function besideNodes({ url }: DatabaseConfig & { engine: 'postgres' }): Promise<Beside> {
  const { openPostgres } = await import('../storage/postgres/open.ts')
  const { storage } = await openPostgres(url, {})
  return { storage, close: storage.close }
}
