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
import { codeOf, messageOf } from '../../lib/errors.ts'
import { oneRow } from './one-row.ts'

/** What a backup holds, in numbers. */
export type Contents = { users: number; messages: number; photos: number }

/**
 * A backup is a Convene database with these extra tables and a checksum at its end, so it is one file that SQLite can
 * examine. The column records that there must be a checksum; backups of earlier releases have neither.
 */
const backupTable = `
  CREATE TABLE backup (made_at TEXT NOT NULL, release TEXT NOT NULL, users INTEGER NOT NULL, messages INTEGER NOT NULL, photos INTEGER NOT NULL, checksum TEXT NOT NULL, photos_beside INTEGER NOT NULL)`
// `bytes` is null if the photos are stored beside the backup.
const photosTable =
  'CREATE TABLE backup_photos (name TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL, bytes BLOB)'

// A server's group of writes takes some milliseconds, a migration perhaps seconds.
const patienceMs = 10_000
const batch = 500
const putsAtOnce = 8

/**
 * The store of the photos of incremental backups, each once, named after the checksum of its bytes. An image whose bytes
 * change under its name (`admin lost-photos`) is therefore another file here.
 */
export type PhotosBeside = {
  files: Files
  /** As messages show it. */
  shown: string
  /** Throws if there is no space for that many bytes of new files. */
  refuseWithoutRoom(bytes: number): void
}

/** The name of a photo in that store, by the SHA-256 of its bytes. */
export const besideName = (sha256: string) => `${sha256}.webp`
const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Called with the number of bytes processed since the last call. */
export type OnBytes = (count: number) => void

/** How many bytes `writeBackup` will report: it copies and examines the database, and adds the photos. */
export function backupBytes(databasePath: string, { photos }: { photos: boolean }): number {
  const db = openReadOnly(databasePath)
  try {
    return 2 * statSync(databasePath).size + (photos ? storedBytes(db) : 0)
  } finally {
    db.close()
  }
}

/** How much space a backup needs, in bytes: the live data of the database, and the photos. */
export function backupRoom(databasePath: string, { photos }: { photos: boolean }): number {
  const db = openReadOnly(databasePath)
  try {
    const { bytes } = oneRow(
      db.query<{ bytes: number }, []>(
        'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
      ),
    )
    return bytes + (photos ? storedBytes(db) : 0)
  } finally {
    db.close()
  }
}

/** A database that is not migrated yet may have no thumbnails. */
function storedBytes(db: Database): number {
  const hasThumbs = db.query("SELECT 1 FROM pragma_table_info('media') WHERE name = 'thumb_bytes'").get() !== null
  const each = hasThumbs ? 'bytes + coalesce(thumb_bytes, 0)' : 'bytes'
  return oneRow(db.query<{ bytes: number }, []>(`SELECT coalesce(sum(${each}), 0) AS bytes FROM media`)).bytes
}

/**
 * Writes a backup of a database and its images into an empty file, beside a running server: it reads one snapshot while the
 * server continues to write. Without `files`, it contains only the database. Examined and on disk when it resolves; throws
 * if the result is not whole. `lost` is how many images that the database knows have no file.
 * With `beside`, it puts the photos that are not there yet into that place, and the backup contains a list of them.
 */
