import type { EventNumbers } from '../../features/chats/store.ts'
import type { EventStore, StoredEvent } from '../../realtime/store.ts'
import type { Database, Queries } from './database.ts'

/**
 * Gives the next event of each of those users its number. Call it inside the write that causes the event, as its last
 * step: the counters stay locked until the commit, and whoever takes several does so in one order, so that no two writes
 * wait for each other. `ref` names what is shown as it is when the event is read; `data` is for events that are all there is.
 */
export async function recordEvents(
  tx: Queries,
  userIds: readonly string[],
  type: string,
  at: number,
  event: { ref?: string; data?: unknown },
): Promise<EventNumbers> {
  const data = event.data === undefined ? null : JSON.stringify(event.data)
  const inOrder = [...userIds].sort()
  // All of it in one round trip, each statement on one shard.
  const stored = await Promise.all(
    inOrder.flatMap((userId) => [
      tx.run(count, [userId]),
      tx.get<{ seq: number }>(insert, [userId, type, at, event.ref ?? null, data]),
    ]),
  )
  const seqOf = (userId: string) => (stored[inOrder.indexOf(userId) * 2 + 1] as { seq: number }).seq
  return userIds.map((user_id) => ({ user_id, seq: seqOf(user_id) }))
}

const count =
  'INSERT INTO event_counters (user_id, seq) VALUES ($1, 1) ON CONFLICT (user_id) DO UPDATE SET seq = event_counters.seq + 1'
const insert = `
  INSERT INTO events (user_id, seq, type, at, ref, data)
  SELECT user_id, seq, $2, $3, $4, $5 FROM event_counters WHERE user_id = $1 RETURNING seq`

const ends = `
  SELECT (SELECT min(seq) FROM events WHERE user_id = $1) AS oldest,
    (SELECT seq FROM event_counters WHERE user_id = $1) AS newest`
const after = 'SELECT seq, type, at, ref, data FROM events WHERE user_id = $1 AND seq > $2 ORDER BY seq LIMIT $3'
const newest = 'SELECT user_id, seq FROM event_counters WHERE user_id = ANY($1::text[])'
const usersAfter = 'SELECT user_id FROM event_counters WHERE user_id > $1 ORDER BY user_id LIMIT $2'
// A user's events are in the order of their numbers; a clock that jumped must not tear a hole into them.
const purgeUser = `
  DELETE FROM events WHERE user_id = $1
    AND seq < coalesce((SELECT min(seq) FROM events WHERE user_id = $1 AND at >= $2), 9000000000000000)`

type Row = Omit<StoredEvent, 'data'> & { data: string | null }

const eventOf = ({ data, ...event }: Row): StoredEvent => ({ ...event, data: data === null ? null : JSON.parse(data) })

export function eventStore(db: Database): EventStore {
  return {
    async range(userId) {
      const { oldest, newest } = await db.read((q) =>
        q.get<{ oldest: number | null; newest: number | null }>(ends, [userId]).then((row) => row!),
      )
      return { oldest: oldest ?? (newest ?? 0) + 1, newest: newest ?? 0 }
    },

    async newest(userIds) {
      const rows = await db.read((q) => q.all<{ user_id: string; seq: number }>(newest, [userIds]))
      return new Map(rows.map(({ user_id, seq }) => [user_id, seq]))
    },

    async after(userId, since, limit) {
      return (await db.read((q) => q.all<Row>(after, [userId, since, limit]))).map(eventOf)
    },

    // In one round trip, each statement on one shard.
    afterEach: (each) =>
      db.read((q) =>
        Promise.all(
          each.map(async ({ user_id, since, limit }) =>
            (await q.all<Row>(after, [user_id, since, limit])).map(eventOf),
          ),
        ),
      ),

    async purge(before) {
      let purged = 0
      for (let last = ''; ;) {
        const users = await db.read((q) => q.all<{ user_id: string }>(usersAfter, [last, 100]))
        if (users.length === 0) return purged
        last = users.at(-1)!.user_id
        const counts = await db.write((tx) =>
          Promise.all(users.map(({ user_id }) => tx.run(purgeUser, [user_id, before]))),
        )
        purged += counts.reduce((sum, rows) => sum + rows, 0)
      }
    },
  }
}
