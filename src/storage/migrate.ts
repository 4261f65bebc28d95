import type { Database } from 'bun:sqlite'
import { migrations, type Migration } from '../../migrations/index.ts'

export type MigrationState = Pick<Migration, 'number' | 'name'> & { applied_at: string | null }

/** The database cannot be used as it is; the message tells the operator what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

const newest = migrations.at(-1)!.number
const label = (m: Pick<Migration, 'number' | 'name'>) => `${String(m.number).padStart(4, '0')}_${m.name}`

function appliedNumbers(db: Database): Map<number, string> {
  const others = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' LIMIT 1").get()
  const ours = db.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'").get()
  if (others && !ours)
    throw new MigrationError(
      'this database belongs to another program: it has tables, but none of Convene’s migrations',
    )
  if (!ours) return new Map()
  const rows = db
    .query<{ number: number; applied_at: string }, []>('SELECT number, applied_at FROM schema_migrations')
    .all()
  const unknown = rows.find(({ number }) => !migrations.some((m) => m.number === number))
  if (unknown)
    throw new MigrationError(
      `this database is at migration ${unknown.number}, newer than this release knows (${newest}): start a newer Convene, or restore an older backup`,
    )
  return new Map(rows.map((row) => [row.number, row.applied_at]))
}

/** Each known migration in order, with the time it was applied or null. Changes nothing. */
export function status(db: Database): MigrationState[] {
  const applied = appliedNumbers(db)
  return migrations.map(({ number, name }) => ({ number, name, applied_at: applied.get(number) ?? null }))
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
      db.query('INSERT INTO schema_migrations (number, name, applied_at) VALUES (?, ?, ?)').run(
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
    .slice(-steps)
    .reverse()
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
    throw new MigrationError(`migration ${label(migration)} failed and was undone: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
