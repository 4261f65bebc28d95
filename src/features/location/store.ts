import type { Whereabouts } from './published-point.ts'
import type { Point } from './sphere.ts'

/** A user's position as published; times in milliseconds. */
export type Location = { published: Point | null; visible: boolean; updated_at: number | null }

/** What people are searched by. The engines make their statements from this list, so none can be left out. */
export const filterNames = ['drinks', 'activities', 'purposes', 'language', 'gender', 'born'] as const
export type FilterName = (typeof filterNames)[number]

/** Those that a query names by themselves. `born` follows from ages. */
export const namedFilters = filterNames.filter((name) => name !== 'born')

/** A list is met by any of its values, a filter by meeting all of its lists. */
export type NearbyFilters = Partial<Record<FilterName, string[]>>

/** The lists of what is indexed, one for each filter that names anything: at most as many as there are names. */
export const traitLists = (filters: NearbyFilters): string[][] =>
  filterNames.flatMap((name) => {
    const values = filters[name] ?? []
    return values.length === 0 ? [] : [values.map((value) => `${name}:${value}`)]
  })

export type NearbyQuery = {
  /** The searcher. Neither they nor anyone on either side of a block with them is found. */
  caller: string
  centre: Point
  /** metres */
  radius: number
  limit: number
  filters: NearbyFilters
  /** The last one of the page before. */
  after: { distance: number; user_id: string } | null
  /** Positions older than this are not found; milliseconds. */
  since: number
  /** Nobody who is suspended then is found; milliseconds. */
  now: number
}

/** Somebody found. `distance` is in metres and exact, `updated_at` in milliseconds: neither is fit to be shown. */
export type Neighbour = { user_id: string; latitude: number; longitude: number; distance: number; updated_at: number }

export type LocationStore = {
  /** Moves a user's whereabouts by one step, which is pure, and answers what is published then; null if they are erased. */
  follow(userId: string, step: (before: Whereabouts) => Whereabouts, now: number): Promise<Location | null>
  /** Shows or hides; kept also where no position is published yet. False if they are erased. */
  setVisible(userId: string, visible: boolean): Promise<boolean>
  of(userId: string): Promise<Location>
  /** The nearest first, by the haversine distance, ties by id; at most `limit`. */
  nearby(query: NearbyQuery): Promise<Neighbour[]>
  /** How many searches found in a cache where to begin, and how many did not. */
  cacheCounts(): { hits: number; misses: number }
}
