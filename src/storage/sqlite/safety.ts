import type { BlockStore } from '../../features/safety/store.ts'
import type { Db } from './database.ts'

export function blockStore(db: Db): BlockStore {
  const blockers = db.$client.prepare<{ blocker_id: string }, [string, string, string, string]>(
    'SELECT blocker_id FROM blocks WHERE (blocker_id, blocked_id) IN (VALUES (?, ?), (?, ?))',
  )
  return {
    between: async (a, b) => {
      const found = blockers.all(a, b, b, a)
      return { by_a: found.some((row) => row.blocker_id === a), by_b: found.some((row) => row.blocker_id === b) }
    },
  }
}
