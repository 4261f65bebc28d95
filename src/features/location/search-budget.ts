import { rateLimited } from '../../limits.ts'
import { days } from '../../time.ts'
import type { Point } from './sphere.ts'

export type SearchBudget = ReturnType<typeof searchBudget>

const cellsPerDay = 500
// Of 0.01°, about a kilometre: moving about in one is not counted.
const cellsPerDegree = 100
// Accounts remembered at once. A day's worth of a full one takes some 20 KB.
const accounts = 20_000

/**
 * Lets an account search around 500 different places a day: enough for whoever travels, too few to map a country's
 * people. Counted from an account's first search on; nothing finer than the cell is kept.
 */
export function searchBudget({ enabled, now }: { enabled: boolean; now: () => number }) {
  const spent = new Map<string, { since: number; cells: Set<number> }>()

  return {
    /** Refuses with 429 the 501st place of a day. */
    spend(userId: string, { latitude, longitude }: Point) {
      if (!enabled) return
      const at = now()
      let budget = spent.get(userId)
      if (!budget || at - budget.since >= days || at < budget.since) {
        if (spent.size >= accounts) spent.delete(spent.keys().next().value!)
        budget = { since: at, cells: new Set() }
        spent.set(userId, budget)
      }
      const row = Math.floor((latitude + 90) * cellsPerDegree)
      const cell = row * 360 * cellsPerDegree + Math.floor((longitude + 180) * cellsPerDegree)
      if (budget.cells.has(cell)) return
      if (budget.cells.size >= cellsPerDay)
        throw rateLimited({ limit: cellsPerDay, remaining: 0, resetS: Math.ceil((budget.since + days - at) / 1000) })
      budget.cells.add(cell)
    },
  }
}
