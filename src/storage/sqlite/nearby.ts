import type { Database } from 'bun:sqlite'
import { boxAround, EARTH_RADIUS_M } from '../../features/location/sphere.ts'
import { filterNames, type NearbyQuery, type Neighbour, traitLists } from '../../features/location/store.ts'
import type { ReachCache } from '../reach-cache.ts'
import { covering, extent, numbersIn, quarters, type Square } from '../squares.ts'

type Params = Record<string, string | number | null>
type Counted = Square & { nearest: number; farthest: number; people: number }

/** The first radius of a search for one person, in metres, on a cache miss; more people need a wider circle. */
const FIRST_REACH_M = 35
/** The next search there starts with this much more area: a radius that falls just short wastes a read. */
const SLACK = 1.15
/** The most squares to cover a box: fewer would hold too many people, more need too many look-ups. */
const PIECES = 32
/** A square that holds more than this share of the people wanted is split. */
const CROWDED = 1 / 3

// Each is the end of a FROM with its WHERE. $squares is a JSON array of [first, last], and $list one of traits.
const inSquare = 'BETWEEN s.value ->> 0 AND s.value ->> 1'
const everyone = `locations AS l INDEXED BY locations_nearby
  WHERE l.visible = 1 AND l.square ${inSquare} AND l.updated_at >= +$since`
const onList = `json_each($list) AS v CROSS JOIN nearby_traits AS t WHERE t.trait = v.value AND t.square ${inSquare}`
const alsoOn = (list: string) => `(${list} IS NULL OR EXISTS (
  SELECT 1 FROM nearby_traits AS o
  WHERE o.trait IN (SELECT value FROM json_each(${list})) AND o.square = t.square AND o.location_id = t.location_id))`
const otherLists = filterNames.slice(1).map((_, i) => `list${i + 2}`)
const onEveryList = `(
  SELECT DISTINCT t.location_id FROM json_each($squares) AS s CROSS JOIN ${onList}
    AND ${otherLists.map((name) => alsoOn(`$${name}`)).join(' AND ')}
) AS t CROSS JOIN locations AS l WHERE l.id = t.location_id AND l.updated_at >= +$since`

/** The number of people in each square, in order, counted to $most. */
const counting = (people: string) =>
  `SELECT (SELECT count(*) FROM (SELECT 1 FROM ${people} LIMIT +$most)) FROM json_each($squares) AS s`

/** Haversine: 2R asin √(sin²(Δφ/2) + cos φ₁ cos φ₂ sin²(Δλ/2)), for people in the bounding box. */
const nearest = (people: string) => `
  WITH candidates AS MATERIALIZED (
    SELECT l.user_id, l.latitude, l.longitude, l.updated_at,
      2 * ${EARTH_RADIUS_M} * asin(min(1, sqrt(
        pow(sin(radians(l.latitude - $latitude) / 2), 2) +
        cos(radians($latitude)) * cos(radians(l.latitude)) * pow(sin(radians(l.longitude - $longitude) / 2), 2)
      ))) AS distance
    FROM ${people}
      AND l.latitude BETWEEN $south AND $north
      AND (l.longitude BETWEEN $west AND $east OR l.longitude BETWEEN $west2 AND $east2)
      AND l.user_id <> +$caller
  )
  SELECT c.* FROM candidates AS c
  LEFT JOIN users AS s INDEXED BY users_suspended
    ON s.id = c.user_id AND s.suspended_until IS NOT NULL AND s.suspended_until > +$now
  WHERE c.distance <= +$reach AND (c.distance, c.user_id) > ($distance, $user_id) AND s.id IS NULL
    -- Person by person, so that a search by somebody with a hundred thousand blocks does not read all of them.
    AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocker_id = +$caller AND blocked_id = c.user_id)
    AND NOT EXISTS (SELECT 1 FROM blocks WHERE blocked_id = +$caller AND blocker_id = c.user_id)
  ORDER BY c.distance, c.user_id LIMIT +$limit`

/**
 * Finds the nearest visible people, nearest first, ties by id, at most `limit`.
 *
 * Sorting all of a circle of 50 km around a big city takes tenths of a second. So growing boxes are tried until one holds enough
 * people, and its crowded squares are split until it is clear which of them matter: for a searcher in the country, the fifty
 * nearest are at the near edge of the city, and the rest of the city is not read.
 *
 * `db` must be opened in strict mode and migrated. `cache` gives the first radius, and never determines the result.
 */
