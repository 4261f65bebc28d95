import type { LastSeenStore } from '../../realtime/store.ts'
import { isErased } from '../sql/chats.ts'
import type { Database } from './database.ts'
import { isAmong } from './dialect.ts'

// The lock serialises this with erasures.
const note = `
  INSERT INTO last_seen (user_id, at)
  SELECT u.id, s.at FROM unnest($1::text[], $2::int8[]) AS s (user_id, at)
  JOIN (SELECT id FROM users WHERE id = ANY($1::text[]) AND deleted_at IS NULL ORDER BY id FOR SHARE) AS u ON u.id = s.user_id
  ON CONFLICT (user_id) DO UPDATE SET at = greatest(last_seen.at, excluded.at)`
const of = `SELECT user_id, at FROM last_seen WHERE ${isAmong('user_id', 1)} AND NOT ${isErased('user_id')}`

export function lastSeenStore(db: Database): LastSeenStore {
  return {
    async note(seen) {
      await db.write((tx) => tx.run(note, [seen.map(({ user_id }) => user_id), seen.map(({ at }) => at)]))
    },

    async of(userIds) {
      const rows = await db.read((q) => q.all<{ user_id: string; at: number }>(of, [userIds]))
      return new Map(rows.map(({ user_id, at }) => [user_id, at]))
    },
  }
}
