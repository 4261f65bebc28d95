import type { Database } from 'bun:sqlite'
import { type Files, originalOf, thumbOf } from '../../features/media/files.ts'
import { codeOf, messageOf } from '../../lib/errors.ts'
import { sha256Of } from './checksum.ts'
import { openReadOnly } from './database.ts'
import { damagedBackup, has, hasChecksums, someOf } from './examine-backup.ts'
import { oneRow } from './one-row.ts'

// The photos of a backup are in its file, or beside it in a separate store.

// `bytes` is null if the photos are stored beside the backup.
export const photosTable =
  'CREATE TABLE backup_photos (name TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL, bytes BLOB)'

const batch = 500
const putsAtOnce = 8

/**
 * The store for the photos of incremental backups. Each photo is stored once, under the checksum of its bytes, so an image
 * whose bytes change under its name (`admin lost-photos`) becomes another file here.
 */
export type PhotosBeside = {
  files: Files
  /** The place as messages show it. */
  shown: string
  /** Throws if there is no space for that many bytes of new files. */
  refuseWithoutSpace(bytes: number): void
}

/** The name of a photo in that store, by the SHA-256 of its bytes. */
export const besideName = (sha256: string) => `${sha256}.webp`

/** Called with the number of bytes processed since the last call. */
export type OnBytes = (count: number) => void

/** Adds the photos, or with `withBytes: false` only their sizes and checksums. Returns the names of missing ones. */
export async function addPhotos(
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
      // A photo that was removed since is still in the copy of the database, and counts as missing.
      const bytes = await bytesOf(files, name)
      if (!bytes || bytes.length === 0) {
        missing.push(name)
        continue
      }
      add(name, bytes)
      onBytes(bytes.length)
    }
    // Not every image has a thumbnail.
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
 * Stores the photos of a backup's list that are not in the store with the same size. Removes photos that have disappeared since
 * from the list, and returns the names of those that are originals.
 */
export async function putBeside(backup: Database, files: Files, beside: PhotosBeside): Promise<string[]> {
  backup.run('CREATE TEMP TABLE there (name TEXT NOT NULL, size INTEGER NOT NULL, PRIMARY KEY (name, size))')
  const add = backup.prepare<null, [string, number]>('INSERT OR IGNORE INTO temp.there (name, size) VALUES (?, ?)')
  for await (const { name, size } of beside.files.list()) add.run(name, size)
  backup.run(
    `CREATE TEMP TABLE new AS SELECT name, size, sha256 FROM backup_photos
     WHERE (sha256 || '.webp', size) NOT IN (SELECT name, size FROM temp.there)`,
  )
  const { needed } = oneRow(
    backup
      .query<{ needed: number }, []>(
        'SELECT coalesce(sum((size + 4095) / 4096 * 4096), 0) AS needed FROM (SELECT DISTINCT size, sha256 FROM temp.new)',
      )
      .get(),
  )
  beside.refuseWithoutSpace(needed)
  const remove = backup.prepare<null, [string]>('DELETE FROM backup_photos WHERE name = ?')
  const change = backup.prepare<null, [number, string, string]>(
    'UPDATE backup_photos SET size = ?, sha256 = ? WHERE name = ?',
  )
  const gone: string[] = []
  // Two images may have the same bytes.
  const put = new Set<string>()
  const next = backup.prepare<{ name: string; sha256: string }, []>('SELECT name, sha256 FROM temp.new').iterate()
  await forEachOf(next, putsAtOnce, async ({ name, sha256 }) => {
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

/** Works on the items, `atOnce` at a time. Throws the first failure after the work in progress has ended. */
async function forEachOf<T>(next: IterableIterator<T>, atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
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

/** The bytes of a file; null if it does not exist or has just been removed. */
const bytesOf = async (files: Files, name: string) => (await files.get(name))?.bytes().catch(gone) ?? null

function gone(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

/** The bytes of the photos in a backup's file, and the space that all of its photos need as files, in blocks of 4 KiB. */
export function photoBytes(path: string): { bytes: number; room: number } {
  const db = openReadOnly(path)
  try {
    if (!has(db, 'backup_photos')) return { bytes: 0, room: 0 }
    const size = hasChecksums(db) ? 'size' : 'length(bytes)'
    const { n, bytes, blocks } = oneRow(
      db
        .query<{ n: number; bytes: number; blocks: number }, []>(
          `SELECT count(*) AS n, coalesce(sum(length(bytes)), 0) AS bytes,
           coalesce(sum((${size} + 4095) / 4096), 0) AS blocks FROM backup_photos`,
        )
        .get(),
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

/** What is wrong with a photo names it and its file. */
type Damaged = { name: string; problem: string }

/** Calls `take` with each wanted photo of a backup that is whole. Returns the others. */
async function takePhotos(
  db: Database,
  beside: PhotosBeside | null,
  { atOnce, take }: { atOnce: number; take: (name: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void> },
  isWanted: (name: string) => boolean = () => true,
): Promise<Damaged[]> {
  const sha256 = hasChecksums(db) ? 'sha256' : 'NULL AS sha256'
  const photos = db.prepare<PhotoRow, []>(`SELECT name, ${sha256}, bytes FROM backup_photos`)
  const wrong: Damaged[] = []
  await forEachOf(photos.iterate(), atOnce, async ({ name, sha256, bytes: within }) => {
    if (!isWanted(name)) return
    const file = sha256 === null ? name : besideName(sha256)
    const bytes = within ?? (beside && (await bytesOf(beside.files, file)))
    if (bytes && (sha256 === null || sha256Of(bytes) === sha256)) return take(name, bytes)
    const reason = !bytes ? 'is missing' : bytes.length === 0 ? 'is empty' : 'does not match its checksum'
    wrong.push({ name, problem: `${name} (${file} ${reason})` })
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

const damagedPhotos = (wrong: readonly Damaged[], shown: string) =>
  `${wrong.length} of the photos in ${shown} ${wrong.length === 1 ? 'is' : 'are'} not whole: ${someOf(wrong.map(({ problem }) => problem))}`

/**
 * Copies the photos in a backup that a database knows, and their thumbnails, to the image store. Photos of users who were erased
 * since are not in the database. Throws if a photo is damaged; with `skipDamaged`, skips it. Returns how many were skipped:
 * thumbnails do not count, because the photo is shown in their place.
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
        `${damagedPhotos(wrong, beside?.shown ?? path)}. Restore without them by --skip-damaged, or name a place with intact ones by --photos PLACE`,
      )
    return wrong.filter(({ name }) => originalOf(name) === name).length
  } finally {
    known.close()
    db.close()
  }
}
