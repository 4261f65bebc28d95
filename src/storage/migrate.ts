import type { Database } from 'bun:sqlite'
import { migrations, type Migration } from '../../migrations/index.ts'
import { countOf, droppedBy, nameOf, type PlannedStep } from './dropped.ts'
import { messageOf } from '../lib/errors.ts'
import { oneRow } from './sqlite/one-row.ts'

/** A step that this release knows, or that a newer one has applied. */
export type MigrationState = Pick<Migration, 'number' | 'name'> & { applied_at: string | null }
type AppliedStep = Pick<Migration, 'number' | 'name'> & { applied_at: string }
export type Applied = ReadonlyMap<number, AppliedStep>

/** The database cannot be used as it is; the message tells the operator what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

export const newest = Math.max(...migrations.map(({ number }) => number))
/** Such as `0001_users_consents_audit`. */
export const label = (m: Pick<Migration, 'number' | 'name'>) => `${String(m.number).padStart(4, '0')}_${m.name}`

// Other programs have a table of that name too, so ours is recognised by its columns.
export const columns = 'number, name, applied_at'
/** The table that marks a database while `convene copy` or `convene restore` fills it. */
export const copyMark = 'unfinished_copy'
/**
 * The table that tells older releases whether they can work with a step that they do not know. It exists from the first such
 * step on, as earlier releases know only the columns of `schema_migrations`.
 */
export const compatibility = 'schema_compatibility'
export const makeCompatibility = `CREATE TABLE IF NOT EXISTS ${compatibility} (number integer PRIMARY KEY NOT NULL, compatible_with integer NOT NULL)`
export type Compatible = { number: number; compatible_with: number }

/** The applied steps, by number. Throws if one is unknown, or belongs to a newer release that this one cannot work with. */
export function appliedOf(
  rows: readonly AppliedStep[],
  {
    isForeign,
    isHalfCopied,
    compatible,
  }: { isForeign: boolean; isHalfCopied: boolean; compatible: readonly Compatible[] },
): Applied {
  if (isHalfCopied)
    throw new MigrationError(
      'this database is half copied: run the same convene copy again to continue, or the same convene restore',
    )
  if (isForeign)
    throw new MigrationError(
      'this database belongs to another program: it has tables, but not the record of Convene’s migrations',
    )
  const works = ({ number }: AppliedStep) =>
    isKnown(number) || compatible.some((step) => step.number === number && step.compatible_with <= newest)
  if (!rows.every(works)) throw newerThanKnown(rows)
  return new Map(rows.map((row) => [row.number, row]))
}

const isKnown = (number: number) => migrations.some((m) => m.number === number)

const newerThanKnown = (steps: readonly { number: number }[]) =>
  new MigrationError(
    `this database is at migration ${Math.max(...steps.map(({ number }) => number))}, newer than this release knows (${newest}): start a newer Convene, or restore an older backup`,
  )

/** Throws if a newer release has applied steps: for commands that have to know everything in the database. */
export function refuseNewer(steps: Iterable<{ number: number }>) {
  const unknown = [...steps].filter(({ number }) => !isKnown(number))
  if (unknown.length > 0) throw newerThanKnown(unknown)
}

/** Each step in order, with the time it was applied or null. */
export const statesOf = (applied: Applied): MigrationState[] => [
  ...migrations.map(({ number, name }) => ({ number, name, applied_at: applied.get(number)?.applied_at ?? null })),
  ...[...applied.values()].filter(({ number }) => !isKnown(number)).sort((a, b) => a.number - b.number),
]

/** The error of a migration that failed. `file` is the SQLite database. */
export const failed = (migration: Migration, error: unknown, file?: string) =>
  new MigrationError(
    `migration ${label(migration)} failed and was undone: ${messageOf(error)}${file ? ` (${file})` : ''}`,
    { cause: error },
  )

/** Which steps to undo: all that are newer than `to` if that is given, otherwise the newest `steps` (1). */
export type WayDown = { steps?: number; to?: number }

/** The applied steps to undo, the newest first. Throws if a newer release has applied steps. */
export function stepsDown(applied: Applied, { steps = 1, to }: WayDown): Migration[] {
  // Steps of a newer release come after ours, and only that release can undo them.
  refuseNewer(applied.values())
  const newestFirst = migrations.filter(({ number }) => applied.has(number)).reverse()
  return to === undefined ? newestFirst.slice(0, steps) : newestFirst.filter(({ number }) => number > to)
}

/** Whether no step is missing and none is unknown, by `status` of either engine. Throws if the engine does not answer. */
export async function fits(status: () => MigrationState[] | Promise<MigrationState[]>): Promise<boolean> {
  try {
    return (await status()).every(({ applied_at }) => applied_at !== null)
  } catch (error) {
    if (error instanceof MigrationError) return false
    throw error
  }
}

// The rest is for SQLite; storage/postgres/migrate.ts has the same for PostgreSQL.

function appliedTo(db: Database): Applied {
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  if (tables.length === 0) return new Map()
  const ours = db
    .query<{ columns: string | null }, []>(
      "SELECT group_concat(name, ', ') AS columns FROM pragma_table_info('schema_migrations')",
    )
    .get()
  const isForeign = ours?.columns !== columns
  const rows = isForeign ? [] : db.query<AppliedStep, []>(`SELECT ${columns} FROM schema_migrations`).all()
  const has = (table: string) => tables.some(({ name }) => name === table)
  const compatible = has(compatibility) ? db.query<Compatible, []>(`SELECT * FROM ${compatibility}`).all() : []
  return appliedOf(rows, { isForeign, isHalfCopied: has(copyMark), compatible })
}

/** Each step in order, with the time it was applied or null. Changes nothing. */
export function status(db: Database): MigrationState[] {
  return statesOf(appliedTo(db))
}

/** Applies what is missing, each step in a transaction of its own. Returns the names of the steps applied. */
export function up(
  db: Database,
  { to = newest, now = Date.now, onStep }: { to?: number; now?: () => number; onStep?: (name: string) => void } = {},
): string[] {
  const applied = appliedTo(db)
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
      if (migration.compatibleWith === undefined) return
      db.run(makeCompatibility)
      db.query(`INSERT INTO ${compatibility} VALUES (?, ?)`).run(migration.number, migration.compatibleWith)
    })
    onStep?.(label(migration))
  }
  return missing.map(label)
}

/** What the steps down would remove. Changes nothing. */
export function planDown(db: Database, way: WayDown): PlannedStep[] {
  return stepsDown(appliedTo(db), way).map((migration) => ({
    label: label(migration),
    losses: droppedBy(migration).map((dropped) => ({
      name: nameOf(dropped),
      rows: oneRow(db.query<{ n: number }, []>(countOf(dropped)).get()).n,
    })),
  }))
}

/** Undoes steps, each in a transaction of its own. Returns their names, the newest first. */
export function down(db: Database, { onStep, ...way }: WayDown & { onStep?: (name: string) => void } = {}): string[] {
  const list = stepsDown(appliedTo(db), way)
  for (const migration of list) {
    step(db, migration, () => {
      db.run(migration.down)
      db.query('DELETE FROM schema_migrations WHERE number = ?').run(migration.number)
      if (migration.compatibleWith !== undefined)
        db.query(`DELETE FROM ${compatibility} WHERE number = ?`).run(migration.number)
    })
    onStep?.(label(migration))
  }
  return list.map(label)
}

function step(db: Database, migration: Migration, change: () => void) {
  try {
    db.transaction(change).immediate()
  } catch (error) {
    throw failed(migration, error, db.filename)
  }
}
