import { constants, Database } from 'bun:sqlite'
import { closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { Files } from '../../features/media/files.ts'
import { status } from '../migrate.ts'
import { damageIn, openReadOnly } from './database.ts'

/** What a backup holds, in numbers. */
export type Contents = { users: number; messages: number; photos: number }

/** A backup is a database of ours with these tables more: so it is one file, which SQLite itself can examine. */
const backupTable = `
  CREATE TABLE backup (made_at TEXT NOT NULL, release TEXT NOT NULL, users INTEGER NOT NULL, messages INTEGER NOT NULL, photos INTEGER NOT NULL)`
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
    const { bytes } = db.query<{ bytes: number }, []>('SELECT coalesce(sum(bytes), 0) AS bytes FROM media').get()!
    return 2 * statSync(databasePath).size + (photos ? bytes : 0)
  } finally {
    db.close()
  }
}

/**
 * Writes a backup of a database and its images into an empty file, beside a running server: what it reads is one moment's
 * state, and the server goes on writing. Without `files`, of the database alone. Examined and on disk when it resolves;
 * throws where the result is not whole.
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
): Promise<Contents> {
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
  const backup = new Database(file, { readwrite: true, strict: true })
  try {
    // A crash leaves a file that nobody takes for a backup: no need for a journal, nor to wait for the disk before the end.
    backup.run('PRAGMA journal_mode = OFF')
    backup.run('PRAGMA synchronous = OFF')
    backup.run('BEGIN')
    backup.run(backupTable)
    if (files) {
      backup.run(photosTable)
      await addPhotos(backup, files, onBytes)
    }
    const { users, messages, photos } = contentsOf(backup)
    backup
      .prepare('INSERT INTO backup (made_at, release, users, messages, photos) VALUES (?, ?, ?, ?, ?)')
      .run(new Date(at).toISOString(), release, users, messages, photos)
    backup.run('COMMIT')
    refuseDamage(backup, 'the backup')
    onBytes(size)
    return { users, messages, photos }
  } finally {
    backup.close()
    syncFile(file)
  }
}

async function addPhotos(backup: Database, files: Files, onBytes: OnBytes) {
  const namesAfter = backup.prepare<{ file: string }, [string, number]>(
    'SELECT file FROM media WHERE file > ? ORDER BY file LIMIT ?',
  )
  const add = backup.prepare<null, [string, Uint8Array]>('INSERT INTO backup_photos (name, bytes) VALUES (?, ?)')
  for (let last = ''; ;) {
    const names = namesAfter.all(last, batch).map(({ file }) => file)
    for (const name of names) {
      const stored = await files.get(name)
      // One that was removed meanwhile is in the database still, and its photo shown as gone.
      const bytes = stored && (await stored.bytes().catch(gone))
      if (!bytes) continue
      add.run(name, bytes)
      onBytes(bytes.length)
    }
    if (names.length < batch) return
    last = names.at(-1)!
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
  photos: has(db, 'backup_photos') ? count(db, 'backup_photos') : 0,
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
  const db = openBackup(path)
  try {
    refuseDamage(db, path)
    if (status(db).every(({ applied_at }) => applied_at === null)) throw new Error(`${path} holds no data of Convene`)
    const contents = contentsOf(db)
    const remembered = has(db, 'community') ? communityIn(db) : new Map<string, string>()
    if (!has(db, 'backup')) return { ...contents, remembered, made_at: null, has_photos: false }
    const said = db.query<Contents & { made_at: string }, []>('SELECT * FROM backup').get()
    for (const kind of ['users', 'messages', 'photos'] as const)
      if (contents[kind] !== said?.[kind])
        throw new Error(`${path} is incomplete: it holds ${contents[kind]} ${kind}, and should hold ${said?.[kind]}`)
    return { ...contents, remembered, made_at: said!.made_at, has_photos: has(db, 'backup_photos') }
  } finally {
    db.close()
  }
}

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
      if (type === 'table') db.run(`INSERT INTO main."${name}" SELECT * FROM backup."${name}"`)
    }
    db.run('COMMIT')
  } finally {
    db.close()
  }
}

/** How many bytes the photos in a backup take. */
export function photoBytes(path: string): number {
  const db = openReadOnly(path)
  try {
    if (!has(db, 'backup_photos')) return 0
    return db.query<{ n: number }, []>('SELECT coalesce(sum(length(bytes)), 0) AS n FROM backup_photos').get()!.n
  } finally {
    db.close()
  }
}

/** Copies the photos in a backup to where images are kept. */
export async function unpackPhotos(path: string, files: Files, onBytes: OnBytes = () => {}): Promise<void> {
  const db = openReadOnly(path)
  try {
    const photos = db.prepare<{ name: string; bytes: Uint8Array<ArrayBuffer> }, []>(
      'SELECT name, bytes FROM backup_photos',
    )
    // A place elsewhere lets each wait.
    const atOnce = files.remote ? 16 : 1
    const next = photos.iterate()
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const { name, bytes } of next) {
          await files.put(name, bytes)
          onBytes(bytes.length)
        }
      }),
    )
  } finally {
    db.close()
  }
}

/** Copies a database to a path where nothing is, without a trace of what was removed from it, and waits for the disk. */
export function copyClean(db: Database, target: string) {
  closeSync(openSync(target, 'wx', 0o600))
  db.prepare('VACUUM INTO ?').run(target)
  syncFile(target)
}

function syncFile(path: string) {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}
