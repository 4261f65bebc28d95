import { existsSync } from 'node:fs'
import { status, up } from './migrate.ts'
import { makeSure, openReadOnly, unusable } from './sqlite/database.ts'
import { openDatabase, sqliteStorage, type SqliteOptions, withDrizzle } from './sqlite/storage.ts'
import type { Storage } from './storage.ts'

/** Opens the database that the configuration names and brings its schema up to date. Throws where it is damaged. */
export function openStorage(databasePath: string, options: SqliteOptions): { storage: Storage; migrated: string[] } {
  const client = openDatabase(databasePath)
  try {
    makeSure(client, databasePath)
    const migrated = up(client)
    return { storage: sqliteStorage(withDrizzle(client), options), migrated }
  } catch (error) {
    client.close()
    throw unusable(databasePath, error)
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
