import type { Queries } from './database.ts'

/**
 * Locks an account until the commit, against every other write that locks it; erased or not. Rows that only refer to it
 * may still be written. False where there is none.
 */
export const lockUser = async (tx: Queries, userId: string): Promise<boolean> =>
  (await tx.get('SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE', [userId])) !== null
