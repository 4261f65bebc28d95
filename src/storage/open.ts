import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { MigrationError, status, up } from './migrate.ts'
import { keepBeforeMigrating } from './sqlite/before-migration.ts'
import { makeSure, openReadOnly, unusable } from './sqlite/database.ts'
import { openDatabase, sqliteStorage, type SqliteOptions, withDrizzle } from './sqlite/storage.ts'
import type { Storage } from './storage.ts'

type Opened = {
  storage: Storage
  /** The steps that were applied. */
  migrated: string[]
  /** Where the database as it was before them is kept; null where there was none, or nothing to do. */
  kept: string | null
}

/** Opens the database that the configuration names and brings its schema up to date. Throws where it is damaged. */
export function openStorage(databasePath: string, options: SqliteOptions): Opened {
  const client = openDatabase(databasePath)
  try {
    makeSure(client, databasePath)
    const { migrated, kept } = bringUp(client, databasePath)
    return { storage: sqliteStorage(withDrizzle(client), options), migrated, kept }
  } catch (error) {
    client.close()
    throw unusable(databasePath, error)
  }
}

/**
 * Brings the schema up to date, after a copy of a database that is in use. Throws MigrationError where a step fails, which
 * says where the copy is: the steps before it stay applied, so an earlier release needs the copy to go on.
 */
export function bringUp(
  client: Database,
  databasePath: string,
  { onStep }: { onStep?: () => void } = {},
): Pick<Opened, 'migrated' | 'kept'> {
  const kept = keepBeforeMigrating(client, databasePath)
  try {
    return { migrated: up(client, { onStep }), kept }
  } catch (error) {
    if (kept === null || !(error instanceof MigrationError)) throw error
    throw new MigrationError(`${error.message}; the database as it was before is kept in ${kept}`, { cause: error })
  }
}

/** Throws where the file is another program's, or a newer release's, before anything of it is changed. */
export function refuseForeign(databasePath: string) {
  if (!existsSync(databasePath)) return
  const client = openReadOnly(databasePath)
  try {
    status(client)
  } catch (error) {
    throw unusable(databasePath, error)
  } finally {
    client.close()
  }
}
