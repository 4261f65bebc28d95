import type { Queries } from './queries.ts'

const shared = 'SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR SHARE'
const alone = 'SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE'

/**
 * Locks an account until the commit, against every other write that locks it. Rows that only refer to it may still be
 * written. Returns false if the account does not exist or is erased: then nothing may be stored for it.
 */
export const lockLiving = async (tx: Queries, userId: string): Promise<boolean> =>
  (await tx.get(alone, [userId])) !== null

/**
 * Locks accounts until the commit: an erasure has either committed before, and is seen, or waits and finds what this write has
 * stored. Their profiles, preferences and suspensions do not change either. Accounts in `changed` are locked exclusively.
 * Returns which of all of them are not erased. Call it once, as the first step of a write.
 */
export async function holdLiving(
  tx: Queries,
  userIds: Iterable<string | null>,
  changed: readonly string[] = [],
): Promise<Set<string>> {
  const inOrder = [...new Set([...userIds, ...changed])].filter((id) => id !== null).sort()
  const found = await Promise.all(
    inOrder.map((id) => tx.get<{ id: string }>(changed.includes(id) ? alone : shared, [id])),
  )
  return new Set(found.flatMap((row) => (row === null ? [] : [row.id])))
}
