import { constants, Database } from 'bun:sqlite'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { giveToOwner } from '../../lib/owner.ts'
import * as schema from './schema/index.ts'
import { codeOf, messageOf } from '../../lib/errors.ts'
import { oneRow } from './one-row.ts'

export type Db = BunSQLiteDatabase<typeof schema> & { $client: Database }

// A note for all statements of this folder: where one sorts, joins or limits, SQLite looks at the values of its bare
// parameters while it plans, and so plans anew each time they are bound, which takes longer than most of them run. `+?`
// hides the value and changes nothing else: the plan is made once.

/**
 * Opens the file (`:memory:` too) the way every part of Convene expects it. One connection serves reads and writes: a
 * group of writes runs from BEGIN to COMMIT without giving way, so no read ever sees the middle of one.
 *
 * `alone` keeps every other process out for as long as it is open, and refuses if there is one already. Throws an
 * Error whose message tells the operator what is wrong with the file.
 */
export function openDatabase(path: string, { alone = false } = {}): Database {
  let client: Database | null = null
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    client = new Database(path, { create: true, strict: true })
    if (path !== ':memory:') {
      chmodSync(path, 0o600)
      // One that root has just made. Its log gets its owner by SQLite.
      if (statSync(path).size === 0) giveToOwner(path)
    }
    if (alone) client.run('PRAGMA locking_mode = EXCLUSIVE')
    configure(client)
    return client
  } catch (error) {
    client?.close()
    throw unusable(path, error)
  }
}

// The most that SQLite maps: 2 GiB without the last 64 KiB.
const mostMapped = 2 ** 31 - 2 ** 16

/** The settings of a connection that reads and writes. */
export function configure(client: Database) {
  client.run('PRAGMA journal_mode = WAL')
  client.run('PRAGMA synchronous = FULL')
  client.run('PRAGMA foreign_keys = ON')
  // What is removed is overwritten, not only unlinked: an erasure is one.
  client.run('PRAGMA secure_delete = ON')
  // Waiting on another process's lock would freeze the server: rather 503 at once.
  client.run('PRAGMA busy_timeout = 0')
  client.run('PRAGMA temp_store = MEMORY')
  client.run('PRAGMA cache_size = -65536')
  // 16 MiB of log before it is taken into the file: busy pages are taken once for many commits. A server has a thread for it.
  client.run('PRAGMA wal_autocheckpoint = 4000')
  client.run(`PRAGMA mmap_size = ${mostMapped}`)
}

/** Opens a file that is there for reading, beside a running server too, and changes nothing. Throws like `openDatabase`. */
export function openReadOnly(path: string): Database {
  // Where no log is left there is nothing to recover, and no other way to read without making one.
  const atRest = !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`)
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI } = constants
  let client: Database | null = null
  try {
    client = atRest
      ? new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      : // What a killed process left half written can only be taken back by who may write.
        new Database(path, existsSync(`${path}-journal`) ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
    client.query('SELECT count(*) FROM sqlite_schema').get()
    return client
  } catch (error) {
    client?.close()
    throw unusable(path, error)
  }
}

// quick_check reads half a gigabyte a second or more. What is larger is left to `convene check`, and to each backup.
const checkedAtStart = 512 * 2 ** 20

/**
 * Refuses a damaged database before it is used, unless it is too large to be read for that.
 *
 * After a failed fsync the kernel may show pages that the disk has never got, and believes to be clean. A log of such
 * pages would be read here, and be gone after a power cut, with all that came after it. So none is built upon: `emptyLog`
 * comes next.
 */
export function refuseDamagedAtStart(client: Database, path: string) {
  const { bytes } = oneRow(
    client
      .query<{ bytes: number }, []>(
        'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
      )
      .get(),
  )
  if (bytes > checkedAtStart) return
  refuseDamaged(client, path)
  // The check has mapped all of the file into memory. Mapped anew, it has what is used from now on.
  client.run('PRAGMA mmap_size = 0')
  client.run(`PRAGMA mmap_size = ${mostMapped}`)
}

/** Writes what the log of a database holds into its file. */
export function emptyLog(client: Database) {
  client.run('PRAGMA wal_checkpoint(TRUNCATE)')
}

function refuseDamaged(client: Database, path: string) {
  const found = oneRow(client.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()).quick_check
  if (found !== 'ok') throw new Error(`${path} ${damaged} (${found.replaceAll(/\s+/g, ' ')})`)
}

/** The first thing that is wrong with a database, all of which is read for it; null if it is whole. */
export function damageIn(client: Database): string | null {
  const damage = oneRow(
    client.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get(),
  ).integrity_check
  if (damage !== 'ok') return damage.replaceAll(/\s+/g, ' ')
  const orphan = client.query<{ table: string }, []>('PRAGMA foreign_key_check').get()?.table
  return orphan === undefined ? null : `a row of ${orphan} points at nothing`
}

const restore = 'restore the last good backup with convene restore FILE'
const damaged = `is damaged: ${restore}`

const reasons: Record<string, string> = {
  SQLITE_NOTADB: `is no SQLite database: DATABASE_URL or DATA_DIR points at something else, or it is damaged: then ${restore}`,
  SQLITE_CORRUPT: damaged,
  SQLITE_CANTOPEN: 'cannot be opened: is it a file, in a directory that this user can write?',
  SQLITE_READONLY: 'cannot be written: look at who owns it, and its directory',
  SQLITE_FULL: 'cannot be opened, as its disk is full: make room there',
  SQLITE_BUSY: 'is in use: stop the server that uses it first',
}

/** Turns an SQLite error into a message for the operator. Returns any other error unchanged. */
export function unusable(path: string, error: unknown): unknown {
  const code = codeOf(error)
  if (!code.startsWith('SQLITE_')) return error
  const known = Object.keys(reasons).find((reason) => code.startsWith(reason))
  return new Error(`${path} ${known ? reasons[known] : `cannot be opened: ${messageOf(error)}`}`, { cause: error })
}

export const withDrizzle = (client: Database): Db => drizzle({ client, schema })
