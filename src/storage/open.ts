import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import type { DatabaseConfig } from '../config.ts'
import { MigrationError, type MigrationState, status, up } from './migrate.ts'
import * as postgres from './postgres/database.ts'
import { openMigrator } from './postgres/migrate.ts'
import { postgresStorage } from './postgres/storage.ts'
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

type Options = SqliteOptions & postgres.DatabaseOptions

/**
 * Opens the database that the configuration names and brings its schema up to date. Throws where it is damaged, or cannot
 * be reached.
 */
export async function openStorage(database: DatabaseConfig, options: Options): Promise<Opened> {
  return database.engine === 'sqlite' ? openSqlite(database.path, options) : openPostgres(database.url, options)
}

function openSqlite(path: string, options: SqliteOptions): Opened {
  const client = openDatabase(path)
  try {
    makeSure(client, path)
    const { migrated, kept } = bringUp(client, path)
    return { storage: sqliteStorage(withDrizzle(client), options), migrated, kept }
  } catch (error) {
    client.close()
    throw unusable(path, error)
  }
}

async function openPostgres(url: string, options: postgres.DatabaseOptions): Promise<Opened> {
  const migrator = await openMigrator(url)
  try {
    const migrated = await migrator.up()
    const db = await postgres.openDatabase(url, options)
    // The other ports are being written.
    return { storage: postgresStorage(db) as Storage, migrated, kept: null }
  } finally {
    await migrator.close()
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

/** The steps of a database that is there. Throws where it is another program's or a newer release's. Changes nothing. */
export async function statusOf(database: DatabaseConfig): Promise<MigrationState[]> {
  if (database.engine === 'sqlite') return statusOfFile(database.path)
  const migrator = await openMigrator(database.url, { writes: false })
  try {
    return await migrator.status()
  } finally {
    await migrator.close()
  }
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

/** Throws where the database is another program's, or a newer release's, before anything of it is changed. */
export async function refuseForeign(database: DatabaseConfig): Promise<void> {
  if (database.engine === 'sqlite' && !existsSync(database.path)) return
  await statusOf(database)
}
