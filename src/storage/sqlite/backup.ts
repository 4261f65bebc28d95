import { constants, Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { type Files, originalOf, thumbOf } from '../../features/media/files.ts'
import { giveToOwner } from '../../lib/owner.ts'
import { status } from '../migrate.ts'
import { appendChecksum, matchesChecksum } from './checksum.ts'
import { knownFiles } from '../sql/media.ts'
import { damageIn, openReadOnly, withDrizzle } from './database.ts'
import { sqliteReader } from './engine.ts'

/** What a backup holds, in numbers. */
export type Contents = { users: number; messages: number; photos: number }

/**
 * A backup is a database of ours with these tables more, and a checksum of all that at its end: so it is one file, which
 * SQLite itself can examine. The column says that there has to be one; backups of releases before have neither.
 */
const backupTable = `
  CREATE TABLE backup (made_at TEXT NOT NULL, release TEXT NOT NULL, users INTEGER NOT NULL, messages INTEGER NOT NULL, photos INTEGER NOT NULL, checksum TEXT NOT NULL)`
const photosTable = 'CREATE TABLE backup_photos (name TEXT PRIMARY KEY NOT NULL, bytes BLOB NOT NULL)'

// A server's group of writes takes some milliseconds, a migration perhaps seconds.
const patienceMs = 10_000
const batch = 500

/** Told of bytes as they are dealt with. */
export type OnBytes = (count: number) => void

/** How many bytes `writeBackup` will tell of: the database is copied, and examined, and the photos are added. */
export function backupBytes(databasePath: string, { photos }: { photos: boolean }): number {
  const db = openReadOnly(databasePath)
  try {
    return 2 * statSync(databasePath).size + (photos ? storedBytes(db) : 0)
  } finally {
    db.close()
  }
}

/** How many bytes of room a backup takes: what the database holds, without what was removed from it, and the photos. */
export function backupRoom(databasePath: string, { photos }: { photos: boolean }): number {
  const db = openReadOnly(databasePath)
  try {
    const { bytes } = db
      .query<{ bytes: number }, []>(
        'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
      )
      .get()!
    return bytes + (photos ? storedBytes(db) : 0)
  } finally {
    db.close()
  }
}

/** A database that is to be brought up to date yet may have no thumbnails. */
function storedBytes(db: Database): number {
  const hasThumbs = db.query("SELECT 1 FROM pragma_table_info('media') WHERE name = 'thumb_bytes'").get() !== null
  const each = hasThumbs ? 'bytes + coalesce(thumb_bytes, 0)' : 'bytes'
  return db.query<{ bytes: number }, []>(`SELECT coalesce(sum(${each}), 0) AS bytes FROM media`).get()!.bytes
}

/**
 * Writes a backup of a database and its images into an empty file, beside a running server: what it reads is one moment's
 * state, and the server goes on writing. Without `files`, of the database alone. Examined and on disk when it resolves;
 * throws where the result is not whole. `lost` is how many images are in no file, although the database knows them still.
 */
export async function writeBackup(
  file: string,
  {
    databasePath,
    files,
    release,
    at,
    onBytes = () => {},
  }: { databasePath: string; files: Files | null; release: string; at: number; onBytes?: OnBytes },
): Promise<Contents & { lost: number }> {
  const { size } = statSync(databasePath)
  const source = new Database(databasePath, { readwrite: true })
  try {
    source.run(`PRAGMA busy_timeout = ${patienceMs}`)
    // The log has grown while we read it. To take it into the database is the server's work: from here it would lock it out.
    source.run('PRAGMA wal_autocheckpoint = 0')
    // Copies what is there and nothing that was removed.
    source.prepare('VACUUM INTO ?').run(file)
    onBytes(size)
  } finally {
    source.close()
  }
  let lost = 0
  const backup = new Database(file, { readwrite: true, strict: true })
  try {
    // A crash leaves a file that nobody takes for a backup: no need for a journal, nor to wait for the disk before the end.
    backup.run('PRAGMA journal_mode = OFF')
    backup.run('PRAGMA synchronous = OFF')
    backup.run('BEGIN')
    backup.run(backupTable)
    if (files) {
      backup.run(photosTable)
      lost = await stillKnown(databasePath, await addPhotos(backup, files, onBytes))
    }
    const { users, messages, photos } = contentsOf(backup)
    backup
      .prepare(
        "INSERT INTO backup (made_at, release, users, messages, photos, checksum) VALUES (?, ?, ?, ?, ?, 'sha256')",
      )
      .run(new Date(at).toISOString(), release, users, messages, photos)
    backup.run('COMMIT')
    refuseDamage(backup, 'the backup')
    onBytes(size)
    backup.close(true)
    appendChecksum(file)
    return { users, messages, photos, lost }
  } finally {
    backup.close()
  }
}

/** Adds the photos that are there. Answers the names of those that are not. */
async function addPhotos(backup: Database, files: Files, onBytes: OnBytes): Promise<string[]> {
  const missing: string[] = []
  const namesAfter = backup.prepare<{ file: string }, [string, number]>(
    'SELECT file FROM media WHERE file > ? ORDER BY file LIMIT ?',
  )
  const add = backup.prepare<null, [string, Uint8Array]>('INSERT INTO backup_photos (name, bytes) VALUES (?, ?)')
  for (let last = ''; ;) {
    const names = namesAfter.all(last, batch).map(({ file }) => file)
    for (const name of names) {
      const stored = await files.get(name)
      // One that was removed meanwhile is in the copy of the database still, and its photo shown as gone.
      const bytes = stored && (await stored.bytes().catch(gone))
      if (!bytes || bytes.length === 0) {
        missing.push(name)
        continue
      }
      add.run(name, bytes)
      onBytes(bytes.length)
    }
    // Not every image has one.
    for (const name of names.map(thumbOf)) {
      const bytes = await (await files.get(name))?.bytes().catch(gone)
      if (bytes) add.run(name, bytes)
    }
    if (names.length < batch) return missing
    last = names.at(-1)!
  }
}

/** How many of the files the database knows now. An image that is removed loses its row before its file. */
async function stillKnown(databasePath: string, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0
  const source = new Database(databasePath, { readwrite: true })
  try {
    source.run(`PRAGMA busy_timeout = ${patienceMs}`)
    source.run('PRAGMA wal_autocheckpoint = 0')
    const removed = await knownFiles(sqliteReader(withDrizzle(source))).strayFiles(names)
    return names.length - removed.length
  } finally {
    source.close()
  }
}

function gone(error: unknown): null {
  if ((error as { code?: string }).code === 'ENOENT') return null
  throw error
}

const count = (db: Database, table: string) =>
  db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()!.n

const has = (db: Database, table: string) =>
  db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null

const contentsOf = (db: Database): Contents => ({
  users: count(db, 'users'),
  messages: count(db, 'messages'),
  photos: has(db, 'backup_photos') ? count(db, "backup_photos WHERE name NOT LIKE '%.320.webp'") : 0,
})

function refuseDamage(db: Database, what: string) {
  const damage = damageIn(db)
  if (damage !== null) throw new Error(`${what} is damaged: ${damage}`)
}

export type Examined = Contents & {
  made_at: string | null
  has_photos: boolean
  /** What it remembers of its community, by name. */
  remembered: Map<string, string>
}

const unreadable: Record<string, string> = {
  SQLITE_NOTADB: 'it is no SQLite database',
  SQLITE_CORRUPT: 'it is damaged',
}

function openBackup(path: string): Database {
  try {
    return openReadOnly(path)
  } catch (error) {
    const code = ((error as Error).cause as { code?: string } | undefined)?.code ?? ''
    const reason = unreadable[code] ?? 'it cannot be read as a file'
    throw new Error(`${path} is no backup of Convene: ${reason}. Choose another one`, { cause: error })
  }
}

/**
 * Examines a backup, or a bare copy of a database of ours, and answers what it holds. Throws where it is something else,
 * damaged, incomplete, or newer than this release knows.
 */
export function examineBackup(path: string): Examined {
  const matches = statSync(path).isFile() ? matchesChecksum(path) : null
  if (matches === false) throw damagedBackup(path, 'what it holds does not match its checksum')
  const db = openBackup(path)
  try {
    refuseDamage(db, path)
    if (status(db).every(({ applied_at }) => applied_at === null)) throw new Error(`${path} holds no data of Convene`)
    const contents = contentsOf(db)
    const remembered = has(db, 'community') ? communityIn(db) : new Map<string, string>()
    if (!has(db, 'backup')) return { ...contents, remembered, made_at: null, has_photos: false }
    const said = db.query<Contents & { made_at: string; checksum?: string }, []>('SELECT * FROM backup').get()
    if (said?.checksum !== undefined && matches === null)
      throw damagedBackup(path, 'the checksum at its end is missing')
    for (const kind of ['users', 'messages', 'photos'] as const)
      if (contents[kind] !== said?.[kind])
        throw new Error(`${path} is incomplete: it holds ${contents[kind]} ${kind}, and should hold ${said?.[kind]}`)
    return { ...contents, remembered, made_at: said!.made_at, has_photos: has(db, 'backup_photos') }
  } catch (error) {
    throw (error as { code?: string }).code?.startsWith('SQLITE_')
      ? damagedBackup(path, (error as Error).message, error)
      : error
  } finally {
    db.close()
  }
}

const damagedBackup = (path: string, reason: string, cause?: unknown) =>
  new Error(`${path} is damaged: ${reason}. Choose another backup`, { cause })

const communityIn = (db: Database) =>
  new Map(
    db
      .query<{ name: string; value: string }, []>('SELECT name, value FROM community')
      .all()
      .map(({ name, value }) => [name, value]),
  )

/** Copies the database in a backup, without the photos, to a path where nothing is. */
export function unpackDatabase(path: string, target: string) {
  closeSync(openSync(target, 'wx', 0o600))
  const { SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI } = constants
  const db = new Database(target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)
  try {
    db.run('PRAGMA journal_mode = OFF')
    db.run('PRAGMA synchronous = OFF')
    db.prepare('ATTACH ? AS backup').run(
      `${pathToFileURL(path)}?${existsSync(`${path}-wal`) ? 'mode=ro' : 'immutable=1'}`,
    )
    const made = db
      .query<{ type: string; name: string; sql: string }, []>(
        `SELECT type, name, sql FROM backup.sqlite_schema
         WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND tbl_name NOT IN ('backup', 'backup_photos')
         ORDER BY type <> 'table', rowid`,
      )
      .all()
    db.run('BEGIN')
    for (const { type, name, sql } of made) {
      db.run(sql)
      if (type !== 'table') continue
      const columns = db
        .query<{ name: string; hidden: number }, [string]>('SELECT name, hidden FROM pragma_table_xinfo(?)')
        .all(name)
      const stored = columns.filter(({ hidden }) => hidden === 0).map((column) => `"${column.name}"`)
      // Generated columns take no values. Without any, SQLite copies whole pages, seven times as fast, if none is named.
      const [into, from] = stored.length === columns.length ? ['', '*'] : [`(${stored.join()})`, stored.join()]
      db.run(`INSERT INTO main."${name}" ${into} SELECT ${from} FROM backup."${name}"`)
    }
    db.run('COMMIT')
  } finally {
    db.close()
  }
}

/** How many bytes the photos in a backup have, and how much room they need as files of 4 KiB blocks in their folders. */
export function photoBytes(path: string): { bytes: number; room: number } {
  const db = openReadOnly(path)
  try {
    if (!has(db, 'backup_photos')) return { bytes: 0, room: 0 }
    const { n, bytes, blocks } = db
      .query<{ n: number; bytes: number; blocks: number }, []>(
        `SELECT count(*) AS n, coalesce(sum(length(bytes)), 0) AS bytes,
           coalesce(sum((length(bytes) + 4095) / 4096), 0) AS blocks FROM backup_photos`,
      )
      .get()!
    const folders = Math.min(n, 256) + Math.min(n, 65536)
    return { bytes, room: 4096 * (blocks + folders) }
  } finally {
    db.close()
  }
}

/**
 * Copies those photos in a backup that a database knows, and their thumbnails, to where images are kept. Who was erased
 * since has none in the database any more.
 */
export async function unpackPhotos(
  path: string,
  { databasePath, files, onBytes = () => {} }: { databasePath: string; files: Files; onBytes?: OnBytes },
): Promise<void> {
  const db = openReadOnly(path)
  const known = openReadOnly(databasePath)
  try {
    const isKnown = known.prepare<{ file: string }, [string]>('SELECT file FROM media WHERE file = ?')
    const photos = db.prepare<{ name: string; bytes: Uint8Array<ArrayBuffer> }, []>(
      'SELECT name, bytes FROM backup_photos',
    )
    // A place elsewhere lets each wait.
    const atOnce = files.remote ? 16 : 1
    const next = photos.iterate()
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const { name, bytes } of next) {
          if (isKnown.get(originalOf(name))) await files.put(name, bytes)
          onBytes(bytes.length)
        }
      }),
    )
  } finally {
    known.close()
    db.close()
  }
}

/**
 * Copies a database to a path where nothing is, without a trace of what was removed from it, and waits for the disk.
 * `userVersion` is what the copy says under that name of SQLite's.
 */
export function copyClean(db: Database, target: string, { userVersion }: { userVersion?: number } = {}) {
  closeSync(openSync(target, 'wx', 0o600))
  giveToOwner(target)
  db.prepare('VACUUM INTO ?').run(target)
  if (userVersion !== undefined) {
    const copy = new Database(target, { readwrite: true })
    copy.run('PRAGMA journal_mode = OFF')
    copy.run(`PRAGMA user_version = ${userVersion}`)
    copy.close(true)
  }
  syncFile(target)
}

function syncFile(path: string) {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}
