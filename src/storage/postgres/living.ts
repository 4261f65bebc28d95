import type { Queries } from './queries.ts'

const shared = 'SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR SHARE'
const alone = 'SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE'

/**
 * Locks an account until the commit, against every other write that locks it. Rows that only refer to it may still be
 * written. False if there is none, or an erased one: nothing may be stored of it then.
 */
export const lockLiving = async (tx: Queries, userId: string): Promise<boolean> =>
  (await tx.get(alone, [userId])) !== null

/**
 * Keeps accounts until the commit: whoever erases one comes before, and is seen, or comes after and finds what this write
 * has stored. Nor do their profile, preferences and suspension change meanwhile. Those of `changed` are locked against all
 * others who do the same. Returns which of them all are not erased. Call it once, as the first step of a write.
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