export function nearbySearch(
  db: Database,
  cache?: Pick<ReachCache, 'read' | 'write'>,
): (query: NearbyQuery) => Neighbour[] {
  const countEveryone = db.prepare<never, [Params]>(counting(everyone))
  const countOnList = db.prepare<never, [Params]>(counting(onList))
  const nearestOfEveryone = db.prepare<Neighbour, [Params]>(nearest(`json_each($squares) AS s CROSS JOIN ${everyone}`))
  const nearestOnEveryList = db.prepare<Neighbour, [Params]>(nearest(onEveryList))

  return ({ caller, centre, radius, limit, filters, after, since, now }) => {
    const inner = after?.distance ?? 0
    const lists = traitLists(filters).map((list) => JSON.stringify(list))

    /** The squares with people on the list (null: with any people) beyond the previous page. */
    function count(squares: Square[], list: string | null, most: number): Counted[] {
      const params = { squares: numbers(squares), most }
      const rows = list ? countOnList.values({ ...params, list }) : countEveryone.values({ ...params, since })
      return squares
        .map((square, i) => ({ ...square, ...extent(centre, square), people: rows[i]![0] as number }))
        .filter(({ people, farthest }) => people > 0 && farthest >= inner)
    }

    function read(squares: Square[], reach: number, [list = null, ...others]: (string | null)[]): Neighbour[] {
      if (squares.length === 0) return []
      const { south, north, longitudes } = boxAround(centre, reach)
      const [range, range2] = longitudes
      const { distance, user_id } = after ?? { distance: -1, user_id: '' }
      const place = { ...centre, south, north, west: range!.west, east: range!.east }
      const beyond = { west2: range2?.west ?? null, east2: range2?.east ?? null, distance, user_id }
      const params = { ...place, ...beyond, squares: numbers(squares), reach, limit, caller, since, now }
      if (!list) return nearestOfEveryone.all(params)
      const lists = Object.fromEntries(otherLists.map((name, i) => [name, others[i] ?? null]))
      return nearestOnEveryList.all({ ...params, ...lists, list })
    }

    // The ring after the previous page has the same area as a circle of this radius.
    let step = (cache?.read(centre, lists) ?? FIRST_REACH_M) * Math.sqrt(limit)
    let need = limit
    for (;;) {
      const box = Math.min(radius, Math.hypot(inner, step))
      const cover = covering(boxAround(centre, box), PIECES)
      // Starts with the rarest list and looks its people up in the others.
      const counts = (lists.length > 0 ? lists : [null])
        .map((list) => ({ list, squares: count(cover, list, need) }))
        .sort((a, b) => total(a.squares) - total(b.squares))
      const order = counts.map(({ list }) => list)
      let squares = counts[0]!.squares
      if (total(squares) < need && box < radius) {
        step *= Math.sqrt(growth(need, total(squares)))
        continue
      }

      const isCrowded = ({ size, people }: Counted) => size > 1 && people > need * CROWDED
      let reach = box
      for (;;) {
        reach = Math.min(reach, reachTo(need, squares, inner))
        squares = squares.filter((square) => square.nearest <= reach)
        const crowded = squares.filter(isCrowded)
        if (crowded.length === 0) break
        squares = squares.filter((square) => !isCrowded(square))
        squares.push(...count(crowded.flatMap(quarters), order[0]!, need))
      }

      const found = read(squares, reach, order)
      if (found.length === limit || reach === radius) {
        const full = found.length === limit ? found.at(-1)!.distance : 2 * radius
        cache?.write(centre, lists, SLACK * Math.sqrt(Math.max(1, full ** 2 - inner ** 2) / limit))
        return found
      }
      // Some of the people counted may not be shown to the caller.
      if (reach < box) need = Math.ceil(need * growth(limit, found.length))
      else step *= Math.sqrt(growth(limit, found.length))
    }
  }
}

const numbers = (squares: Square[]) => JSON.stringify(squares.map(numbersIn))

const total = (squares: Counted[]) => squares.reduce((sum, { people }) => sum + people, 0)

/** The factor by which to search more: proportional to what is missing, doubled to be safe. */
const growth = (wanted: number, got: number) => Math.min((2 * wanted) / got, 16)

/** A distance within which `need` people certainly are, not counting those nearer than `inner`. */
function reachTo(need: number, squares: Counted[], inner: number): number {
  let people = 0
  for (const square of squares.toSorted((a, b) => a.farthest - b.farthest)) {
    if (square.nearest >= inner) people += square.people
    if (people >= need) return square.farthest
  }
  return Infinity
}
