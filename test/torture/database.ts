import assert from 'node:assert/strict'
import { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Rules that hold of every database at every moment, on either engine: each query finds what breaks one. */
export const rules: Record<string, string> = {
  'messages of a chat are numbered 1, 2, 3 … and the chat knows the newest number': `
    SELECT c.id, c.last_seq, count(m.id) AS n, min(m.seq) AS first, max(m.seq) AS last
    FROM chats c LEFT JOIN messages m ON m.chat_id = c.id GROUP BY c.id
    HAVING count(m.id) <> c.last_seq OR min(m.seq) <> 1 OR max(m.seq) <> count(m.id)`,
  'a chat knows the time of its newest message': `
    SELECT c.id, c.last_msg_at, max(m.created_at) AS newest
    FROM chats c LEFT JOIN messages m ON m.chat_id = c.id GROUP BY c.id
    HAVING c.last_msg_at IS DISTINCT FROM max(m.created_at)`,
  'a client_id is stored once for its sender': `
    SELECT sender_id, client_id, count(*) AS n FROM messages
    WHERE client_id IS NOT NULL GROUP BY sender_id, client_id HAVING count(*) > 1`,
  'events of a user are numbered 1, 2, 3 … without a gap': `
    SELECT c.user_id, c.seq, count(e.seq) AS n, min(e.seq) AS first, max(e.seq) AS last
    FROM event_counters c LEFT JOIN events e ON e.user_id = c.user_id GROUP BY c.user_id
    HAVING count(e.seq) <> c.seq OR min(e.seq) <> 1 OR max(e.seq) <> count(e.seq)`,
  'no event is without its user’s counter': `
    SELECT DISTINCT user_id FROM events WHERE user_id NOT IN (SELECT user_id FROM event_counters)`,
  'a message is one event to each of the two, where they still have an account': `
    WITH told AS MATERIALIZED
      (SELECT ref, user_id, count(*) AS times FROM events WHERE type = 'message' GROUP BY ref, user_id)
    SELECT m.id, u.id AS user, told.times
    FROM messages m JOIN chats c ON c.id = m.chat_id
      JOIN users u ON u.id IN (c.user_a, c.user_b) AND u.deleted_at IS NULL
      LEFT JOIN told ON told.ref = m.id AND told.user_id = u.id
    WHERE told.times IS DISTINCT FROM 1`,
  'nobody else is told of a message': `
    SELECT e.user_id, e.seq FROM events e JOIN messages m ON m.id = e.ref JOIN chats c ON c.id = m.chat_id
    WHERE e.type LIKE 'message%' AND e.user_id NOT IN (c.user_a, c.user_b)`,
  'no event is of a message that is not there': `
    SELECT user_id, seq FROM events
    WHERE type = 'message' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = events.ref)`,
  'the stats of a user are what the reviews say': `
    SELECT u.id, s.count, s.rating_avg, count(r.id) AS n, avg(r.rating) AS average
    FROM users u LEFT JOIN user_stats s ON s.user_id = u.id LEFT JOIN reviews r ON r.reviewed_id = u.id
    GROUP BY u.id, s.count, s.rating_avg
    HAVING coalesce(s.count, 0) <> count(r.id) OR abs(coalesce(s.rating_avg, 0) - coalesce(avg(r.rating), 0)) > 0.00501`,
}

/** Of a database that was restored: its events begin anew. */
export const restoredRules = Object.fromEntries(
  Object.entries({
    ...rules,
    'events of a user are numbered without a gap, up to the counter': `
      SELECT c.user_id, c.seq, count(*) AS n, min(e.seq) AS first, max(e.seq) AS last
      FROM event_counters c JOIN events e ON e.user_id = c.user_id GROUP BY c.user_id
      HAVING max(e.seq) <> c.seq OR count(*) <> max(e.seq) - min(e.seq) + 1`,
  }).filter(([rule]) => !/numbered 1, 2, 3 … without a gap|is one event to each/.test(rule)),
)

/** Opens a database, for looking only, and fails where it is damaged or breaks a rule. */
export function withSoundDatabase<T>(path: string, look: (db: Database) => T, all = rules): T {
  const db = new Database(path, { strict: true })
  try {
    assert.deepEqual(db.query('PRAGMA integrity_check').values(), [['ok']], 'integrity_check')
    assert.deepEqual(db.query('PRAGMA foreign_key_check').all(), [], 'foreign_key_check')
    for (const [rule, broken] of Object.entries(all)) assert.deepEqual(db.query(broken).all(), [], rule)
    return look(db)
  } finally {
    db.close()
  }
}

/** The same of a copy, as a database that was left behind by a dead process must be recovered by the server alone. */
export function withSoundCopy<T>(dataDir: string, scratch: string, look: (db: Database) => T): T {
  const copy = join(scratch, 'copy.db')
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true })
  for (const end of ['', '-wal'])
    if (existsSync(databaseOf(dataDir) + end)) copyFileSync(databaseOf(dataDir) + end, copy + end)
  return withSoundDatabase(copy, look)
}

export const databaseOf = (dataDir: string) => join(dataDir, 'convene.db')
