import type { Queries } from './queries.ts'

/**
 * Rebuilds a user's rows of `nearby_traits`, the index of filters, from the view `visible_traits`. Call it inside a write,
 * under `lockLiving`, after a change of the user's gender, preferences, position or visibility.
 */
export async function reindexTraits(tx: Queries, userId: string): Promise<void> {
  await Promise.all([
    tx.run('DELETE FROM nearby_traits WHERE user_id = $1', [userId]),
    tx.run('INSERT INTO nearby_traits SELECT trait, square, user_id FROM visible_traits WHERE user_id = $1', [userId]),
  ])
}
