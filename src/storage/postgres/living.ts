import type { Queries } from './queries.ts'

const lock = 'SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE'

/**
 * Locks an account until the commit, against every other write that locks it. Rows that only refer to it may still be
 * written. Returns false if the account does not exist or is erased: then nothing may be stored for it.
 */
export const lockLiving = async (tx: Queries, userId: string): Promise<boolean> =>
  (await tx.get(lock, [userId])) !== null
