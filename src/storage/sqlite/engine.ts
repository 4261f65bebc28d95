import type { Statement as SqlStatement } from 'bun:sqlite'
import { is, SQL, sql } from 'drizzle-orm'
import type { Consent, ConsentKind } from '../../features/auth/store.ts'
import { areSeveral, type Builders, type Engine, query, type Statement, type Work } from '../sql/engine.ts'
import type { Db } from './database.ts'
import { eventRecorder } from './events.ts'
import type { Reads } from './reads.ts'
import * as tables from './schema.ts'
import type { Writer } from './writer.ts'
import { codeOf } from '../../lib/errors.ts'

/** Methods of Drizzle's builders for a synchronous driver that their types hide. */
type Preparable = { prepare(): { execute(): { sync(): unknown } } }

/** Runs a unit of work synchronously, inside the open transaction if there is one. */
export function runOn<T>(db: Db, work: (db: Builders) => Work<T>): T {
  const execute = (statement: Statement): unknown =>
    is(statement, SQL) ? db.all(statement) : (statement as PromiseLike<unknown> & Preparable).prepare().execute().sync()
  const steps = work(db)
  let step = steps.next()
  while (!step.done) {
    const { value } = step
    step = steps.next(areSeveral(value) ? value.map(execute) : execute(value))
  }
  return step.value
}

/** An engine that only reads, for a file that may be open elsewhere. */
export function sqliteReader(db: Db): Omit<Engine, 'write' | 'recordEvents'> {
  let newestConsent: SqlStatement<Omit<Consent, 'accepted'> & { accepted: number }, [string, ConsentKind]> | undefined
  return {
    tables,
    read: async (work) => runOn(db, work),
    isAmong: (column, values) => sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
    jsonText: (column, key) => sql`${column} ->> ${sql.raw(`'$.${key}'`)}`,
    locked: (select) => select,
    *lock() {},
    isDuplicate: (error) => codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE',
    byBytes: (column) => sql`${column}`,
    // oxlint-disable-next-line require-yield -- statements are synchronous
    *newestConsents(userId, kinds) {
      // The planner would choose the index of exports, and sort all of a user's consents. Prepared, because every session look-up
      // runs it; lazily, because a file that is only read may have an older schema.
      const statement = (newestConsent ??= db.$client.prepare(`
        SELECT id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address
        FROM consent_log INDEXED BY consent_log_newest WHERE user_id = +? AND kind = +? ORDER BY rowid DESC LIMIT 1`))
      return kinds.flatMap((kind) => {
        const newest = statement.get(userId, kind)
        return newest ? { ...newest, accepted: newest.accepted === 1 } : []
      })
    },
    // The rowid is the order.
    consentOrder: () => ({}),
    *reindexTraits(userId, change) {
      const columns = sql.raw('trait, square, location_id')
      const traits = sql`SELECT ${columns} FROM visible_traits WHERE user_id = ${userId}`
      yield* query(sql`DELETE FROM nearby_traits WHERE (${columns}) IN (${traits})`)
      const result = yield* change()
      yield* query(sql`INSERT INTO nearby_traits ${traits}`)
      return result
    },
  }
}

/** Runs units of work on SQLite: reads in the transaction of this turn, and each write in a group of writes. */
export function sqliteEngine(db: Db, writer: Writer, { read }: Pick<Reads, 'read'>): Engine {
  const record = eventRecorder(db)
  return {
    ...sqliteReader(db),
    read: async (work) => read(() => runOn(db, work)),
    write: (work, options) => writer.write(() => runOn(db, work), options),
    // oxlint-disable-next-line require-yield -- statements are synchronous
    *recordEvents(_, userIds, type, at, event) {
      return userIds.map((user_id) => ({ user_id, seq: record(user_id, type, at, event) }))
    },
  }
}
