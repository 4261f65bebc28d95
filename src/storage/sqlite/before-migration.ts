import type { Database } from 'bun:sqlite'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { label, status } from '../migrate.ts'
import { copyClean } from './backup.ts'

const copiesKept = 2

/**
 * Copies a database that is in use and has steps to go to `<path>.before-<first step>`, beside it, and removes the oldest
 * such copies beyond the last two. Answers the path; null where there is nothing to keep. Throws where there is no room.
 */
export function keepBeforeMigrating(db: Database, databasePath: string): string | null {
  const states = status(db)
  const next = states.find(({ applied_at }) => applied_at === null)
  const isNew = states.every(({ applied_at }) => applied_at === null)
  if (next === undefined || isNew || databasePath === ':memory:') return null
  const copy = `${databasePath}.before-${label(next)}`
  const part = `${copy}.part`
  try {
    rmSync(part, { force: true })
    copyClean(db, part)
    // One of an earlier try is of an earlier state: the release before may have run in between.
    renameSync(part, copy)
  } catch (error) {
    rmSync(part, { force: true })
    throw new Error(
      `cannot keep a copy of the database before its schema changes, in ${copy}: ${(error as Error).message}`,
      { cause: error },
    )
  }
  removeOlder(databasePath, copy)
  return copy
}

function removeOlder(databasePath: string, made: string) {
  const directory = dirname(databasePath)
  const prefix = `${basename(databasePath)}.before-`
  const others = readdirSync(directory).filter(
    (name) =>
      name.startsWith(prefix) && /^\d{4}_[a-z0-9_]+$/.test(name.slice(prefix.length)) && name !== basename(made),
  )
  for (const name of others
    .sort()
    .reverse()
    .slice(copiesKept - 1))
    rmSync(join(directory, name))
}
