import type { Whereabouts } from './published-point.ts'
import type { Point } from './sphere.ts'

/** A user's position as published; times in milliseconds. */
export type Location = { published: Point | null; visible: boolean; updated_at: number | null }

/** The filters of a search. The engines build their statements from this list, so none can be forgotten. */
export const filterNames = ['drinks', 'activities', 'purposes', 'language', 'gender', 'born'] as const
export type FilterName = (typeof filterNames)[number]

/** The filters that are query parameters. `born` follows from the ages. */
export const namedFilters = filterNames.filter((name) => name !== 'born')

/** A person matches if they have at least one value of every list. */
export type NearbyFilters = Partial<Record<FilterName, string[]>>

/** The indexed values to search for, one list for each filter with values. */
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
  /** People who are suspended at this time are not found; milliseconds. */
  now: number
}

/** A person found. `distance` is exact, in metres, and `updated_at` in milliseconds: round both before showing them. */
export type Neighbour = { user_id: string; latitude: number; longitude: number; distance: number; updated_at: number }

export type LocationStore = {
  /** Applies `step`, a pure function, to a user's whereabouts. Returns the published position; null if the user is erased. */
  follow(userId: string, step: (before: Whereabouts) => Whereabouts, now: number): Promise<Location | null>
  /** Shows or hides a user, even before a position is published. False if the user is erased. */
  setVisible(userId: string, visible: boolean): Promise<boolean>
  of(userId: string): Promise<Location>
  /** The nearest first, by the haversine distance, ties by id; at most `limit`. */
  nearby(query: NearbyQuery): Promise<Neighbour[]>
  /** How many searches found their starting radius in the cache, and how many did not. */
  cacheCounts(): { hits: number; misses: number }
}
