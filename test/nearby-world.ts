import { destination, distance, type Point } from '../src/features/location/sphere.ts'
import type { NearbyFilters, NearbyQuery, Neighbour } from '../src/features/location/store.ts'

// People and searches, and their answers by looking at everybody: what each engine's search is compared with.

export const DAY = 86_400_000
export const NOW = Date.UTC(2026, 10, 21)
export const OLDEST = NOW - 30 * DAY

export const at = (latitude: number, longitude: number): Point => ({ latitude, longitude })
export const BERLIN = at(52.52, 13.405)
export const TAVEUNI = at(-16.85, -179.97) // the antimeridian runs through the island
export const SEA = at(-30, -120)

/** Mulberry32: the same numbers for the same seed. */
export function random(seed: number) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Person = {
  id: string
  point: Point | null
  visible: boolean
  updated_at: number
  suspended_until: number | null
  gender: string | null
  /** Year and month of birth, of those who show their age. */
  born: string | null
  preferences: { drinks: string[]; activities: string[]; purposes: string[]; language: string } | null
}

let next = 0

/** The ids begin anew. */
export const beginAnew = () => {
  next = 0
}

export const idOf = (n: number) => `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

export const somebody = (point: Point | null, more: Partial<Person> = {}): Person => ({
  id: idOf(++next),
  point,
  visible: true,
  updated_at: NOW - DAY,
  suspended_until: null,
  gender: null,
  born: null,
  preferences: null,
  ...more,
})

export const ask = (caller: Person, centre: Point, more: Partial<NearbyQuery> = {}): NearbyQuery => ({
  caller: caller.id,
  centre,
  radius: 5000,
  limit: 50,
  filters: {},
  after: null,
  since: OLDEST,
  now: NOW,
  ...more,
})

export const ids = (found: { user_id: string }[]) => found.map(({ user_id }) => user_id)

/** The same answer, by looking at everybody. */
export function bruteForce(people: Person[], blocks: [string, string][], query: NearbyQuery): Neighbour[] {
  const apart = new Set(
    blocks.filter((pair) => pair.includes(query.caller)).flatMap((pair) => pair.filter((id) => id !== query.caller)),
  )
  const meets = ({ gender, born, preferences: p }: Person) =>
    Object.entries(query.filters).every(([kind, wanted]) => {
      const { drinks = [], activities = [], purposes = [], language = 'en' } = p ?? {}
      const has: Record<string, (string | null)[]> = {
        drinks,
        activities,
        purposes,
        language: [language],
        gender: [gender],
        born: born === null ? [] : [born, born.slice(0, 4)],
      }
      return wanted.length === 0 || wanted.some((value) => has[kind]!.includes(value))
    })
  return people
    .filter((person) => person.point && person.visible && person.id !== query.caller && !apart.has(person.id))
    .filter(({ suspended_until, updated_at }) => (suspended_until ?? 0) <= query.now && updated_at >= query.since)
    .filter(meets)
    .map(({ id, point, updated_at }) => ({
      user_id: id,
      ...point!,
      distance: distance(query.centre, point!),
      updated_at,
    }))
    .filter(({ distance }) => distance <= query.radius)
    .filter(({ distance, user_id }) => {
      if (!query.after) return true
      return distance > query.after.distance || (distance === query.after.distance && user_id > query.after.user_id)
    })
    .sort((a, b) => a.distance - b.distance || (a.user_id < b.user_id ? -1 : 1))
    .slice(0, query.limit)
}

/** A city, a village, both sides of the antimeridian, the poles, a crowd at one spot, and some anywhere. */
export function world(seed: number) {
  const r = random(seed)
  const one = <T>(...values: T[]) => values[Math.floor(r() * values.length)]!
  const some = (...values: string[]) => values.filter(() => r() < 0.3)
  const around = (centre: Point, spread: number) =>
    destination(centre, r() * 2 * Math.PI, spread * Math.sqrt(-2 * Math.log(1 - r())))
  const places: [count: number, () => Point][] = [
    [1200, () => around(BERLIN, 3000)],
    [60, () => around(destination(BERLIN, 1, 40_000), 500)],
    [400, () => around(TAVEUNI, 4000)],
    [60, () => at(-16.85 + r() / 100, one(180, -180))],
    [200, () => around(at(90, 0), 20_000)],
    [200, () => around(at(-90, 0), 60_000)],
    [60, () => at(90 - r() / 100, one(0, 45, 180, -180))],
    [20, () => at(90, 0)],
    [40, () => destination(BERLIN, 2, 1500)],
    [300, () => at(Math.asin(2 * r() - 1) * (180 / Math.PI), 360 * r() - 180)],
  ]
  const people = places.flatMap(([count, place]) =>
    Array.from({ length: count }, () =>
      somebody(r() < 0.02 ? null : place(), {
        visible: r() < 0.9,
        updated_at: NOW - Math.floor(r() * 33) * DAY,
        suspended_until: r() < 0.05 ? NOW + one(-1, 0, 1, 1e12) : null,
        gender: one('female', 'male', 'female', 'male', 'other', null),
        born: one('1990-05', '1990-06', '1991-01', '2001-12', null, null),
        preferences:
          r() < 0.2
            ? null
            : {
                drinks: some('tea', 'coffee', 'kvass, cold', '"mate"').concat(r() < 0.02 ? ['absinthe'] : []),
                activities: some('walks', 'chess', 'хоровод'),
                purposes: some('friends', 'talk'),
                language: one('en', 'de', 'pt-BR'),
              },
      }),
    ),
  )
  const blocks = Array.from({ length: 200 }, (): [string, string] => [
    one(...people.slice(0, 20)).id,
    one(...people).id,
  ])
    .concat(Array.from({ length: 200 }, (): [string, string] => [one(...people).id, one(...people.slice(0, 20)).id]))
    .filter(([a, b], i, all) => a !== b && all.findIndex(([c, d]) => a === c && b === d) === i)
  return { r, one, around, people, blocks }
}

export const wishes: NearbyFilters[] = [
  {},
  {},
  { gender: ['other'] },
  { born: ['1990-05', '1991', '2001'] },
  { born: ['1990'], gender: ['female'] },
  { drinks: ['absinthe'] },
  { drinks: ['tea', '"mate"', 'tea'], gender: ['female', 'male'] },
  {
    drinks: ['kvass, cold'],
    activities: ['хоровод', 'chess'],
    purposes: ['talk'],
    language: ['en'],
    gender: ['female'],
  },
  { language: ['pt-BR', 'en'], drinks: [] },
  { language: ['PT-br'] },
  { activities: ['tea'] },
]
