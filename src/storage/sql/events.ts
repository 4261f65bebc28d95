import { and, asc, eq, gt, lt, sql } from 'drizzle-orm'
import type { EventStore, StoredEvent } from '../../realtime/store.ts'
import type { Dialect } from './dialect.ts'
import { changed, type Engine, rows } from './engine.ts'

/** A row of `events`, with its data as JSON. */
export type EventRow = { seq: number; type: string; at: number; ref: string | null; data: string | null }

export const eventOf = ({ seq, type, at, ref, data }: EventRow): StoredEvent =>
  // `eventRecorder` and `recordEvents` wrote the row: they take the types of events, and either a `ref` or `data`.
  ({ seq, type, at, ref, data: data === null ? null : JSON.parse(data) }) as StoredEvent

// The limits of one transaction, because other writes wait for it.
const usersAtOnce = 50
const eventsAtOnce = 250

export function eventStore<List>({ value, isAmong, list, prepare }: Dialect<List>, engine: Engine): EventStore {
  const ends = prepare<{ oldest: number | null; newest: number | null }>(`
    SELECT (SELECT min(seq) FROM events WHERE user_id = ${value(1)}) AS oldest,
      (SELECT seq FROM event_counters WHERE user_id = ${value(1)}) AS newest`)
  const newest = prepare<{ user_id: string; seq: number }>(
    `SELECT user_id, seq FROM event_counters WHERE ${isAmong('user_id', 1)}`,
  )
  const after = prepare<EventRow>(`
    SELECT seq, type, at, ref, data FROM events
    WHERE user_id = ${value(1)} AND seq > ${value(2)} ORDER BY seq LIMIT ${value(3)}`)
  const eventsAfter = async (userId: string, since: number, limit: number) =>
    (await after(userId, since, limit)).map(eventOf)
  const { events, eventCounters } = engine.tables

  return {
    async range(userId) {
      const [row] = await ends(userId)
      const newest = row?.newest ?? 0
      return { oldest: row?.oldest ?? newest + 1, newest }
    },

    newest: async (userIds) => new Map((await newest(list(userIds))).map(({ user_id, seq }) => [user_id, seq])),

    after: eventsAfter,

    afterEach: (each) => Promise.all(each.map(({ user_id, since, limit }) => eventsAfter(user_id, since, limit))),

    async purge(before) {
      let purged = 0
      /** The last user whose old events are all removed. */
      let done = ''
      for (;;) {
        const after = done
        const { count, last, isEnd } = await engine.write(
          function* (db) {
            const users = yield* rows(
              db
                .select({ id: eventCounters.user_id })
                .from(eventCounters)
                .where(gt(eventCounters.user_id, after))
                .orderBy(asc(eventCounters.user_id))
                .limit(usersAtOnce),
            )
            let count = 0
            let last = after
            for (const { id } of users) {
              // Removes by number, so that a clock that jumped leaves no gap in a user's events.
              const firstKept = sql`(SELECT min(seq) FROM events WHERE user_id = ${id} AND at >= ${before})`
              const isOld = lt(events.seq, sql`coalesce(${firstKept}, ${Number.MAX_SAFE_INTEGER})`)
              const oldest = sql`(SELECT min(seq) FROM events WHERE user_id = ${id})`
              const isAmongFirst = lt(events.seq, sql`${oldest} + ${eventsAtOnce}`)
              for (let removed = 1; removed > 0; count += removed) {
                if (count >= eventsAtOnce) return { count, last, isEnd: false }
                removed = yield* changed(db.delete(events).where(and(eq(events.user_id, id), isOld, isAmongFirst)))
              }
              last = id
            }
            return { count, last, isEnd: users.length < usersAtOnce }
          },
          { keepsProfileCache: true },
        )
        purged += count
        done = last
        if (isEnd) return purged
      }
    },
  }
}
