import type { Queries } from './queries.ts'

/**
 * Keeps `nearby_traits`, the index of what people are searched by, equal to the view `visible_traits`. Call it inside a
 * write, after a change of a user's gender, preferences, position or visibility, and under `lockLiving`.
 */
export async function reindexTraits(tx: Queries, userId: string): Promise<void> {
  await Promise.all([
    tx.run('DELETE FROM nearby_traits WHERE user_id = $1', [userId]),
    tx.run('INSERT INTO nearby_traits SELECT trait, square, user_id FROM visible_traits WHERE user_id = $1', [userId]),
  ])
}
