import type { MigrationState } from '../migrate.ts'
import type { Storage } from '../storage.ts'
import { type DatabaseOptions, openDatabase } from './database.ts'
import { openMigrator } from './migrate.ts'
import { postgresStorage } from './storage.ts'

/**
 * Opens the database and brings its schema up to date. Throws an Error for the operator if it cannot. `marked`: accepts a
 * database that is being restored. Only for the command that restores it.
 */
export async function openPostgres(
  url: string,
  { marked, ...options }: DatabaseOptions & { marked?: boolean },
): Promise<{ storage: Storage; migrated: string[] }> {
  const migrator = await openMigrator(url, { marked })
  try {
    const migrated = await migrator.up()
    return { storage: postgresStorage(await openDatabase(url, options)), migrated }
  } finally {
    await migrator.close()
  }
}

/** The migration steps of an existing database; a standby will do. Changes nothing. */
export async function statusOfServer(url: string): Promise<MigrationState[]> {
  const migrator = await openMigrator(url, { writes: false })
  try {
    return await migrator.status()
  } finally {
    await migrator.close()
  }
}
