import { boxAround, EARTH_RADIUS_M, type Point } from '../../features/location/sphere.ts'
import { filterNames, type NearbyQuery, type Neighbour, traitLists } from '../../features/location/store.ts'
import type { ReachCache } from '../reach-cache.ts'
import { finds } from '../sql/chats.ts'
import { covering, extent, numbersIn, quarters, type Square } from '../squares.ts'
import { type Database, usualSearchMs } from './database.ts'
import { busy } from './failures.ts'
import type { Queries, Value } from './queries.ts'

/** The first radius of a search for one person, in metres, on a cache miss; more people need a wider circle. */
const FIRST_REACH_M = 35
/** The next search there starts with this much more area: a radius that falls just short wastes a read. */
const SLACK = 1.15
/** The most squares to cover a box: fewer would reach too far beyond it, more need too many look-ups. */
const PIECES = 32
/** The same where many people may lie just outside, such as a city at the rim, or all people of earlier pages. */
const FINE_PIECES = 128
/** A circle with this many times the people wanted is too wide: a smaller one is faster than sorting these. */
const CROWDED = 16
/** The assumed factor beyond the count's limit: too small a next circle costs less than too large a one. */
const BEYOND = 8
/** The limit when counting a list: which of two longer lists is rarer does not matter. */
const MOST_COUNTED = 1000

// Ranges of squares, by their first and last numbers: the text is the same for any number of them. Each OFFSET 0 forces the
// one good plan, range by range and person by person, whatever the planner's estimates are.
const ranges = `(SELECT $1::bigint[] AS first, $2::bigint[] AS last OFFSET 0) AS r
  CROSS JOIN LATERAL unnest(r.first, r.last) AS s (first, last)`
const everyone = `${ranges} CROSS JOIN LATERAL (
    SELECT user_id, latitude, longitude, updated_at FROM locations
    WHERE visible AND square BETWEEN s.first AND s.last OFFSET 0
  ) AS l`
const onList = (list: string) => `${ranges} CROSS JOIN LATERAL (
    SELECT user_id, square FROM nearby_traits
    WHERE trait = ANY(${list}::text[]) AND square BETWEEN s.first AND s.last OFFSET 0
  ) AS t`
const alsoOn = (list: string) => `EXISTS (
    SELECT 1 FROM nearby_traits AS o
    WHERE o.trait = ANY(${list}::text[]) AND o.square = t.square AND o.user_id = t.user_id OFFSET 0)`
/** The people on the list of traits $19 and on the others, from $20 on. A person appears once for each of their traits. */
const onLists = (others: number) => `(
    SELECT user_id FROM ${onList('$19')}
    WHERE ${['true', ...Array.from({ length: others }, (_, i) => alsoOn(`$${20 + i}`))].join(' AND ')} OFFSET 0
  ) AS listed CROSS JOIN LATERAL (
    SELECT user_id, latitude, longitude, updated_at FROM locations WHERE user_id = listed.user_id AND visible OFFSET 0
  ) AS l`
const countOnList = `
  SELECT count(*) AS people FROM (SELECT 1 FROM ${onList('$3')} LIMIT ${MOST_COUNTED}) AS counted`

/**
 * The nearest within the reach, and how many there are, which is counted to $17.
 * Haversine: 2R asin √(sin²(Δφ/2) + cos φ₁ cos φ₂ sin²(Δλ/2)), for people in the bounding box.
 */
const nearest = (people: string) => `
  SELECT DISTINCT user_id, latitude, longitude, updated_at, distance, people FROM (
    SELECT *, count(*) OVER () AS people FROM (
      SELECT * FROM (
        SELECT l.user_id, l.latitude, l.longitude, l.updated_at,
          ${2 * EARTH_RADIUS_M} * asin(least(1, sqrt(
            power(sin(radians(l.latitude - $3) / 2), 2) +
            cos(radians($3)) * cos(radians(l.latitude)) * power(sin(radians(l.longitude - $4) / 2), 2)
          ))) AS distance
        FROM ${people}
        WHERE l.updated_at >= $5 AND l.latitude BETWEEN $6 AND $7
          AND (l.longitude BETWEEN $8 AND $9 OR l.longitude BETWEEN $10 AND $11)
        OFFSET 0  -- so that each distance is computed once
      ) AS inside
      WHERE distance <= $12 AND (distance, user_id) > ($13, $14) AND user_id <> $15
        -- Person by person, so that a search by somebody with a hundred thousand blocks does not read all of them. Most callers
        -- have none, and need no look-up for each person, which takes a third of the search. The least one is found by an index.
        AND ((SELECT min(blocked_id) FROM blocks WHERE blocker_id = $15) IS NULL
          OR NOT ${finds('SELECT 1 FROM blocks WHERE blocker_id = $15 AND blocked_id = inside.user_id')})
        AND ((SELECT min(blocker_id) FROM blocks WHERE blocked_id = $15) IS NULL
          OR NOT ${finds('SELECT 1 FROM blocks WHERE blocked_id = $15 AND blocker_id = inside.user_id')})
        AND NOT EXISTS (SELECT 1 FROM users AS u WHERE u.id = inside.user_id AND u.suspended_until > $16 OFFSET 0)
      LIMIT $17
    ) AS found
  ) AS counted ORDER BY distance, user_id LIMIT $18`
