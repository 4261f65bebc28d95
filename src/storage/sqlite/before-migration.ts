import type { Database } from 'bun:sqlite'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { label, status } from '../migrate.ts'
import { copyClean } from './clean-copy.ts'
import { openReadOnly } from './database.ts'
import { messageOf } from '../../lib/errors.ts'
import { oneRow } from './one-row.ts'

const copiesKept = 2

/**
 * Copies a database that has been used and is about to be migrated to `<path>.before-<first step>`, and removes all but the
 * newest two such copies. Returns the path; null if there is nothing to copy. Throws if there is no space. A migration that fails
 * at each restart reuses the copy of its first attempt.
 */
export function keepBeforeMigrating(db: Database, databasePath: string): string | null {
  const states = status(db)
  const next = states.find(({ applied_at }) => applied_at === null)
  const isNew = states.every(({ applied_at }) => applied_at === null)
  if (next === undefined || isNew || databasePath === ':memory:') return null
  return keep(db, databasePath, label(next), /^\d{4}_[a-z0-9_]+$/)
}

/** The same before steps are undone, as `<path>.before-down-<newest step>`. */
export const keepBeforeDown = (db: Database, databasePath: string, newestStep: string): string =>
  keep(db, databasePath, `down-${newestStep}`, /^down-\d{4}_[a-z0-9_]+$/)

function keep(db: Database, databasePath: string, name: string, alike: RegExp): string {
  const copy = `${databasePath}.before-${name}`
  const part = `${copy}.part`
  try {
    rmSync(part, { force: true })
    const state = stateOf(db, databasePath)
    if (stateIn(copy) === state) return copy
    copyClean(db, part, { userVersion: state })
    // Replaces a copy of an earlier state: the previous release may have run since an earlier attempt.
    renameSync(part, copy)
  } catch (error) {
    rmSync(part, { force: true })
    throw new Error(`cannot keep a copy of the database before its schema changes, in ${copy}: ${messageOf(error)}`, {
      cause: error,
    })
  }
  removeOlder(databasePath, copy, alike)
  return copy
}

/**
 * A number that identifies the content of a database file. SQLite's own change counter does not count in WAL mode, but after a
 * checkpoint only a write changes the file.
 */
function stateOf(db: Database, databasePath: string): number {
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const { mtimeNs, size, ino } = statSync(databasePath, { bigint: true })
  // Never 0, which is the `user_version` of a database without a number.
  return Bun.hash.crc32(`${mtimeNs} ${size} ${ino}`) | 0 || 1
}

/** The state from which a copy was made; null if there is no such copy. */
function stateIn(copy: string): number | null {
  if (!existsSync(copy)) return null
  try {
    const db = openReadOnly(copy)
    try {
      return oneRow(db.query<{ user_version: number }, []>('PRAGMA user_version').get()).user_version
    } finally {
      db.close()
    }
  } catch {
    return null
  }
}

function removeOlder(databasePath: string, made: string, alike: RegExp) {
  const directory = dirname(databasePath)
  const prefix = `${basename(databasePath)}.before-`
  const others = readdirSync(directory)
    .filter((name) => name.startsWith(prefix) && alike.test(name.slice(prefix.length)) && name !== basename(made))
    .map((name) => ({ name, madeAt: statSync(join(directory, name)).mtimeMs }))
    .sort((a, b) => b.madeAt - a.madeAt || (a.name < b.name ? 1 : -1))
  for (const { name } of others.slice(copiesKept - 1)) rmSync(join(directory, name))
}
