import { DrizzleQueryError, is, SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pg-proxy'
import type { Consent } from '../../features/auth/store.ts'
import { areSeveral, type Builders, type Engine, query, rows, type Statement, type Work } from '../sql/engine.ts'
import type { Database } from './database.ts'
import { PostgresFault, sqlstate } from './failures.ts'
import { recordEvents } from './events.ts'
import type { Queries, Value } from './queries.ts'
import { tables } from './schema.ts'

/** Drizzle over the statements of a connection or a transaction. */
const drizzleOn = (queries: Queries) =>
  drizzle(async (text, params: Value[], method) => ({
    // Without `returning`, `changed` reads how many rows were written.
    rows: method === 'all' ? await queries.values(text, params) : await queries.result(text, params),
  }))

/** The connection that the builders of a unit of work run on. */
const queriesOf = new WeakMap<Builders, Queries>()

/** Runs a unit of work on a connection or in a transaction, one statement after the other. */
export async function runOn<T>(queries: Queries, work: (db: Builders) => Work<T>): Promise<T> {
  const db = drizzleOn(queries)
  // The shared stores are typed by SQLite's builders; these have the same methods.
  const builders = db as unknown as Builders
  queriesOf.set(builders, queries)
  const execute = (statement: Statement) => (is(statement, SQL) ? db.execute(statement) : statement)
  const steps = work(builders)
  let step = steps.next()
  try {
    while (!step.done) {
      const { value } = step
      step = steps.next(await (areSeveral(value) ? Promise.all(value.map(execute)) : execute(value)))
    }
  } catch (error) {
    // Drizzle's message contains the parameters, which must not reach the log.
    throw error instanceof DrizzleQueryError ? error.cause : error
  }
  return step.value
}

const locked: Engine['locked'] = (select, strength) => {
  if (!('for' in select) || typeof select.for !== 'function') throw new Error('only a select of Drizzle can be locked')
  return strength === 'update skip locked' ? select.for('update', { skipLocked: true }) : select.for(strength)
}

export function postgresEngine(database: Database): Engine {
  return {
    tables,
    read: (work) => database.read((queries) => runOn(queries, work)),
    write: (work) => database.write((queries) => runOn(queries, work)),
    isAmong: (column, values) => sql`${column} = ANY(${sql.param(arrayLiteral(values))}::text[])`,
    jsonText: (column, key) => sql`(${column})::json ->> ${sql.raw(`'${key}'`)}`,
    locked,
    *lock(select, strength) {
      yield locked(select, strength)
    },
    // `write` throws the server's errors as PostgresFault.
    isDuplicate: (error) => (error instanceof PostgresFault ? error.sqlstate : sqlstate(error)) === '23505',
    byBytes: (column) => sql`${column} COLLATE "C"`,
    *newestConsents(userId, kinds) {
      // One row for each kind, however many entries there are.
      const newest = yield* query<Consent>(sql`
        SELECT c.* FROM unnest(${sql.param(arrayLiteral(kinds))}::text[]) AS kinds (kind) CROSS JOIN LATERAL (
          SELECT id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address FROM consent_log
          WHERE user_id = ${userId} AND kind COLLATE "C" = kinds.kind ORDER BY seq DESC LIMIT 1) AS c`)
      return kinds.flatMap((kind) => newest.filter((consent) => consent.kind === kind))
    },
    // The caller has locked the account, or has just created it.
    consentOrder: (userId) => ({
      seq: sql`(SELECT coalesce(max(seq), 0) + 1 FROM consent_log WHERE user_id = ${userId})`,
    }),
    *reindexTraits(userId, change) {
      const result = yield* change()
      yield* query(sql`DELETE FROM nearby_traits WHERE user_id = ${userId}`)
      yield* query(
        sql`INSERT INTO nearby_traits SELECT trait, square, user_id FROM visible_traits WHERE user_id = ${userId}`,
      )
      return result
    },
    *recordEvents(db, userIds, type, at, event) {
      const queries = queriesOf.get(db)
      if (queries === undefined) throw new Error('these builders belong to no unit of work')
      return yield* rows(recordEvents(queries, userIds, type, at, event))
    },
  }
}

/** An array of strings as PostgreSQL reads it; Drizzle would spread an array over several parameters. */
const arrayLiteral = (values: readonly string[]) => `{${values.map((value) => JSON.stringify(value)).join()}}`
