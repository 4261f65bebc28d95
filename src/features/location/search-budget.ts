import { rateLimited } from '../../limits.ts'
import { days } from '../../time.ts'
import type { Point } from './sphere.ts'

export type SearchBudget = ReturnType<typeof searchBudget>

/**
 * Counts a cell as searched by an account today, for several nodes together; answers null, or after how many milliseconds
 * there is room again where it is one too many. Rejects where it cannot tell.
 */
export type SharedPlaces = (userId: string, cell: number, most: number) => Promise<number | null>

const cellsPerDay = 500
// Of 0.01°, about a kilometre: moving about in one is not counted.
const cellsPerDegree = 100
// Accounts remembered at once. A day's worth of a full one takes some 20 KB.
const accounts = 20_000

type Deps = {
  enabled: boolean
  now: () => number
  /** Null where this is the only node. */
  shared?: SharedPlaces | null
}

/**
 * Lets an account search around 500 different places a day: enough for whoever travels, too few to map a country's
 * people. Counted from an account's first search on; nothing finer than the cell is kept.
 */
export function searchBudget({ enabled, now, shared = null }: Deps) {
  const spent = new Map<string, { since: number; cells: Set<number> }>()

  /** Counts in the memory of this process; answers like SharedPlaces. */
  function spendHere(userId: string, cell: number): number | null {
    const at = now()
    let budget = spent.get(userId)
    if (!budget || at - budget.since >= days || at < budget.since) {
      if (spent.size >= accounts) spent.delete(spent.keys().next().value!)
      budget = { since: at, cells: new Set() }
      spent.set(userId, budget)
    }
    if (budget.cells.has(cell)) return null
    if (budget.cells.size >= cellsPerDay) return budget.since + days - at
    budget.cells.add(cell)
    return null
  }

  return {
    /** Refuses with 429 the 501st place of a day. A promise only where several nodes count together. */
    spend(userId: string, { latitude, longitude }: Point): void | Promise<void> {
      if (!enabled) return
      const row = Math.floor((latitude + 90) * cellsPerDegree)
      const cell = row * 360 * cellsPerDegree + Math.floor((longitude + 180) * cellsPerDegree)
      if (!shared) return refuseWhere(spendHere(userId, cell))
      return shared(userId, cell, cellsPerDay)
        .catch(() => spendHere(userId, cell))
        .then(refuseWhere)
    },
  }
}

function refuseWhere(waitMs: number | null) {
  if (waitMs !== null) throw rateLimited({ limit: cellsPerDay, remaining: 0, resetS: Math.ceil(waitMs / 1000) })
}
