import { Database } from 'bun:sqlite'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import * as schema from './schema.ts'

export type Db = BunSQLiteDatabase<typeof schema> & { $client: Database }

/**
 * Opens the file (`:memory:` too) the way every part of Convene expects it. One connection serves reads and writes: a
 * group of writes runs from BEGIN to COMMIT without giving way, so no read ever sees the middle of one.
 */
export function openDatabase(path: string): Database {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const client = new Database(path, { create: true, strict: true })
  if (path !== ':memory:') chmodSync(path, 0o600)
  client.run('PRAGMA journal_mode = WAL')
  client.run('PRAGMA synchronous = FULL')
  client.run('PRAGMA foreign_keys = ON')
  // Waiting on another process's lock would freeze the server: rather 503 at once.
  client.run('PRAGMA busy_timeout = 0')
  client.run('PRAGMA temp_store = MEMORY')
  client.run('PRAGMA cache_size = -65536')
  client.run('PRAGMA mmap_size = 1073741824')
  return client
}

export const withDrizzle = (client: Database): Db => drizzle({ client, schema })
