import { and, eq, gt, sql } from 'drizzle-orm'
import type { EventStore } from '../../realtime/store.ts'
import type { Db } from './database.ts'
import { eventCounters, events } from './schema.ts'
import type { Writer } from './writer.ts'

export type RecordEvent = ReturnType<typeof eventRecorder>

/**
 * Gives a user's next event its number. Call it inside the write that causes the event, so that both last or neither
 * does. `ref` names what is shown as it is when the event is read; `data` is for events that are all there is.
 */
export function eventRecorder(db: Db) {
  const next = db.$client.prepare<{ seq: number }, [string]>(
    'INSERT INTO event_counters (user_id, seq) VALUES (?, 1) ON CONFLICT (user_id) DO UPDATE SET seq = seq + 1 RETURNING seq',
  )
  const insert = db.$client.prepare<null, [string, number, string, number, string | null, string | null]>(
    'INSERT INTO events (user_id, seq, type, at, ref, data) VALUES (?, ?, ?, ?, ?, ?)',
  )
  return (userId: string, type: string, at: number, event: { ref?: string; data?: unknown }): number => {
    const { seq } = next.get(userId)!
    insert.run(userId, seq, type, at, event.ref ?? null, event.data === undefined ? null : JSON.stringify(event.data))
    return seq
  }
}

export function eventStore(db: Db, writer: Writer): EventStore {
  const newest = db
    .select({ seq: eventCounters.seq })
    .from(eventCounters)
    .where(eq(eventCounters.user_id, sql.placeholder('user_id')))
    .prepare()
  const oldest = db
    .select({ seq: sql<number | null>`min(${events.seq})` })
    .from(events)
    .where(eq(events.user_id, sql.placeholder('user_id')))
    .prepare()
  const after = db
    .select({ seq: events.seq, type: events.type, at: events.at, ref: events.ref, data: events.data })
    .from(events)
    .where(and(eq(events.user_id, sql.placeholder('user_id')), gt(events.seq, sql.placeholder('since'))))
    .orderBy(events.seq)
    .limit(sql.placeholder('limit'))
    .prepare()
  const usersAfter = db.$client.prepare<{ user_id: string }, [string, number]>(
    'SELECT user_id FROM event_counters WHERE user_id > ? ORDER BY user_id LIMIT ?',
  )
  // A user's events are in the order of their numbers; a clock that jumped must not tear a hole into them.
  const purgeUser = db.$client.prepare<null, [string, string, number]>(
    'DELETE FROM events WHERE user_id = ? AND seq < coalesce((SELECT min(seq) FROM events WHERE user_id = ? AND at >= ?), 9e15)',
  )

  return {
    range: async (userId) => {
      const last = newest.get({ user_id: userId })?.seq ?? 0
      return { oldest: oldest.get({ user_id: userId })?.seq ?? last + 1, newest: last }
    },

    after: async (userId, since, limit) => after.all({ user_id: userId, since, limit }),

    purge: async (before) => {
      let purged = 0
      for (let last = ''; ;) {
        const users = usersAfter.all(last, 500)
        if (users.length === 0) return purged
        last = users.at(-1)!.user_id
        purged += await writer.write(() =>
          users.reduce((sum, { user_id }) => sum + purgeUser.run(user_id, user_id, before).changes, 0),
        )
      }
    },
  }
}
