import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { codeOf, messageOf } from '../../lib/errors.ts'
import { status } from '../migrate.ts'
import { matchesChecksum, sha256Of } from './checksum.ts'
import { damageIn, openReadOnly } from './database.ts'
import { oneRow } from './one-row.ts'

/** The numbers of users, messages and photos in a backup. */
export type Contents = { users: number; messages: number; photos: number }

const count = (db: Database, table: string) =>
  oneRow(db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()).n

export const has = (db: Database, table: string) =>
  db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null

export const hasChecksums = (db: Database) =>
  db.query("SELECT 1 FROM pragma_table_info('backup_photos') WHERE name = 'sha256'").get() !== null

export const contentsOf = (db: Database): Contents => ({
  users: count(db, 'users'),
  messages: count(db, 'messages'),
  photos: has(db, 'backup_photos') ? count(db, "backup_photos WHERE name NOT LIKE '%.320.webp'") : 0,
})

export function refuseDamage(db: Database, what: string) {
  const damage = damageIn(db)
  if (damage !== null) throw new Error(`${what} is damaged: ${damage}`)
}

export type Examined = Contents & {
  made_at: string | null
  has_photos: boolean
  /** Whether its photos are stored beside it. */
  photos_beside: boolean
  /** Its table `community`, by name. */
  remembered: Map<string, string>
}

const unreadable: Record<string, string> = {
  SQLITE_NOTADB: 'it is not an SQLite database',
  SQLITE_CORRUPT: 'it is damaged',
}

function openBackup(path: string): Database {
  try {
    return openReadOnly(path)
  } catch (error) {
    const code = error instanceof Error ? codeOf(error.cause) : ''
    const reason = unreadable[code] ?? 'it cannot be read as a file'
    throw new Error(`${path} is not a backup of Convene: ${reason}. Choose another one`, { cause: error })
  }
}

/** Whether a file is a backup that Convene has written, whole or not. */
export function isBackup(path: string): boolean {
  try {
    const db = openReadOnly(path)
    try {
      return has(db, 'backup')
    } finally {
      db.close()
    }
  } catch {
    return false
  }
}

/**
 * Examines a backup, or a plain copy of a Convene database, and returns its contents. Throws if it is something else, damaged,
 * incomplete, or of a newer release.
 */
export function examineBackup(path: string): Examined {
  const matches = statSync(path).isFile() ? matchesChecksum(path) : null
  if (matches === false) throw damagedBackup(path, damagedPartOf(path))
  const db = openBackup(path)
  try {
    refuseDamage(db, path)
    if (status(db).every(({ applied_at }) => applied_at === null))
      throw new Error(`${path} contains no data of Convene`)
    const contents = contentsOf(db)
    const remembered = rememberedIn(db)
    if (!has(db, 'backup')) return { ...contents, remembered, made_at: null, has_photos: false, photos_beside: false }
    const said = db
      .query<Contents & { made_at: string; checksum?: string; photos_beside?: number }, []>('SELECT * FROM backup')
      .get()
    if (said === null) throw new Error(`${path} is incomplete: it lacks the record of its contents`)
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

/** Which part of a file with a wrong checksum is damaged: photos by name, or the database. */
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

const mostShown = 5

/** The first names, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const more = names.length - mostShown
  return names.slice(0, mostShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

export const damagedBackup = (path: string, reason: string, cause?: unknown) =>
  new Error(`${path} is damaged: ${reason}. Choose another backup`, { cause })

/** The table `community` of a database, by name. */
export function rememberedIn(db: Database): Map<string, string> {
  if (!has(db, 'community')) return new Map()
  return new Map(
    db
      .query<{ name: string; value: string }, []>('SELECT name, value FROM community')
      .all()
      .map(({ name, value }) => [name, value]),
  )
}
