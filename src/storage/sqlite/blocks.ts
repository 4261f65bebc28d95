import type { BlockStore } from '../../features/safety/store.ts'
import type { Db } from './database.ts'
import type { Reads } from './reads.ts'

/** Prepared, because most requests check for blocks. */
export function blockChecks(db: Db, { read }: Reads): Pick<BlockStore, 'between' | 'among'> {
  const blockers = db.$client.prepare<{ blocker_id: string }, [string, string]>(`
    SELECT blocker_id FROM blocks WHERE blocker_id = ?1 AND blocked_id = ?2
    UNION ALL SELECT blocker_id FROM blocks WHERE blocker_id = ?2 AND blocked_id = ?1`)
  const amongThem = db.$client.prepare<{ id: string }, [{ user: string; others: string }]>(`
    SELECT value AS id FROM json_each($others)
    WHERE EXISTS (SELECT 1 FROM blocks WHERE blocker_id = $user AND blocked_id = value)
       OR EXISTS (SELECT 1 FROM blocks WHERE blocker_id = value AND blocked_id = $user)`)

  return {
    among: async (userId, others) =>
      new Set(read(() => amongThem.all({ user: userId, others: JSON.stringify(others) })).map((row) => row.id)),

    between: async (a, b) => {
      const found = read(() => blockers.all(a, b))
      return { by_a: found.some((row) => row.blocker_id === a), by_b: found.some((row) => row.blocker_id === b) }
    },
  }
}
