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
  /** Where the database as it was before them is kept; null if there was none, or nothing to do. */
  kept: string | null
}

type Options = SqliteOptions & DatabaseOptions

// Loaded where it is used: a start on a file does without.
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
    // It has to see the log before anybody empties it.
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
 * Brings the schema of an SQLite file up to date, after a copy of a database that is in use. Throws MigrationError where a
 * step fails, which says where the copy is: the steps before it stay applied, so an earlier release needs the copy to go on.
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

/** The steps of a database that is there. Throws if it is none that this release works on. Changes nothing. */
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

/** Throws if the database is another program's, or of a release too new for this one, before anything is changed. */
export async function refuseForeign(database: DatabaseConfig): Promise<void> {
  if (database.engine === 'sqlite' && !existsSync(database.path)) return
  await statusOf(database)
}