export async function writeBackup(
  file: string,
  {
    databasePath,
    files,
    beside = null,
    release,
    at,
    onBytes = () => {},
    countKnown = (names) => stillKnown(databasePath, names),
  }: {
    databasePath: string
    files: Files | null
    beside?: PhotosBeside | null
    release: string
    at: number
    onBytes?: OnBytes
    /** How many of the files the live database knows now, where that is another one than the one that is backed up. */
    countKnown?: (names: readonly string[]) => Promise<number>
  },
): Promise<Contents & { lost: number }> {
  const { size } = statSync(databasePath)
  const source = new Database(databasePath, { readwrite: true })
  try {
    source.run(`PRAGMA busy_timeout = ${patienceMs}`)
    // The log has grown during our read. Leave the checkpoint to the server: from here it would block it.
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
    // A crash leaves a file that does not pass for a backup, so this needs no journal and no sync before the end.
    backup.run('PRAGMA journal_mode = OFF')
    backup.run('PRAGMA synchronous = OFF')
    backup.run('BEGIN')
    backup.run(backupTable)
    if (files) {
      backup.run(photosTable)
      const missing = await addPhotos(backup, files, { withBytes: beside === null, onBytes })
      lost = await countKnown(missing)
      // A backup that fails anyway writes no photo.
      if (beside && lost === 0) lost = await countKnown(await putBeside(backup, files, beside))
    }
    const { users, messages, photos } = contentsOf(backup)
    backup
      .prepare(
        "INSERT INTO backup (made_at, release, users, messages, photos, checksum, photos_beside) VALUES (?, ?, ?, ?, ?, 'sha256', ?)",
      )
      .run(new Date(at).toISOString(), release, users, messages, photos, files && beside ? 1 : 0)
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

/** Adds the photos, or with `withBytes: false` only their sizes and checksums. Returns the names of missing ones. */
async function addPhotos(
  backup: Database,
  files: Files,
  { withBytes, onBytes }: { withBytes: boolean; onBytes: OnBytes },
): Promise<string[]> {
  const missing: string[] = []
  const namesAfter = backup.prepare<{ file: string }, [string, number]>(
    'SELECT file FROM media WHERE file > ? ORDER BY file LIMIT ?',
  )
  const insert = backup.prepare<null, [string, number, string, Uint8Array | null]>(
    'INSERT INTO backup_photos (name, size, sha256, bytes) VALUES (?, ?, ?, ?)',
  )
  const add = (name: string, bytes: Uint8Array) =>
    insert.run(name, bytes.length, sha256Of(bytes), withBytes ? bytes : null)
  for (let last = ''; ;) {
    const names = namesAfter.all(last, batch).map(({ file }) => file)
    for (const name of names) {
      // A photo removed meanwhile is still in the copy of the database, and shows as missing.
      const bytes = await bytesOf(files, name)
      if (!bytes || bytes.length === 0) {
        missing.push(name)
        continue
      }
      add(name, bytes)
      onBytes(bytes.length)
    }
    // Not every image has one.
    for (const name of names.map(thumbOf)) {
      const bytes = await bytesOf(files, name)
      if (bytes) add(name, bytes)
    }
    const lastRead = names.at(-1)
    if (lastRead === undefined || names.length < batch) return missing
    last = lastRead
  }
}

/**
 * Stores the photos that a backup lists and that are not in the store with their size. Removes photos from the list that have
 * disappeared meanwhile, and returns the names of those that are images.
 */
async function putBeside(backup: Database, files: Files, beside: PhotosBeside): Promise<string[]> {
  backup.run('CREATE TEMP TABLE there (name TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (name, size))')
  const add = backup.prepare<null, [string, number]>('INSERT OR IGNORE INTO temp.there (name, size) VALUES (?, ?)')
  for await (const { name, size } of beside.files.list()) add.run(name, size)
  backup.run(
    `CREATE TEMP TABLE new AS SELECT name, size, sha256 FROM backup_photos
     WHERE (sha256 || '.webp', size) NOT IN (SELECT name, size FROM temp.there)`,
  )
  const { room } = oneRow(
    backup.query<{ room: number }, []>(
      'SELECT coalesce(sum((size + 4095) / 4096 * 4096), 0) AS room FROM (SELECT DISTINCT size, sha256 FROM temp.new)',
    ),
  )
  beside.refuseWithoutRoom(room)
  const remove = backup.prepare<null, [string]>('DELETE FROM backup_photos WHERE name = ?')
  const change = backup.prepare<null, [number, string, string]>(
    'UPDATE backup_photos SET size = ?, sha256 = ? WHERE name = ?',
  )
  const gone: string[] = []
  // Two images may have the same bytes.
  const put = new Set<string>()
  const next = backup.prepare<{ name: string; sha256: string }, []>('SELECT name, sha256 FROM temp.new').iterate()
  await inTurns(putsAtOnce, next, async ({ name, sha256 }) => {
    const bytes = await bytesOf(files, name)
    if (!bytes || bytes.length === 0) {
      remove.run(name)
      if (originalOf(name) === name) gone.push(name)
      return
    }
    const now = sha256Of(bytes)
    if (now !== sha256) change.run(bytes.length, now, name)
    if (put.has(now)) return
    put.add(now)
    await beside.files.put(besideName(now), bytes)
  })
  for (const table of ['there', 'new']) backup.run(`DROP TABLE temp.${table}`)
  return gone
}

/** Works on the items, several at once. Throws the first failure after the work in progress has ended. */
async function inTurns<T>(atOnce: number, next: IterableIterator<T>, work: (one: T) => Promise<void>): Promise<void> {
  let failed = false
  const outcomes = await Promise.allSettled(
    Array.from({ length: atOnce }, async () => {
      try {
        while (!failed) {
          const { value, done } = next.next()
          if (done) return
          await work(value)
        }
      } catch (error) {
        failed = true
        throw error
      }
    }),
  )
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** Null if there is no such file, also if it was removed meanwhile. */
const bytesOf = async (files: Files, name: string) => (await files.get(name))?.bytes().catch(gone) ?? null

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
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

const count = (db: Database, table: string) =>
  oneRow(db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`)).n

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
  /** Whether its photos are stored beside it. */
  photos_beside: boolean
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
    const code = error instanceof Error ? codeOf(error.cause) : ''
    const reason = unreadable[code] ?? 'it cannot be read as a file'
    throw new Error(`${path} is no backup of Convene: ${reason}. Choose another one`, { cause: error })
  }
}

/**
 * Examines a backup, or a bare copy of a database of ours, and answers what it holds. Throws if it is something else,
 * damaged, incomplete, or newer than this release knows.
 */
export function examineBackup(path: string): Examined {
  const matches = statSync(path).isFile() ? matchesChecksum(path) : null
  if (matches === false) throw damagedBackup(path, damagedPartOf(path))
  const db = openBackup(path)
  try {
    refuseDamage(db, path)
    if (status(db).every(({ applied_at }) => applied_at === null)) throw new Error(`${path} holds no data of Convene`)
    const contents = contentsOf(db)
    const remembered = rememberedIn(db)
    if (!has(db, 'backup')) return { ...contents, remembered, made_at: null, has_photos: false, photos_beside: false }
    const said = db
      .query<Contents & { made_at: string; checksum?: string; photos_beside?: number }, []>('SELECT * FROM backup')
      .get()
    if (said === null) throw new Error(`${path} is incomplete: it does not say what it should hold`)
    if (said.checksum !== undefined && matches === null) throw damagedBackup(path, 'the checksum at its end is missing')
    for (const kind of ['users', 'messages', 'photos'] as const)
      if (contents[kind] !== said[kind])
        throw new Error(`${path} is incomplete: it holds ${contents[kind]} ${kind}, and should hold ${said[kind]}`)
    return {
      ...contents,
      remembered,
      made_at: said.made_at,
      has_photos: has(db, 'backup_photos'),
      photos_beside: said.photos_beside === 1,
    }
  } catch (error) {
    throw codeOf(error).startsWith('SQLITE_') ? damagedBackup(path, messageOf(error), error) : error
  } finally {
    db.close()
  }
}

/** Says which part of a file with a wrong checksum is damaged: photos by name, or else the database. */
function damagedPartOf(path: string): string {
  const other = 'its database does not match the checksum'
  try {
    const db = openReadOnly(path)
    try {
      if (!has(db, 'backup_photos') || !hasChecksums(db)) return other
      const damaged: string[] = []
      const photos = db.query<{ name: string; sha256: string; bytes: Uint8Array | null }, []>(
        'SELECT name, sha256, bytes FROM backup_photos',
      )
      for (const { name, sha256, bytes } of photos.iterate())
        if (bytes && sha256Of(bytes) !== sha256) damaged.push(name)
      return damaged.length === 0 ? other : `${someOf(damaged)} in it does not match the checksum`
    } finally {
      db.close()
    }
  } catch {
    return other
  }
}

const hasChecksums = (db: Database) =>
  db.query("SELECT 1 FROM pragma_table_info('backup_photos') WHERE name = 'sha256'").get() !== null

const mostShown = 5

/** The first names, and how many more there are. */
function someOf(names: readonly string[]): string {
  const more = names.length - mostShown
  return names.slice(0, mostShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const damagedBackup = (path: string, reason: string, cause?: unknown) =>
  new Error(`${path} is damaged: ${reason}. Choose another backup`, { cause })

/** What a database remembers of its community, by name. */
export function rememberedIn(db: Database): Map<string, string> {
  if (!has(db, 'community')) return new Map()
  return new Map(
    db
      .query<{ name: string; value: string }, []>('SELECT name, value FROM community')
      .all()
      .map(({ name, value }) => [name, value]),
  )
}

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

/** How many bytes the photos in the file have, and how much room all of them need as files of 4 KiB blocks in their folders. */
export function photoBytes(path: string): { bytes: number; room: number } {
  const db = openReadOnly(path)
  try {
    if (!has(db, 'backup_photos')) return { bytes: 0, room: 0 }
    const size = hasChecksums(db) ? 'size' : 'length(bytes)'
    const { n, bytes, blocks } = oneRow(
      db.query<{ n: number; bytes: number; blocks: number }, []>(
        `SELECT count(*) AS n, coalesce(sum(length(bytes)), 0) AS bytes,
           coalesce(sum((${size} + 4095) / 4096), 0) AS blocks FROM backup_photos`,
      ),
    )
    const folders = Math.min(n, 256) + Math.min(n, 65536)
    return { bytes, room: 4096 * (blocks + folders) }
  } finally {
    db.close()
  }
}

/** The SHA-256 of each photo that a backup needs from the store beside it. */
export function neededBeside(path: string): string[] {
  const db = openReadOnly(path)
  try {
    if (!has(db, 'backup_photos') || !hasChecksums(db)) return []
    const needed = 'SELECT DISTINCT sha256 FROM backup_photos WHERE bytes IS NULL'
    return db
      .query<{ sha256: string }, []>(needed)
      .all()
      .map(({ sha256 }) => sha256)
  } catch (error) {
    throw damagedBackup(path, messageOf(error), error)
  } finally {
    db.close()
  }
}

type PhotoRow = { name: string; sha256: string | null; bytes: Uint8Array<ArrayBuffer> | null }

/**
 * Calls `take` with each wanted photo of a backup that is whole. Returns a description of each of the others, with the name of
 * the photo and of its file.
 */
async function takePhotos(
  db: Database,
  beside: PhotosBeside | null,
  { atOnce, take }: { atOnce: number; take: (name: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void> },
  isWanted: (name: string) => boolean = () => true,
): Promise<string[]> {
  const sha256 = hasChecksums(db) ? 'sha256' : 'NULL AS sha256'
  const photos = db.prepare<PhotoRow, []>(`SELECT name, ${sha256}, bytes FROM backup_photos`)
  const wrong: string[] = []
  await inTurns(atOnce, photos.iterate(), async ({ name, sha256, bytes: within }) => {
    if (!isWanted(name)) return
    const file = sha256 === null ? name : besideName(sha256)
    const bytes = within ?? (beside && (await bytesOf(beside.files, file)))
    if (bytes && (sha256 === null || sha256Of(bytes) === sha256)) return take(name, bytes)
    const reason = !bytes ? 'is missing' : bytes.length === 0 ? 'is empty' : 'does not match its checksum'
    wrong.push(`${name} (${file} ${reason})`)
  })
  return wrong
}

/** Throws if photos beside a backup are not whole, and names them. */
export async function examinePhotos(path: string, beside: PhotosBeside): Promise<void> {
  const db = openReadOnly(path)
  try {
    const atOnce = beside.files.remote ? 16 : 1
    const wrong = await takePhotos(db, beside, { atOnce, take: async () => {} })
    if (wrong.length > 0) throw new Error(damagedPhotos(wrong, beside.shown))
  } finally {
    db.close()
  }
}

const damagedPhotos = (wrong: readonly string[], shown: string) =>
  `${wrong.length} of the photos in ${shown} ${wrong.length === 1 ? 'is' : 'are'} not whole: ${someOf(wrong)}`

/**
 * Copies the photos in a backup that a database knows, and their thumbnails, to the image store. Users erased since have
 * none in the database. Throws if a photo is not whole; with `skipDamaged`, skips it. Returns how many were skipped.
 */
export async function unpackPhotos(
  path: string,
  {
    databasePath,
    files,
    beside,
    skipDamaged,
    onBytes = () => {},
  }: {
    databasePath: string
    files: Files
    beside: PhotosBeside | null
    skipDamaged: boolean
    onBytes?: OnBytes
  },
): Promise<number> {
  const db = openReadOnly(path)
  const known = openReadOnly(databasePath)
  try {
    const isKnown = known.prepare<{ file: string }, [string]>('SELECT file FROM media WHERE file = ?')
    // A remote store has latency, so copy several at once.
    const atOnce = files.remote || beside?.files.remote ? 16 : 1
    const take = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
      await files.put(name, bytes)
      onBytes(bytes.length)
    }
    const wrong = await takePhotos(db, beside, { atOnce, take }, (name) => isKnown.get(originalOf(name)) !== null)
    if (wrong.length > 0 && !skipDamaged)
      throw new Error(
        `${damagedPhotos(wrong, beside?.shown ?? path)}. Restore without them by --skip-damaged, or say where whole ones lie by --photos PLACE`,
      )
    return wrong.length
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
