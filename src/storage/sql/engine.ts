import type { SQL } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type { Consent, ConsentKind } from '../../features/auth/store.ts'
import type { EventNumbers } from '../../features/chats/store.ts'
import type { DurableType } from '../../realtime/events.ts'
import type * as tables from '../sqlite/schema.ts'

/**
 * Drizzle's builders. The shared stores are written against the types of SQLite; PostgreSQL's builders have the same
 * methods, and its tables have the same columns (a test compares them).
 */
export type Builders = Pick<BunSQLiteDatabase, 'select' | 'selectDistinct' | 'insert' | 'update' | 'delete'>
export type Tables = typeof tables
export type Column = Parameters<typeof import('drizzle-orm').eq>[0]

/** A statement that is ready to run: one made by a builder, or SQL text for what the builders cannot express. */
export type Statement = PromiseLike<unknown> | SQL

/**
 * A unit of work: a generator that yields statements and gets their results. Written once, it runs synchronously inside
 * SQLite's group of writes, and asynchronously on a connection of PostgreSQL. Use `yield*` with the functions below.
 *
 * It may run more than once, so it must change nothing but the database.
 */
export type Work<T> = Generator<Statement | readonly Statement[], T, unknown>

/** Whether a unit of work yields several independent statements. */
export const areSeveral = (value: Statement | readonly Statement[]): value is readonly Statement[] =>
  Array.isArray(value)

/** All rows that a statement returns. */
export function* rows<Row>(statement: PromiseLike<Row[]>): Work<Row[]> {
  return (yield statement) as Row[]
}

/** The first row that a statement returns, or null. */
export function* first<Row>(statement: PromiseLike<Row[]>): Work<Row | null> {
  return (yield* rows(statement))[0] ?? null
}

/** The row of a statement that always has one, such as a count. */
export function* one<Row>(statement: PromiseLike<Row[]>): Work<Row> {
  return firstOf(yield* rows(statement))
}

function firstOf<Row>([row]: Row[]): Row {
  if (row === undefined) throw new Error('a statement that always returns a row has returned none')
  return row
}

/** How many rows a statement without `returning` has written. */
export function* changed(statement: PromiseLike<unknown>): Work<number> {
  return changesOf(yield statement)
}

/** The same for independent statements, which go to PostgreSQL together in one round trip. */
export function* changedEach(statements: readonly PromiseLike<unknown>[]): Work<number[]> {
  const results = yield statements
  if (!Array.isArray(results)) throw new Error('an engine must return a result for each statement')
  return results.map(changesOf)
}

function changesOf(result: unknown): number {
  if (typeof result === 'object' && result !== null && 'changes' in result && typeof result.changes === 'number')
    return result.changes
  throw new Error('an engine must return how many rows a write has changed')
}

/** The rows of SQL text, by the names of their columns. Booleans and JSON arrive as the engine stores them. */
export function* query<Row>(text: SQL): Work<Row[]> {
  return (yield text) as Row[]
}

/** The row of SQL text that always returns one. */
export function* queryOne<Row>(text: SQL): Work<Row> {
  return firstOf(yield* query<Row>(text))
}

/**
 * What a shared store needs from its engine: how to run work, and the few things that the SQL dialects express differently.
 */
export type Engine = {
  tables: Tables
  /** Reads. On PostgreSQL, each statement sees its own snapshot. */
  read<T>(work: (db: Builders) => Work<T>): Promise<T>
  /**
   * One transaction: all of it, or nothing. Resolves after the commit.
   *
   * `keepsProfileCache`: the work changes nothing that profiles show.
   */
  write<T>(work: (db: Builders) => Work<T>, options?: { keepsProfileCache?: boolean }): Promise<T>
  /** Whether a column is among the values; always one parameter. */
  isAmong(column: Column, values: readonly string[]): SQL
  /** The text at a key of a JSON column. */
  jsonText(column: Column | SQL, key: string): SQL
  /** Locks the rows that a select finds until the commit. SQLite has one writer, and nothing to lock. */
  locked<Query extends object>(
    select: Query,
    strength: 'update' | 'update skip locked' | 'no key update' | 'share',
  ): Query
  /** The same if the rows are not needed: SQLite does not read them. */
  lock(select: PromiseLike<unknown>, strength: 'update' | 'no key update'): Work<void>
  /** A column of text, compared and ordered by its bytes. */
  byBytes(column: Column): SQL
  /**
   * The newest consent of each of these kinds, in their order. "Newest" follows the order of writes, whatever the clock says.
   */
  newestConsents(userId: string, kinds: readonly ConsentKind[]): Work<Consent[]>
  /** Extra columns of a new consent entry, for that order. */
  consentOrder(userId: string): object
  /**
   * Makes a change and updates the index of filters. Every change of a user's gender, preferences, position or visibility runs
   * through it.
   */
  reindexTraits<T>(userId: string, change: () => Work<T>): Work<T>
  /** Whether an error says that a unique index refused a row. */
  isDuplicate(error: unknown): boolean
  /**
   * Stores an event for each of these users, with their next sequence number. Call it at the end of a unit of work, because
   * PostgreSQL locks the counters until the commit. `ref` is the id of what the event shows, which is read with the event;
   * otherwise `data` holds all of it.
   */
  recordEvents(
    db: Builders,
    userIds: readonly string[],
    type: DurableType,
    at: number,
    event: { ref?: string; data?: unknown },
  ): Work<EventNumbers>
}

/** The same for one user: the number of the event. */
export function* recordEvent(
  engine: Engine,
  db: Builders,
  userId: string,
  type: DurableType,
  at: number,
  event: { ref?: string; data?: unknown },
): Work<number> {
  const [recorded] = yield* engine.recordEvents(db, [userId], type, at, event)
  if (recorded === undefined) throw new Error('an engine must number every event that it records')
  return recorded.seq
}
