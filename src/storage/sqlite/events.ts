import type { Database } from 'bun:sqlite'
import type { EventStore, StoredEvent } from '../../realtime/store.ts'
import type { Db } from './database.ts'
import type { Reads } from './reads.ts'
import type { Writer } from './writer.ts'

/**
 * Gives a user's next event its number. Call it inside the write that causes the event, so that both last or neither
 * does. `ref` names what is shown as it is when the event is read; `data` is for events that are all there is.
 */
export function eventRecorder(db: Db) {
  // As two statements, since one that does both and answers the number takes longer than they do.
  const newest = db.$client.prepare<{ seq: number }, [string]>('SELECT seq FROM event_counters WHERE user_id = +?')
  const raise = db.$client.prepare<null, [number, string]>('UPDATE event_counters SET seq = ? WHERE user_id = +?')
  const begin = db.$client.prepare<null, [string]>('INSERT INTO event_counters (user_id, seq) VALUES (?, 1)')
  const insert = db.$client.prepare<null, [string, number, string, number, string | null, string | null]>(
    'INSERT INTO events (user_id, seq, type, at, ref, data) VALUES (?, ?, ?, ?, ?, ?)',
  )
  return (userId: string, type: string, at: number, event: { ref?: string; data?: unknown }): number => {
    const seq = (newest.get(userId)?.seq ?? 0) + 1
    if (seq > 1) raise.run(seq, userId)
    else begin.run(userId)
    insert.run(userId, seq, type, at, event.ref ?? null, event.data === undefined ? null : JSON.stringify(event.data))
    return seq
  }
}

/**
 * Lets everybody's events begin anew at numbers that none has had, as a database from the past would give again those that
 * clients have seen since: who asks for what came after one of these finds a gap. The time in milliseconds, as nobody has so
 * many events, and as a restore that comes later begins beyond this one.
 */
export function beginNumbersAnew(client: Database, at: number) {
  client.transaction(() => {
    client.run('DELETE FROM events')
    client.run('INSERT OR IGNORE INTO event_counters (user_id, seq) SELECT id, 0 FROM users WHERE deleted_at IS NULL')
    client.run('UPDATE event_counters SET seq = max(seq + 1, ?)', [at])
  })()
}

export function eventStore(db: Db, writer: Writer, { read }: Reads): EventStore {
  const client = db.$client
  const ends = client.prepare<{ oldest: number | null; newest: number | null }, [string, string]>(`
    SELECT (SELECT min(seq) FROM events WHERE user_id = +?) AS oldest,
      (SELECT seq FROM event_counters WHERE user_id = +?) AS newest`)
  const after = client.prepare<Omit<StoredEvent, 'data'> & { data: string | null }, [string, number, number]>(
    'SELECT seq, type, at, ref, data FROM events WHERE user_id = +? AND seq > ? ORDER BY seq LIMIT +?',
  )
  const newest = client.prepare<{ user_id: string; seq: number }, [string]>(
    'SELECT user_id, seq FROM event_counters WHERE user_id IN (SELECT value FROM json_each(?))',
  )
  const usersAfter = client.prepare<{ user_id: string }, [string, number]>(
    'SELECT user_id FROM event_counters WHERE user_id > ? ORDER BY user_id LIMIT ?',
  )
  // A user's events are in the order of their numbers; a clock that jumped must not tear a hole into them.
  const purgeUser = client.prepare<null, [string, string, number]>(
    'DELETE FROM events WHERE user_id = ? AND seq < coalesce((SELECT min(seq) FROM events WHERE user_id = ? AND at >= ?), 9e15)',
  )

  const eventsAfter = (userId: string, since: number, limit: number): StoredEvent[] =>
    after.all(userId, since, limit).map(({ data, ...event }) => ({
      ...event,
      data: data === null ? null : JSON.parse(data),
    }))

  return {
    range: async (userId) => {
      const { oldest, newest } = read(() => ends.get(userId, userId)!)
      return { oldest: oldest ?? (newest ?? 0) + 1, newest: newest ?? 0 }
    },

    newest: async (userIds) =>
      new Map(read(() => newest.all(JSON.stringify(userIds))).map(({ user_id, seq }) => [user_id, seq])),

    after: async (userId, since, limit) => read(() => eventsAfter(userId, since, limit)),

    afterEach: async (each) => read(() => each.map(({ user_id, since, limit }) => eventsAfter(user_id, since, limit))),

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
