import type { EventNumbers } from '../../features/chats/store.ts'
import type { EventStore, StoredEvent } from '../../realtime/store.ts'
import type { Database } from './database.ts'
import type { Queries } from './queries.ts'

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

/**
 * The same for many events of one type at once, those of a user in the order given: two statements, however many. Answers
 * in that order.
 */
export async function recordManyEvents(
  tx: Queries,
  type: string,
  events: readonly { user_id: string; at: number; ref: string }[],
): Promise<EventNumbers> {
  const counts = new Map<string, number>()
  const places = events.map(({ user_id }) => {
    const place = (counts.get(user_id) ?? 0) + 1
    counts.set(user_id, place)
    return place
  })
  /** How many events of the same user come after it. */
  const later = events.map(({ user_id }, i) => counts.get(user_id)! - places[i]!)
  const users = [...counts.keys()].sort()
  const [counters] = await Promise.all([
    tx.all<{ user_id: string; seq: number }>(countMany, [users, users.map((userId) => counts.get(userId)!)]),
    tx.run(insertMany, [
      type,
      events.map(({ user_id }) => user_id),
      later,
      events.map(({ at }) => at),
      events.map(({ ref }) => ref),
    ]),
  ])
  const newest = new Map(counters.map(({ user_id, seq }) => [user_id, seq]))
  return events.map(({ user_id }, i) => ({ user_id, seq: newest.get(user_id)! - later[i]! }))
}

const count =
  'INSERT INTO event_counters (user_id, seq) VALUES ($1, 1) ON CONFLICT (user_id) DO UPDATE SET seq = event_counters.seq + 1'
const insert = `
  INSERT INTO events (user_id, seq, type, at, ref, data)
  SELECT user_id, seq, $2, $3, $4, $5 FROM event_counters WHERE user_id = $1 RETURNING seq`
const countMany = `
  INSERT INTO event_counters (user_id, seq) SELECT user_id, seq FROM unnest($1::text[], $2::int8[]) AS s (user_id, seq)
  ON CONFLICT (user_id) DO UPDATE SET seq = event_counters.seq + excluded.seq RETURNING user_id, seq`
const insertMany = `
  INSERT INTO events (user_id, seq, type, at, ref)
  SELECT c.user_id, c.seq - s.later, $1, s.at, s.ref
  FROM unnest($2::text[], $3::int8[], $4::int8[], $5::text[]) AS s (user_id, later, at, ref)
  JOIN event_counters c ON c.user_id = s.user_id`

const ends = `
  SELECT (SELECT min(seq) FROM events WHERE user_id = $1) AS oldest,
    (SELECT seq FROM event_counters WHERE user_id = $1) AS newest`
const after = 'SELECT seq, type, at, ref, data FROM events WHERE user_id = $1 AND seq > $2 ORDER BY seq LIMIT $3'
const manyEvents = 1000
// Each user's for itself: joined plainly, the plan that PostgreSQL keeps for any number of users reads the whole table.
export const afterMany = `
  SELECT s.place::int4 AS place, e.seq::float8 AS seq, e.type, e.at::float8 AS at, e.ref, e.data
  FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS s (user_id, since, place)
  CROSS JOIN LATERAL (
    SELECT * FROM events WHERE user_id = s.user_id AND seq > s.since ORDER BY seq LIMIT $3) e
  ORDER BY s.place, e.seq LIMIT $3`
const newest = 'SELECT user_id, seq FROM event_counters WHERE user_id = ANY($1::text[])'
const usersAfter = 'SELECT user_id FROM event_counters WHERE user_id > $1 ORDER BY user_id LIMIT $2'
// A user's events are in the order of their numbers; a clock that jumped must not tear a hole into them.
const purgeUser = `
  DELETE FROM events WHERE user_id = $1
    AND seq < coalesce((SELECT min(seq) FROM events WHERE user_id = $1 AND at >= $2), 9000000000000000)`

type Row = Omit<StoredEvent, 'data'> & { data: string | null }

const eventOf = ({ seq, type, at, ref, data }: Row): StoredEvent => ({
  seq,
  type,
  at,
  ref,
  data: data === null ? null : JSON.parse(data),
})

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

    async afterEach(each) {
      const oneByOne = () => Promise.all(each.map(({ user_id, since, limit }) => this.after(user_id, since, limit)))
      // One user's are on one shard.
      if (each.length === 1) return oneByOne()
      const [users, since] = [each.map(({ user_id }) => user_id), each.map(({ since }) => since)]
      const rows = await db.read((q) => q.all<Row & { place: number }>(afterMany, [users, since, manyEvents]))
      // Some have missed so much that it is read one by one.
      if (rows.length === manyEvents) return oneByOne()
      const found = each.map((): StoredEvent[] => [])
      for (const row of rows) {
        const ofUser = found[row.place - 1]!
        if (ofUser.length < each[row.place - 1]!.limit) ofUser.push(eventOf(row))
      }
      return found
    },

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
