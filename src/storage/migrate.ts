import type { Database } from 'bun:sqlite'
import { migrations, type Migration } from '../../migrations/index.ts'

export type MigrationState = Pick<Migration, 'number' | 'name'> & { applied_at: string | null }

/** The database cannot be used as it is; the message tells the operator what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

export const newest = migrations.at(-1)!.number
/** Such as `0001_users_consents_audit`. */
export const label = (m: Pick<Migration, 'number' | 'name'>) => `${String(m.number).padStart(4, '0')}_${m.name}`

// Other programs keep a table of this name too; these are the columns of ours.
export const columns = 'number, name, applied_at'
/** The table that a database has while `convene copy` fills it. */
export const copyMark = 'unfinished_copy'

/** What is applied, by number. Throws where that is none of ours, or a step that this release does not know. */
export function appliedOf(
  rows: readonly { number: number; applied_at: string }[],
  { isForeign, isHalfCopied }: { isForeign: boolean; isHalfCopied: boolean },
): Map<number, string> {
  if (isForeign)
    throw new MigrationError(
      'this database belongs to another program: it has tables, but not the record of Convene’s migrations',
    )
  if (isHalfCopied)
    throw new MigrationError('this database is half copied: run the same convene copy again, which goes on with it')
  const unknown = rows.map(({ number }) => number).filter((number) => !migrations.some((m) => m.number === number))
  if (unknown.length > 0)
    throw new MigrationError(
      `this database is at migration ${Math.max(...unknown)}, newer than this release knows (${newest}): start a newer Convene, or restore an older backup`,
    )
  return new Map(rows.map((row) => [row.number, row.applied_at]))
}

/** Each known migration in order, with the time it was applied or null. */
export const statesOf = (applied: Map<number, string>): MigrationState[] =>
  migrations.map(({ number, name }) => ({ number, name, applied_at: applied.get(number) ?? null }))

export const failed = (migration: Migration, error: unknown) =>
  new MigrationError(`migration ${label(migration)} failed and was undone: ${(error as Error).message}`, {
    cause: error,
  })

// The rest is SQLite's; storage/postgres/migrate.ts has the same for PostgreSQL.

function appliedNumbers(db: Database): Map<number, string> {
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  if (tables.length === 0) return new Map()
  const ours = db
    .query<{ columns: string | null }, []>(
      "SELECT group_concat(name, ', ') AS columns FROM pragma_table_info('schema_migrations')",
    )
    .get()
  const isForeign = ours?.columns !== columns
  const rows = isForeign
    ? []
    : db.query<{ number: number; applied_at: string }, []>(`SELECT ${columns} FROM schema_migrations`).all()
  return appliedOf(rows, { isForeign, isHalfCopied: tables.some(({ name }) => name === copyMark) })
}

/** Each known migration in order, with the time it was applied or null. Changes nothing. */
export function status(db: Database): MigrationState[] {
  return statesOf(appliedNumbers(db))
}

/** Applies what is missing, each step in a transaction of its own. Returns the names of the steps applied. */
export function up(
  db: Database,
  { to = newest, now = Date.now, onStep }: { to?: number; now?: () => number; onStep?: (name: string) => void } = {},
): string[] {
  const applied = appliedNumbers(db)
  db.run(
    'CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, applied_at TEXT NOT NULL)',
  )
  const missing = migrations.filter((m) => m.number <= to && !applied.has(m.number))
  for (const migration of missing) {
    step(db, migration, () => {
      db.run(migration.up)
      db.query(`INSERT INTO schema_migrations (${columns}) VALUES (?, ?, ?)`).run(
        migration.number,
        migration.name,
        new Date(now()).toISOString(),
      )
    })
    onStep?.(label(migration))
  }
  return missing.map(label)
}

/** Takes back the newest `steps` migrations, each in a transaction of its own. Returns the names of those taken back. */
export function down(
  db: Database,
  { steps = 1, onStep }: { steps?: number; onStep?: (name: string) => void } = {},
): string[] {
  const applied = appliedNumbers(db)
  const last = migrations
    .filter((m) => applied.has(m.number))
    .reverse()
    .slice(0, steps)
  for (const migration of last) {
    step(db, migration, () => {
      db.run(migration.down)
      db.query('DELETE FROM schema_migrations WHERE number = ?').run(migration.number)
    })
    onStep?.(label(migration))
  }
  return last.map(label)
}

function step(db: Database, migration: Migration, change: () => void) {
  try {
    db.transaction(change).immediate()
  } catch (error) {
    throw failed(migration, error)
  }
}
