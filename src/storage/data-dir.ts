import { Database } from 'bun:sqlite'
import { accessSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config.ts'

/** Somebody else holds the data directory. */
export class DataDirInUse extends ConfigError {}

/**
 * Keeps every other server and every restore off the data directory, until the answer is called or this process ends,
 * however it ends. Throws DataDirInUse where somebody else does, and ConfigError where it is no directory of ours.
 */
export function holdDataDir(dataDir: string): () => void {
  // SQLite locks files in each system's own way, and the system lets go of what a killed process held.
  const path = join(dataDir, 'convene.lock')
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    const { code } = error as { code?: string }
    throw new ConfigError(`DATA_DIR must be a directory that can be written, not ${dataDir} (${code})`, {
      cause: error,
    })
  }
  const lock = new Database(path)
  try {
    lock.run('PRAGMA journal_mode = OFF')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error as { code?: string }).code?.startsWith('SQLITE_BUSY')) throw error
    throw new DataDirInUse(`DATA_DIR is in use by another Convene: stop that one first (${dataDir})`, { cause: error })
  }
  held.add(lock)
  return () => {
    held.delete(lock)
    lock.close()
  }
}

// What nobody refers to any more is closed, and the lock with it.
const held = new Set<Database>()
