import { constants, Database } from 'bun:sqlite'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { giveToOwner } from '../../lib/owner.ts'
import * as schema from './schema.ts'
import { codeOf, messageOf } from '../../lib/errors.ts'
import { oneRow } from './one-row.ts'

export type Db = BunSQLiteDatabase<typeof schema> & { $client: Database }

// About all statements of this folder: if one sorts, joins or limits, SQLite considers the values of its bare parameters while
// planning, and so plans again whenever they are bound, which takes longer than most statements run. `+?` hides the value and
// changes nothing else, so the plan is made once.

/**
 * Opens a database file, or `:memory:`, with our settings. One connection serves reads and writes: a group of writes runs from
 * BEGIN to COMMIT without yielding, so no read sees a part of it.
 *
 * `alone` locks out every other process while the file is open, and throws if another one has it open. Throws an Error whose
 * message tells the operator what is wrong with the file.
 */
export function openDatabase(path: string, { alone = false } = {}): Database {
  let client: Database | null = null
  try {
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    client = new Database(path, { create: true, strict: true })
    if (path !== ':memory:') {
      chmodSync(path, 0o600)
      // A file that root has just created. SQLite gives its log the same owner.
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
  // Overwrites removed data instead of only unlinking it, as an erasure requires.
  client.run('PRAGMA secure_delete = ON')
  // Waiting for another process's lock would freeze the event loop.
  client.run('PRAGMA busy_timeout = 0')
  client.run('PRAGMA temp_store = MEMORY')
  client.run('PRAGMA cache_size = -65536')
  // Checkpoints after 16 MiB of log, so that a busy page is written once for many commits. A server has a thread for it.
  client.run('PRAGMA wal_autocheckpoint = 4000')
  client.run(`PRAGMA mmap_size = ${mostMapped}`)
}

/** Opens an existing file for reading, also beside a running server. Changes nothing. Throws like `openDatabase`. */
export function openReadOnly(path: string): Database {
  // Without a log there is nothing to recover, and only `immutable` reads without creating one.
  const atRest = !existsSync(`${path}-wal`) && !existsSync(`${path}-journal`)
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI } = constants
  let client: Database | null = null
  try {
    client = atRest
      ? new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      : // Rolling back what a killed process left half written needs write access.
        new Database(path, existsSync(`${path}-journal`) ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
    client.query('SELECT count(*) FROM sqlite_schema').get()
    return client
  } catch (error) {
    client?.close()
    throw unusable(path, error)
  }
}

// quick_check reads half a gigabyte per second or more. `convene check` and every backup examine larger files.
const checkedAtStart = 512 * 2 ** 20

/**
 * Refuses a damaged database before it is used, unless it is too large to be read at the start.
 *
 * After a failed fsync, the kernel may return pages that never reached the disk, and consider them clean. A log of such pages
 * would be lost in a power cut, with everything written after it. So the log is never continued: `emptyLog` comes next.
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
  // The check has mapped the whole file into memory. Mapping it again drops the pages that are not used.
  client.run('PRAGMA mmap_size = 0')
  client.run(`PRAGMA mmap_size = ${mostMapped}`)
}

/** Checkpoints the log of a database and truncates it. */
export function emptyLog(client: Database) {
  client.run('PRAGMA wal_checkpoint(TRUNCATE)')
}

function refuseDamaged(client: Database, path: string) {
  const found = oneRow(client.query<{ quick_check: string }, []>('PRAGMA quick_check(1)').get()).quick_check
  if (found !== 'ok') throw new Error(`${path} ${damaged} (${found.replaceAll(/\s+/g, ' ')})`)
}

/** The first damage in a database; null if there is none. Reads the whole file. */
export function damageIn(client: Database): string | null {
  const damage = oneRow(
    client.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').get(),
  ).integrity_check
  if (damage !== 'ok') return damage.replaceAll(/\s+/g, ' ')
  const orphan = client.query<{ table: string }, []>('PRAGMA foreign_key_check').get()?.table
  return orphan === undefined ? null : `a row of ${orphan} refers to a missing row`
}

const restore = 'restore the last good backup with convene restore FILE'
const damaged = `is damaged: ${restore}`

const reasons: Record<string, string> = {
  SQLITE_NOTADB: `is not an SQLite database: correct DATABASE_URL or DATA_DIR, or if it is damaged, ${restore}`,
  SQLITE_CORRUPT: damaged,
  SQLITE_CANTOPEN: 'cannot be opened: check that it is a file in a directory that this user can write',
  SQLITE_READONLY: 'cannot be written: check who owns it and its directory',
  SQLITE_FULL: 'cannot be opened, because its disk is full: free space there',
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