const nearestOfEveryone = nearest(everyone)
const nearestOnLists = filterNames.map((_, others) => nearest(onLists(others)))

type Circle = { area: number; people: number }

/**
 * Finds the nearest visible people, nearest first, ties by id, at most `limit`.
 *
 * Sorting all of a circle of 50 km around a big city takes tenths of a second. So circles of growing size are tried. If one
 * holds far too many people, the next lies between it and the widest that held too few. Each takes one statement, and
 * usually the first is right, because `cache` knows where to start. The cache never determines the result.
 */
export function nearbySearch(
  db: Pick<Database, 'search'>,
  cache?: ReachCache,
): (query: NearbyQuery) => Promise<Neighbour[]> {
  return (query) => db.search((q) => search(q, query))

  async function search(q: Queries, query: NearbyQuery): Promise<Neighbour[]> {
    const { caller, centre, radius, limit, filters, after, since, now } = query
    const began = performance.now()
    const inner = after?.distance ?? 0
    const lists = traitLists(filters)
    const key = lists.map((list) => JSON.stringify(list))
    const reachOf = (area: number) => Math.min(radius, Math.sqrt(inner ** 2 + area))

    /** Starts with the rarest list and looks its people up in the others. */
    async function rarestFirst(numbers: Numbers): Promise<string[][]> {
      if (lists.length < 2) return lists
      const counted = await Promise.all(
        lists.map(async (list) => ({
          list,
          people: (await q.get<{ people: number }>(countOnList, [...numbers, list]))!.people,
        })),
      )
      return counted.sort((a, b) => a.people - b.people).map(({ list }) => list)
    }

    async function read(reach: number, most: number, pieces: number): Promise<{ found: Neighbour[]; people: number }> {
      const { south, north, longitudes } = boxAround(centre, reach)
      const [range, range2] = longitudes
      const numbers = rangesOf(squaresWithin(centre, inner, reach, pieces))
      const order = await rarestFirst(numbers)
      const values: Value[] = [...numbers, centre.latitude, centre.longitude, since, south, north]
      values.push(range!.west, range!.east, range2?.west ?? null, range2?.east ?? null, reach)
      values.push(after?.distance ?? -1, after?.user_id ?? '', caller, now, most, limit, ...order)
      const text = order.length === 0 ? nearestOfEveryone : nearestOnLists[order.length - 1]!
      const rows = await q.all<Neighbour & { people: number }>(text, values)
      const found = rows.map(({ user_id, latitude, longitude, distance, updated_at }) => ({
        user_id,
        latitude,
        longitude,
        distance,
        updated_at,
      }))
      return { found, people: rows[0]?.people ?? 0 }
    }

    // The ring after the previous page has the same area as a circle of this radius.
    let area = (cache?.read(centre, key) ?? FIRST_REACH_M) ** 2 * limit
    let most = CROWDED * limit
    let tooFew: Circle = { area: 0, people: 0 }
    let tooMany: Circle | null = null
    for (;;) {
      const reach = reachOf(area)
      // Several circles, each fast enough, can exceed the limit together.
      if (performance.now() - began > usualSearchMs) throw busy('The search takes too long.')
      const isFirst = tooMany === null && tooFew.area === 0
      const { found, people } = await read(reach, most, !isFirst ? FINE_PIECES : inner > 0 ? PIECES : 0)
      const circle = { area: reach ** 2 - inner ** 2, people: found.length }
      if (people === most) tooMany = { ...circle, people: BEYOND * most }
      else if (found.length === limit || reach === radius) {
        const full = found.length === limit ? found.at(-1)!.distance : 2 * radius
        cache?.write(centre, key, SLACK * Math.sqrt(Math.max(1, full ** 2 - inner ** 2) / limit))
        return found
      } else tooFew = circle

      if (tooMany === null) area *= Math.min((2 * limit) / found.length, 64)
      else {
        area = between(tooFew, tooMany, 2 * limit)
        // If thousands are at one spot, no circle holds just enough of them.
        most *= 4
      }
    }
  }
}

/** The area that holds `wanted` people, if their number grows as a power of the area. */
function between(few: Circle, many: Circle, wanted: number): number {
  if (few.area === 0) return (many.area * wanted) / many.people
  const least = Math.max(1, few.people)
  const power = Math.log(many.people / least) / Math.log(many.area / few.area)
  return few.area * (wanted / least) ** (1 / power)
}

/** Squares that cover the ring: at least that many, as long as they can be split. */
function squaresWithin(centre: Point, inner: number, outer: number, pieces: number): Square[] {
  const isWithin = (square: Square) => {
    const { nearest, farthest } = extent(centre, square)
    return nearest <= outer && farthest >= inner
  }
  let squares = covering(boxAround(centre, outer), PIECES).filter(isWithin)
  while (squares.length < pieces && (squares[0]?.size ?? 1) > 1) squares = squares.flatMap(quarters).filter(isWithin)
  return squares
}

type Numbers = [first: number[], last: number[]]

/** Neighbouring squares have neighbouring numbers, mostly: a handful of ranges. */
function rangesOf(squares: Square[]): Numbers {
  const [first, last]: Numbers = [[], []]
  for (const [from, to] of squares.map(numbersIn).sort(([a], [b]) => a - b)) {
    if (last.at(-1) === from - 1) last[last.length - 1] = to
    else {
      first.push(from)
      last.push(to)
    }
  }
  return [first, last]
}
