import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import type { Files } from '../../features/media/files.ts'
import { addPhotos, type OnBytes, type PhotosBeside, photosTable, putBeside } from './backup-photos.ts'
import { appendChecksum } from './checksum.ts'
import { knownFiles } from '../sql/media.ts'
import { openReadOnly, withDrizzle } from './database.ts'
import { sqliteReader } from './engine.ts'
import { type Contents, contentsOf, refuseDamage } from './examine-backup.ts'
import { oneRow } from './one-row.ts'
import { syncSteadily } from './steady-sync.ts'

/**
 * A backup is a Convene database with these extra tables and a checksum at its end, so it is one file that SQLite can
 * examine. The column records that there must be a checksum; backups of earlier releases have neither.
 */
const backupTable = `
  CREATE TABLE backup (made_at TEXT NOT NULL, release TEXT NOT NULL, users INTEGER NOT NULL, messages INTEGER NOT NULL, photos INTEGER NOT NULL, checksum TEXT NOT NULL, photos_beside INTEGER NOT NULL)`

// A server's group of writes takes some milliseconds, a migration perhaps seconds.
const patienceMs = 10_000

/** How many bytes of progress `writeBackup` reports: it copies the database, adds the photos, and examines the result. */
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
      db
        .query<{ bytes: number }, []>(
          'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
        )
        .get(),
    )
    return bytes + (photos ? storedBytes(db) : 0)
  } finally {
    db.close()
  }
}

/** The size of all photos. A database that is not migrated yet may have no thumbnails. */
function storedBytes(db: Database): number {
  const hasThumbs = db.query("SELECT 1 FROM pragma_table_info('media') WHERE name = 'thumb_bytes'").get() !== null
  const each = hasThumbs ? 'bytes + coalesce(thumb_bytes, 0)' : 'bytes'
  return oneRow(db.query<{ bytes: number }, []>(`SELECT coalesce(sum(${each}), 0) AS bytes FROM media`).get()).bytes
}

type Backup = {
  databasePath: string
  files: Files | null
  beside?: PhotosBeside | null
  release: string
  at: number
  onBytes?: OnBytes
  /** Counts which of the files the live database knows now. Required if `databasePath` is a copy of the live database. */
  countKnown?: (names: readonly string[]) => Promise<number>
}

/**
 * Writes a backup of a database and its images into an empty file, beside a running server: it reads one snapshot while the
 * server continues to write. Without `files`, it contains only the database. With `beside`, it puts the photos that are not in
 * that store yet into it, and the backup contains only a list of them. Resolves when the backup is examined and on disk; throws
 * if the result is damaged. `lost` is how many images of the database have no file.
 */
export const writeBackup = (file: string, backup: Backup): Promise<Contents & { lost: number }> =>
  syncSteadily(file, () => write(file, backup))

async function write(
  file: string,
  {
    databasePath,
    files,
    beside = null,
    release,
    at,
    onBytes = () => {},
    countKnown = (names) => stillKnown(databasePath, names),
  }: Backup,
): Promise<Contents & { lost: number }> {
  const { size } = statSync(databasePath)
  const source = new Database(databasePath, { readwrite: true })
  try {
    source.run(`PRAGMA busy_timeout = ${patienceMs}`)
    // The log has grown during our read. The server checkpoints it: a checkpoint from here would block the server.
    source.run('PRAGMA wal_autocheckpoint = 0')
    // Copies live data only, nothing that was removed.
    source.prepare('VACUUM INTO ?').run(file)
    onBytes(size)
  } finally {
    source.close()
  }
  let lost = 0
  const backup = new Database(file, { readwrite: true, strict: true })
  try {
    // A file that a crash leaves is recognised as incomplete, so this needs no journal and no sync before the end.
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
