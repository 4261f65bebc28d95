import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { Config } from '../config.ts'
import { MigrationError, status } from '../storage/migrate.ts'
import { refuseForeign } from '../storage/open.ts'
import { openDatabase } from '../storage/sqlite/database.ts'

type Where = Pick<Config, 'databasePath'>

/** Throws where there is no database yet, or none that this user may see. */
export function requireDatabase({ databasePath }: Where) {
  try {
    statSync(databasePath)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new Error(`${databasePath} cannot be looked at (${code}): run this as the user that runs the server`, {
        cause: error,
      })
    throw new Error(`there is no database at ${databasePath}: look at DATA_DIR, or start the server once to make it`, {
      cause: error,
    })
  }
}

/** The database for this process alone; made where there is none. Throws where a server, or anything else, uses it. */
export function openAlone({ databasePath }: Where): Database {
  refuseForeign(databasePath)
  return openDatabase(databasePath, { alone: true })
}

// A server's group of writes takes some milliseconds, its longest job a few hundred.
const patienceMs = 5000

/** The database beside a running server, its schema up to date. Do little and close it: the server does not wait for us. */
export function openBesideServer({ databasePath }: Where): Database {
  requireDatabase({ databasePath })
  refuseForeign(databasePath)
  const client = openDatabase(databasePath)
  client.run(`PRAGMA busy_timeout = ${patienceMs}`)
  const missing = status(client).filter(({ applied_at }) => applied_at === null)
  if (missing.length === 0) return client
  client.close()
  throw new MigrationError(
    `this database is ${missing.length} migrations behind: run convene migrate up, or start the server once`,
  )
}
