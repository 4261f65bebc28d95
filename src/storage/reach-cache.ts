import { recentMap } from '../lib/recent-map.ts'
import type { Point } from '../features/location/sphere.ts'

export type ReachCache = ReturnType<typeof reachCache>

/**
 * Remembers for up to an hour how far a nearby search had to reach, so that the next one around there starts with a good radius.
 * It holds neither people nor exact positions: places are rounded to 0.01 degrees, because the searcher's position is exact and
 * private. A stale entry costs time but cannot change a result.
 */
export function reachCache({ now = Date.now, ttl = 3_600_000, most = 10_000 } = {}) {
  const entries = recentMap<{ reach: number; until: number }>(most)
  let hits = 0
  let misses = 0
  const keyOf = ({ latitude, longitude }: Point, lists: string[]) =>
    `${Math.floor(latitude * 100)} ${Math.floor(longitude * 100)} ${lists.length > 0 ? Bun.hash(lists.join()) : ''}`
  return {
    read(centre: Point, lists: string[]): number | undefined {
      const entry = entries.get(keyOf(centre, lists))
      const isFresh = entry !== undefined && entry.until > now()
      if (isFresh) hits++
      else misses++
      return isFresh ? entry.reach : undefined
    },
    write(centre: Point, lists: string[], reach: number) {
      entries.set(keyOf(centre, lists), { reach, until: now() + ttl })
    },
    counts: () => ({ hits, misses }),
  }
}
