import { Database } from 'bun:sqlite'
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Config, ConfigError } from '../config.ts'
import type { DatabaseConfig } from '../storage/database-url.ts'
import { giveToOwner } from '../lib/owner.ts'
import { codeOf, messageOf } from '../lib/errors.ts'

/** Another process holds the data directory or the database. */
export class DataInUse extends ConfigError {}

/**
 * Locks the data directory, and an SQLite database wherever it is, against other servers and restores, until the returned
 * function is called or this process ends, however it ends. Throws DataInUse if another process holds the lock, and
 * ConfigError if the directory is not a data directory.
 */
export function holdData({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    touch(join(dataDir, 'convene.lock'))
  } catch (error) {
    throw new ConfigError(`DATA_DIR must be a directory that can be written, not ${dataDir} (${codeOf(error)})`, {
      cause: error,
    })
  }
  const ofDirectory = join(realpathSync(dataDir), 'convene.lock')
  // Before locking: closing a file releases this process's locks on it.
  const ofDatabase = lockOf(database)
  const release = lock(ofDirectory, `DATA_DIR is in use by another Convene: stop that one first (${dataDir})`)
  if (ofDatabase === null || ofDatabase === ofDirectory) return release
  try {
    const releaseDatabase = lock(ofDatabase, 'the database is in use by another Convene: stop that one first')
    return () => {
      releaseDatabase()
      release()
    }
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Locks the incremental backups of a data directory and the removal of their photos against each other, until the returned
 * function is called or this process ends. Throws DataInUse if another process holds the lock.
 */
export function holdBackups(dataDir: string): () => void {
  const path = join(dataDir, 'backups.lock')
  // Closing the file would release a lock that this process holds on it.
  if (!existsSync(path)) touch(path)
  return lock(path, `another incremental backup of ${dataDir} is running: wait until it has finished`)
}

/** The lock file of a database; null if the database is not a file, or its directory cannot be written. */
function lockOf(database: DatabaseConfig): string | null {
  if (database.engine !== 'sqlite' || database.path === ':memory:') return null
  try {
    const path = existsSync(database.path)
      ? realpathSync(database.path)
      : join(realpathSync(dirname(database.path)), basename(database.path))
    // The lock of the data directory covers its own database.
    const file = basename(path) === 'convene.db' ? join(dirname(path), 'convene.lock') : `${path}.lock`
    touch(file)
    return file
  } catch {
    return null
  }
}

function touch(path: string) {
  closeSync(openSync(path, 'a', 0o600))
  giveToOwner(path)
}

function lock(path: string, inUse: string): () => void {
  // SQLite uses the system's file locks, which the system releases when a process is killed.
  let lock: Database
  try {
    lock = new Database(path)
  } catch (error) {
    throw new ConfigError(`${path} cannot be opened: check who owns it`, { cause: error })
  }
  try {
    lock.run('PRAGMA journal_mode = OFF')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!codeOf(error).startsWith('SQLITE_BUSY'))
      throw new ConfigError(`${path} cannot be locked: ${messageOf(error)}`, { cause: error })
    throw new DataInUse(inUse, { cause: error })
  }
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}

// Kept referenced: garbage collection would close it and release the lock.
const held = new Set<Database>()
