import type { Block, BlockStore } from '../../features/safety/store.ts'
import { batched } from '../../lib/batched.ts'
import type { Database } from './database.ts'
import { isAmong } from './dialect.ts'

// The arrays contain both directions of each pair.
const blocksOfPairs = `
  SELECT blocker_id, blocked_id FROM blocks
  WHERE (blocker_id, blocked_id) IN (SELECT a, b FROM unnest($1::text[], $2::text[]) AS pairs (a, b))`
const blocksWith = `
  SELECT blocked_id AS id FROM blocks WHERE blocker_id = $1 AND ${isAmong('blocked_id', 2)}
  UNION ALL SELECT blocker_id FROM blocks WHERE blocked_id = $1 AND ${isAmong('blocker_id', 2)}`

/** Batched, because most requests check for blocks. */
export function blockChecks(db: Database): Pick<BlockStore, 'between' | 'among'> {
  const between = batched(async (pairs: readonly (readonly [string, string])[]) => {
    const [those, others] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)]
    const found = await db.read((q) =>
      q.all<Pick<Block, 'blocker_id' | 'blocked_id'>>(blocksOfPairs, [
        [...those, ...others],
        [...others, ...those],
      ]),
    )
    const blocks = new Set(found.map(({ blocker_id, blocked_id }) => `${blocker_id} ${blocked_id}`))
    return pairs.map(([a, b]) => ({ by_a: blocks.has(`${a} ${b}`), by_b: blocks.has(`${b} ${a}`) }))
  }, 100)

  return {
    among: async (userId, others) => {
      const found = await db.read((q) => q.all<{ id: string }>(blocksWith, [userId, others]))
      return new Set(found.map(({ id }) => id))
    },

    between: (a, b) => between([a, b]),
  }
}
