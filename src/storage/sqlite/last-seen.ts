import type { LastSeenStore } from '../../realtime/store.ts'
import type { Db } from './database.ts'
import type { Reads } from './reads.ts'
import type { Writer } from './writer.ts'

export function lastSeenStore(db: Db, writer: Writer, { read }: Reads): LastSeenStore {
  const client = db.$client
  const note = client.prepare<null, [string]>(`
    INSERT INTO last_seen (user_id, at)
    SELECT u.id, s.value ->> '$.at' FROM json_each(?) s JOIN users u ON u.id = s.value ->> '$.user_id'
    WHERE u.deleted_at IS NULL
    ON CONFLICT (user_id) DO UPDATE SET at = max(at, excluded.at)`)
  const of = client.prepare<{ user_id: string; at: number }, [string]>(`
    SELECT user_id, at FROM last_seen JOIN users u ON u.id = user_id
    WHERE user_id IN (SELECT value FROM json_each(?)) AND u.deleted_at IS NULL`)

  return {
    note: (seen) => writer.write(() => void note.run(JSON.stringify(seen)), { keepsProfileCache: true }),
    of: async (userIds) => new Map(read(() => of.all(JSON.stringify(userIds))).map(({ user_id, at }) => [user_id, at])),
  }
}
