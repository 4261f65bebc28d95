import type { EventNumbers } from '../../features/chats/store.ts'
import type { DurableType } from '../../realtime/events.ts'
import type { EventStore } from '../../realtime/store.ts'
import { type EventRow, eventOf } from '../sql/events.ts'
import type { Database } from './database.ts'
import type { Queries } from './queries.ts'

/**
 * Stores an event for each of these users, with their next sequence number. Call it as the last step of the write that causes
 * the event: the counters stay locked until the commit, and are locked in one order, which avoids deadlocks. `ref` is the id
 * of what the event shows, which is read with the event; otherwise `data` holds all of it.
 */
export async function recordEvents(
  tx: Queries,
  userIds: readonly string[],
  type: DurableType,
  at: number,
  event: { ref?: string; data?: unknown },
): Promise<EventNumbers> {
  const data = event.data === undefined ? null : JSON.stringify(event.data)
  const inOrder = [...userIds.entries()].sort(([, a], [, b]) => (a < b ? -1 : 1))
  // One round trip for all.
  const stored = await Promise.all(
    inOrder.map(async ([place, user_id]) => {
      const [, { seq }] = await Promise.all([
        tx.run(count, [user_id]),
        tx.one<{ seq: number }>(insert, [user_id, type, at, event.ref ?? null, data]),
      ])
      return { place, user_id, seq }
    }),
  )
  return stored.sort((a, b) => a.place - b.place).map(({ user_id, seq }) => ({ user_id, seq }))
}

/**
 * The same for many events of one type, with two statements in all. The events of a user keep the given order, and so does the
 * result.
 */
export async function recordManyEvents(
  tx: Queries,
  type: DurableType,
  events: readonly { user_id: string; at: number; ref: string }[],
): Promise<EventNumbers> {
  const counts = new Map<string, number>()
  // Counts from the end how many events of the same user come after each event.
  const counted = events
    .toReversed()
    .map((event) => {
      const later = counts.get(event.user_id) ?? 0
      counts.set(event.user_id, later + 1)
      return { ...event, later }
    })
    .reverse()
  const users = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
  const [counters] = await Promise.all([
    tx.all<{ user_id: string; seq: number }>(countMany, [users.map(([id]) => id), users.map(([, n]) => n)]),
    tx.run(insertMany, [
      type,
      events.map(({ user_id }) => user_id),
      counted.map(({ later }) => later),
      events.map(({ at }) => at),
      events.map(({ ref }) => ref),
    ]),
  ])
  const newest = new Map(counters.map(({ user_id, seq }) => [user_id, seq]))
  return counted.map(({ user_id, later }) => ({ user_id, seq: newest.get(user_id)! - later }))
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

const manyEvents = 1000
// Lateral, one user at a time: with a plain join, PostgreSQL's generic plan for any number of users reads the whole table.
export const afterMany = `
  SELECT s.place::int4 AS place, e.seq::float8 AS seq, e.type, e.at::float8 AS at, e.ref, e.data
  FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS s (user_id, since, place)
  CROSS JOIN LATERAL (
    SELECT * FROM events WHERE user_id = s.user_id AND seq > s.since ORDER BY seq LIMIT $3) e
  ORDER BY s.place, e.seq LIMIT $3`

/** Reads the events of many users with one statement. */
export function eventsAfterEach(db: Database, { afterEach: oneByOne }: EventStore): EventStore['afterEach'] {
  return async (each) => {
    if (each.length === 1) return oneByOne(each)
    const [users, since] = [each.map(({ user_id }) => user_id), each.map(({ since }) => since)]
    const rows = await db.read((q) => q.all<EventRow & { place: number }>(afterMany, [users, since, manyEvents]))
    // Some users have missed so much that each is read separately.
    if (rows.length === manyEvents) return oneByOne(each)
    const ofPlace = Map.groupBy(rows, ({ place }) => place)
    return each.map(({ limit }, i) => (ofPlace.get(i + 1) ?? []).slice(0, limit).map((row) => eventOf(row)))
  }
}

/** Restarts all numbering above the used numbers: after a restore, clients have seen later numbers than the database has. */
export async function beginNumbersAnew(tx: Queries, at: number): Promise<void> {
  await tx.run('DELETE FROM events')
  await tx.run(
    'INSERT INTO event_counters (user_id, seq) SELECT id, 0 FROM users WHERE deleted_at IS NULL ON CONFLICT DO NOTHING',
  )
  await tx.run('UPDATE event_counters SET seq = greatest(seq + 1, $1::bigint)', [at])
}
