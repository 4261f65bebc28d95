import { Database } from 'bun:sqlite'
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Config, ConfigError, type DatabaseConfig } from '../config.ts'

/** Somebody else holds the data directory, or the database. */
export class DataInUse extends ConfigError {}

/**
 * Keeps every other server and every restore off the data directory, and off a database in a file wherever that is, until
 * the answer is called or this process ends, however it ends. Throws DataInUse where somebody else does, and ConfigError
 * where the directory is none of ours.
 */
export function holdData({ dataDir, database }: Pick<Config, 'dataDir' | 'database'>): () => void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    touch(join(dataDir, 'convene.lock'))
  } catch (error) {
    const { code } = error as { code?: string }
    throw new ConfigError(`DATA_DIR must be a directory that can be written, not ${dataDir} (${code})`, {
      cause: error,
    })
  }
  const ofDirectory = join(realpathSync(dataDir), 'convene.lock')
  // Before anything is locked: a file that this process closes is a lock that it loses.
  const ofDatabase = lockOf(database)
  const letGo = lock(ofDirectory, `DATA_DIR is in use by another Convene: stop that one first (${dataDir})`)
  if (ofDatabase === null || ofDatabase === ofDirectory) return letGo
  try {
    const letGoOfDatabase = lock(ofDatabase, 'the database is in use by another Convene: stop that one first')
    return () => {
      letGoOfDatabase()
      letGo()
    }
  } catch (error) {
    letGo()
    throw error
  }
}

/** The file that stands for a database; null for one that is no file, or lies where none can be made, and so cannot be opened. */
function lockOf(database: DatabaseConfig): string | null {
  if (database.engine !== 'sqlite' || database.path === ':memory:') return null
  try {
    const path = existsSync(database.path)
      ? realpathSync(database.path)
      : join(realpathSync(dirname(database.path)), basename(database.path))
    // A server that has it in its data directory holds that one.
    const file = basename(path) === 'convene.db' ? join(dirname(path), 'convene.lock') : `${path}.lock`
    touch(file)
    return file
  } catch {
    return null
  }
}

const touch = (path: string) => closeSync(openSync(path, 'a', 0o600))

function lock(path: string, inUse: string): () => void {
  // SQLite locks files in each system's own way, and the system lets go of what a killed process held.
  const lock = new Database(path)
  try {
    lock.run('PRAGMA journal_mode = OFF')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw error
    throw new DataInUse(inUse, { cause: error })
  }
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}

// What nobody refers to any more is closed, and the lock with it.
const held = new Set<Database>()
