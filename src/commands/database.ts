import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { type DatabaseConfig, shownDatabase } from '../storage/database-url.ts'
import { MigrationError } from '../storage/migrate.ts'
import { refuseForeign, statusOf } from '../storage/open.ts'
import { isHalfRestored } from '../backup/restore-switch.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../storage/sqlite/storage.ts'
import type { Storage } from '../storage/storage.ts'
import { thrown } from './command.ts'
import { codeOf } from '../lib/errors.ts'

type Where = Pick<Config, 'database'>

/** The path of an SQLite database. Throws for another engine, and names the alternative. */
export function sqlitePath({ database }: Where, instead: string): string {
  if (database.engine === 'sqlite') return database.path
  throw new Error(`this is for an SQLite database, and DATABASE_URL names a PostgreSQL one: ${instead}`)
}

/** Adds the database's name to an error that comes from it and does not name it. */
export function namingDatabase(database: DatabaseConfig, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const isOfDatabase = error instanceof MigrationError || codeOf(error).startsWith('SQLITE_')
  const shown = shownDatabase(database)
  if (!isOfDatabase || error.message.startsWith(shown)) return error
  return new Error(`${shown}: ${error.message}`, { cause: error })
}

/** Throws if there is no database yet, this user cannot see it, or a restore is unfinished. */
export function requireDatabase(databasePath: string) {
  refuseHalfRestored(databasePath)
  try {
    statSync(databasePath)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new Error(`${databasePath} cannot be read (${code}): run this as the user that runs the server`, {
        cause: error,
      })
    throw new Error(`there is no database at ${databasePath}: check DATA_DIR, or start the server once to create it`, {
      cause: error,
    })
  }
}

function refuseHalfRestored(databasePath: string) {
  if (isHalfRestored(databasePath))
    throw new Error(
      `a restore of ${databasePath} was interrupted: start the server, or run convene restore, which finishes it`,
    )
}

/** The SQLite database, for this process alone; created if missing. Throws if anything else uses it. */
export async function openAlone(path: string): Promise<Database> {
  refuseHalfRestored(path)
  await refuseForeign({ engine: 'sqlite', path })
  return openDatabase(path, { alone: true })
}

// A server's group of writes takes some milliseconds, its longest job a few hundred.
const patienceMs = 5000

type Beside = { storage: Storage; close(): Promise<void> }

/** Runs `work` with the storage of running servers. It must be quick, because servers do not wait for a command. */
export async function besideServer<T>(config: Where, work: (storage: Storage) => Promise<T>): Promise<T> {
  const { storage, close } = await openBesideServer(config)
  try {
    return await work(storage)
  } finally {
    await close()
  }
}

/** Throws if the schema is not up to date. */
async function openBesideServer({ database }: Where): Promise<Beside> {
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
  const storage = sqliteStorage(withDrizzle(client), { onFatal: thrown, besideServer: true })
  return {
    storage,
    async close() {
      // Statements of this turn of the event loop are finalised at its end.
      await setImmediate()
      // Not storage.close, which would block the server for a checkpoint of the whole log.
      client.close()
    },
  }
}

async function besideNodes({ url }: DatabaseConfig & { engine: 'postgres' }): Promise<Beside> {
  const { openPostgres } = await import('../storage/postgres/open.ts')
  const { storage } = await openPostgres(url, {})
  return { storage, close: storage.close }
}
