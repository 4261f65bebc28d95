import type { Database } from 'bun:sqlite'
import type { DurableType } from '../../realtime/events.ts'
import type { Db } from './database.ts'

/**
 * Stores a user's next event and returns its number. Call it inside the write that causes the event. `ref` is the id of what the
 * event shows, which is read with the event; otherwise `data` holds all of it.
 */
export function eventRecorder(db: Db) {
  // Two statements, because a single one with RETURNING takes longer.
  const newest = db.$client.prepare<{ seq: number }, [string]>('SELECT seq FROM event_counters WHERE user_id = +?')
  const raise = db.$client.prepare<null, [number, string]>('UPDATE event_counters SET seq = ? WHERE user_id = +?')
  const begin = db.$client.prepare<null, [string]>('INSERT INTO event_counters (user_id, seq) VALUES (?, 1)')
  const insert = db.$client.prepare<null, [string, number, string, number, string | null, string | null]>(
    'INSERT INTO events (user_id, seq, type, at, ref, data) VALUES (?, ?, ?, ?, ?, ?)',
  )
  return (userId: string, type: DurableType, at: number, event: { ref?: string; data?: unknown }): number => {
    const seq = (newest.get(userId)?.seq ?? 0) + 1
    if (seq > 1) raise.run(seq, userId)
    else begin.run(userId)
    insert.run(userId, seq, type, at, event.ref ?? null, event.data === undefined ? null : JSON.stringify(event.data))
    return seq
  }
}

/**
 * Restarts everybody's event numbers at `at`, the time in milliseconds. A restored database would otherwise give out numbers
 * again that clients have already seen; this way, a client that asks for events after one of those gets a gap. The time is
 * suitable because nobody has that many events, and because a later restore starts at a higher number.
 */
export function beginNumbersAnew(client: Database, at: number) {
  client.transaction(() => {
    client.run('DELETE FROM events')
    client.run('INSERT OR IGNORE INTO event_counters (user_id, seq) SELECT id, 0 FROM users WHERE deleted_at IS NULL')
    client.run('UPDATE event_counters SET seq = max(seq + 1, ?)', [at])
  })()
}
