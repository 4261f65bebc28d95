import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import type { DatabaseConfig } from './database-url.ts'
import { MigrationError, type MigrationState, status, up } from './migrate.ts'
import type { DatabaseOptions } from './postgres/database.ts'
import { keepBeforeMigrating } from './sqlite/before-migration.ts'
import { emptyLog, openReadOnly, refuseDamagedAtStart, unusable } from './sqlite/database.ts'
import { openDatabase, sqliteStorage, type SqliteOptions, withDrizzle } from './sqlite/storage.ts'
import type { Storage } from './storage.ts'

type Opened = {
  storage: Storage
  /** The steps that were applied. */
  migrated: string[]
  /** The copy of the database from before them; null if there was no database, or nothing to do. */
  kept: string | null
}

type Options = SqliteOptions & DatabaseOptions

// Loaded where it is used, because a start on SQLite does not need it.
const postgres = () => import('./postgres/open.ts')

/**
 * Opens the database that the configuration names and brings its schema up to date. Throws if it is damaged, or cannot
 * be reached.
 */
export async function openStorage(database: DatabaseConfig, options: Options): Promise<Opened> {
  if (database.engine === 'sqlite') return openSqlite(database.path, options)
  return { ...(await (await postgres()).openPostgres(database.url, options)), kept: null }
}

async function openSqlite(path: string, options: SqliteOptions): Promise<Opened> {
  const client = openDatabase(path)
  try {
    refuseDamagedAtStart(client, path)
    // The replica has to read the log before it is emptied.
    await options.replica?.open(path)
    emptyLog(client)
    const { migrated, kept } = bringUp(client, path)
    await options.replica?.run()
    return { storage: sqliteStorage(withDrizzle(client), options), migrated, kept }
  } catch (error) {
    await options.replica?.close().catch(() => {})
    client.close()
    throw unusable(path, error)
  }
}

/**
 * Brings the schema of an SQLite file up to date. A database that is in use is copied first. Throws MigrationError if a step
 * fails, which names the copy: the steps before it stay applied, so an earlier release needs the copy to run again.
 */
export function bringUp(
  client: Database,
  path: string,
  { onStep }: { onStep?: () => void } = {},
): Pick<Opened, 'migrated' | 'kept'> {
  const kept = keepBeforeMigrating(client, path)
  try {
    return { migrated: up(client, { onStep }), kept }
  } catch (error) {
    if (kept === null || !(error instanceof MigrationError)) throw error
    throw new MigrationError(`${error.message}; the database as it was before is kept in ${kept}`, { cause: error })
  }
}

/** The migration steps of an existing database. Throws if this release cannot work with it. Changes nothing. */
export async function statusOf(database: DatabaseConfig): Promise<MigrationState[]> {
  return database.engine === 'sqlite' ? statusOfFile(database.path) : (await postgres()).statusOfServer(database.url)
}

function statusOfFile(path: string): MigrationState[] {
  const client = openReadOnly(path)
  try {
    return status(client)
  } catch (error) {
    throw unusable(path, error)
  } finally {
    client.close()
  }
}

/** Throws if the database belongs to another program, or is too new for this release. Changes nothing. */
export async function refuseForeign(database: DatabaseConfig): Promise<void> {
  if (database.engine === 'sqlite' && !existsSync(database.path)) return
  await statusOf(database)
}
