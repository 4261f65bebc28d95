import type { SessionWithUser } from '../../features/auth/store.ts'
import type { HotSessions } from '../sql/sessions.ts'
import type { Database } from './database.ts'

const byId = `
  SELECT s.id, s.user_id, generation, rotated_at, s.created_at, last_used_at, user_agent, ended_at, passkey_at,
    suspended_until, suspended_reason, email, email_verified_at
  FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1 AND u.deleted_at IS NULL`
const lasting = `
  SELECT s.id, u.suspended_until FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE (s.user_id, s.id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
    AND s.ended_at IS NULL AND u.deleted_at IS NULL`
const rotate = `
  UPDATE sessions SET generation = $3, rotated_at = $4, last_used_at = $4
  WHERE id = $1 AND generation = $2 AND ended_at IS NULL`

export const hotSessions = (db: Database): HotSessions => ({
  byId: (id) => db.read((q) => q.get<SessionWithUser>(byId, [id])),
  lasting: (asked) =>
    db.read((q) =>
      q.all<{ id: string; suspended_until: number | null }>(lasting, [
        asked.map(({ user_id }) => user_id),
        asked.map(({ id }) => id),
      ]),
    ),
  rotate: async (id, from, to, now) => (await db.statement((q) => q.run(rotate, [id, from, to, now]))) > 0,
})
