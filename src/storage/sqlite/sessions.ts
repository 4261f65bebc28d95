import type { SessionWithUser } from '../../features/auth/store.ts'
import type { HotSessions } from '../sql/sessions.ts'
import type { Db } from './database.ts'
import type { Reads } from './reads.ts'
import type { Writer } from './writer.ts'

export function hotSessions({ $client: client }: Db, writer: Writer, { read }: Reads): HotSessions {
  const byId = client.prepare<SessionWithUser, [string]>(`
    SELECT s.id, user_id, generation, rotated_at, s.created_at, last_used_at, user_agent, ended_at, passkey_at,
      suspended_until, suspended_reason, email, email_verified_at
    FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = +? AND u.deleted_at IS NULL`)
  const lasting = client.prepare<{ id: string; suspended_until: number | null }, [string]>(`
    SELECT s.id, u.suspended_until FROM sessions s JOIN users u ON u.id = s.user_id
    WHERE s.id IN (SELECT value FROM json_each(?)) AND s.ended_at IS NULL AND u.deleted_at IS NULL`)
  const rotate = client.prepare<null, [number, number, number, string, number]>(`
    UPDATE sessions SET generation = ?, rotated_at = ?, last_used_at = ?
    WHERE id = +? AND generation = ? AND ended_at IS NULL`)
  return {
    byId: async (id) => read(() => byId.get(id)),
    lasting: async (asked) => read(() => lasting.all(JSON.stringify(asked.map(({ id }) => id)))),
    rotate: (id, from, to, now) =>
      writer.write(() => rotate.run(to, now, now, id, from).changes > 0, { keepsProfileCache: true }),
  }
}
