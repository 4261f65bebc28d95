import { afterEach, describe, expect, test } from 'bun:test'
import { mandatory } from '../../src/features/auth/rules.ts'
import { anybody } from '../../src/features/registration/rules.ts'
import type { Consent } from '../../src/features/auth/store.ts'
import type { Whereabouts } from '../../src/features/location/published-point.ts'
import { destination, type Point } from '../../src/features/location/sphere.ts'
import {
  type FilterName,
  filterNames,
  type NearbyFilters,
  type NearbyQuery,
  type Neighbour,
} from '../../src/features/location/store.ts'
import { squareOf } from '../../src/storage/squares.ts'
import { engines } from '../engines.ts'
import {
  ask,
  at,
  BERLIN,
  bruteForce,
  DAY,
  ids,
  NOW,
  OLDEST,
  type Person,
  SEA,
  somebody,
  TAVEUNI,
  wishes,
  world,
} from '../nearby-world.ts'
import { openRaw, quoted, type Raw } from '../raw.ts'

// What the port of positions promises, asked of every engine: the same people, the same answers.

const many = 50
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

async function add({ run }: Raw, engine: string, people: Person[], blocks: [string, string][] = []) {
  const insert = async (into: string, rows: (string | number | boolean | null)[][]) => {
    const literal = (value: (typeof rows)[number][number]) =>
      typeof value === 'string' ? quoted(value) : String(value)
    if (rows.length > 0)
      await run(`INSERT INTO ${into} VALUES ${rows.map((row) => `(${row.map(literal).join()})`).join()}`)
  }
  await insert(
    'users (id, name, gender, birth_month, show_age, suspended_until, created_at, updated_at)',
    people.map(({ id, gender, born, suspended_until }) => [
      id,
      id,
      gender,
      born ?? '1980-01',
      born !== null,
      suspended_until,
      0,
      0,
    ]),
  )
  await insert(
    'preferences (user_id, drinks, activities, purposes, language)',
    people.flatMap(({ id, preferences: p }) =>
      p === null ? [] : [[id, ...[p.drinks, p.activities, p.purposes].map((list) => JSON.stringify(list)), p.language]],
    ),
  )
  await insert(
    'locations (user_id, latitude, longitude, square, visible, updated_at)',
    people.map(({ id, point, visible, updated_at }) => [
      id,
      point && point.latitude,
      point && point.longitude,
      point && squareOf(point),
      visible,
      point && updated_at,
    ]),
  )
  await insert(
    'blocks (id, blocker_id, blocked_id, created_at)',
    blocks.map(([a, b]) => [`${a} ${b}`, a, b, 0]),
  )
  await run('DELETE FROM nearby_traits')
  await run(
    `INSERT INTO nearby_traits SELECT trait, square, ${engine === 'SQLite' ? 'location_id' : 'user_id'} FROM visible_traits`,
  )
}

const open: Raw[] = []
afterEach(async () => {
  for (const raw of open.splice(0)) await raw.close()
})

for (const engine of engines) {
  describe.skipIf(engine.skipped !== null)(engine.skipped ? `${engine.name}, ${engine.skipped}` : engine.name, () => {
    async function fresh(people: Person[], blocks?: [string, string][]): Promise<Raw> {
      const raw = await openRaw(engine)
      open.push(raw)
      await add(raw, engine.name, people, blocks)
      return raw
    }

    describe('nearby, compared with looking at everybody', () => {
      test.each([1, 2])(
        'every search answers the same (world %i)',
        async (seed) => {
          const { one, around, people, blocks } = world(seed)
          const { storage } = await fresh(people, blocks)
          let neighbours = 0
          for (let i = 0; i < 200; i++) {
            const centre = one(
              around(BERLIN, one(100, 3000, 30_000)),
              around(TAVEUNI, 10_000),
              around(at(90, 0), one(1, 30_000)),
              around(at(-90, 0), one(1, 90_000)),
              at(one(90, -90, -16.85), one(180, -180, 0, 33)),
              one(...people).point ?? SEA,
            )
            const query = ask(one(...people.slice(0, 20)), centre, {
              radius: one(100, 101.5, 300, 1000, 5000, 20_000, 50_000, 100_000),
              limit: one(1, 7, 50, 101),
              filters: one(...wishes),
              since: one(OLDEST, OLDEST, NOW - 5 * DAY),
            })
            const expected = bruteForce(people, blocks, query)
            const found = await storage.locations.nearby(query)
            neighbours += found.length
            expect(ids(found)).toEqual(ids(expected))
            found.forEach(({ distance, ...rest }, j) => {
              const { distance: exact, ...others } = expected[j]!
              expect(rest).toEqual(others)
              expect(distance).toBeCloseTo(exact, 6)
            })
          }
          expect(neighbours).toBeGreaterThan(800)
        },
        60_000,
      )

      test('pages, put together, are everybody in order, without repeat or gap', async () => {
        const { people, blocks } = world(4)
        const { storage } = await fresh(people, blocks)
        const searches: [Point, NearbyFilters, number][] = [
          [BERLIN, {}, 17],
          [destination(BERLIN, 1, 20_000), { gender: ['female'], language: ['en', 'de'] }, 10],
          [destination(BERLIN, 2, 1500), {}, 7], // where forty are at the same distance
          [TAVEUNI, {}, 50],
          [at(-89.9, 12), {}, 9],
        ]
        for (const [centre, filters, limit] of searches) {
          const query = ask(people[0]!, centre, { radius: 100_000, filters, limit })
          const all: Neighbour[] = []
          for (let after: Neighbour | null = null; all.length <= people.length;) {
            const page: Neighbour[] = await storage.locations.nearby({ ...query, after })
            if (page.length === 0) break
            expect(page.length).toBeLessThanOrEqual(limit)
            all.push(...page)
            after = page.at(-1)!
          }
          expect(all.length).toBeGreaterThan(3 * limit)
          expect(ids(all)).toEqual(ids(bruteForce(people, blocks, { ...query, limit: Infinity })))
        }
      }, 60_000)

      test('thousands at one spot, and nobody between it and the searcher', async () => {
        const spot = destination(BERLIN, 1, 45_000)
        const people = [
          somebody(BERLIN),
          somebody(destination(BERLIN, 2, 30_000)),
          ...times(3000, () => somebody(spot)),
        ]
        const { storage } = await fresh(people)
        for (const limit of [1, 2, 50]) {
          const query = ask(people[0]!, BERLIN, { radius: 50_000, limit })
          for (let again = 0; again < 2; again++)
            expect(ids(await storage.locations.nearby(query))).toEqual(ids(bruteForce(people, [], query)))
          const after = (await storage.locations.nearby(query)).at(-1)!
          expect(ids(await storage.locations.nearby({ ...query, after }))).toEqual(
            ids(bruteForce(people, [], { ...query, after })),
          )
        }
      })

      test('each of all filters at once leaves somebody out, however common what it asks for is', async () => {
        const all = { drinks: ['tea'], activities: ['chess'], purposes: ['talk'], language: 'de' }
        const born = '1990-05'
        const fits = somebody(BERLIN, { gender: 'female', born, preferences: all })
        const without: Record<FilterName, Person> = {
          drinks: somebody(BERLIN, { gender: 'female', born, preferences: { ...all, drinks: [] } }),
          activities: somebody(BERLIN, { gender: 'female', born, preferences: { ...all, activities: ['go'] } }),
          purposes: somebody(BERLIN, { gender: 'female', born, preferences: { ...all, purposes: [] } }),
          language: somebody(BERLIN, { gender: 'female', born, preferences: { ...all, language: 'en' } }),
          gender: somebody(BERLIN, { gender: 'male', born, preferences: all }),
          born: somebody(BERLIN, { gender: 'female', born: '1991-05', preferences: all }),
        }
        const filters: Required<NearbyFilters> = {
          ...all,
          language: ['de'],
          gender: ['female'],
          born: ['1990-05', '1992'],
        }
        for (const common of filterNames) {
          // Those who meet that one filter are the most, so that it is asked about last.
          const crowd = times(60, () => ({ ...without[common], id: somebody(null).id })).map((person) => ({
            ...person,
            gender: common === 'gender' ? 'female' : 'other',
            born: common === 'born' ? born : null,
            preferences: {
              drinks: [],
              activities: [],
              purposes: [],
              language: 'en',
              ...(common !== 'gender' && common !== 'born' && { [common]: all[common] }),
            },
          }))
          const { storage } = await fresh([fits, ...Object.values(without), ...crowd])
          const query = ask(somebody(SEA), BERLIN, { filters })
          expect(ids(await storage.locations.nearby(query))).toEqual([fits.id])
        }
      })

      test('whoever has blocked many, or was blocked by many, finds the others', async () => {
        const [me, ...others] = times(301, (i) => somebody(destination(BERLIN, i, 10 * i)))
        const blocks = others.slice(0, 280).map(({ id }, i): [string, string] => (i % 2 ? [me!.id, id] : [id, me!.id]))
        const { storage } = await fresh([me!, ...others], blocks)
        expect(ids(await storage.locations.nearby(ask(me!, BERLIN)))).toEqual(others.slice(280).map(({ id }) => id))
      })

      test('a page after one beyond the radius is empty', async () => {
        const people = times(30, (i) => somebody(destination(BERLIN, i, 100 * i)))
        const { storage } = await fresh(people)
        const query: NearbyQuery = ask(somebody(BERLIN), BERLIN, {
          radius: 500,
          after: { distance: 1400, user_id: '' },
        })
        expect(await storage.locations.nearby(query)).toEqual([])
      })
    })

    describe('positions', () => {
      const nobodyYet: Whereabouts = { published: null, cell: null, strayed: false, tags: [] }

      test('steps of one user at once come one after the other', async () => {
        const me = somebody(null)
        const { storage } = await fresh([])
        await storage.accounts.register(account(me.id), consents(me.id))
        const seen: number[] = []
        const step = (before: Whereabouts): Whereabouts => {
          const uses = (before.tags[0]?.uses ?? 0) + 1
          seen.push(uses)
          return {
            published: at(52 + uses / 1000, 13.4),
            cell: 'ab'.repeat(16),
            strayed: uses % 2 === 0,
            tags: [{ tag: '00ff'.repeat(8), uses }],
          }
        }
        const answers = await Promise.all(times(many, (i) => storage.locations.follow(me.id, step, NOW + i)))
        expect(new Set(answers.map((location) => location!.published!.latitude)).size).toBe(many)
        expect(new Set(seen)).toEqual(new Set(times(many, (i) => i + 1)))
        let last: Whereabouts = nobodyYet
        await storage.locations.follow(me.id, (before) => (last = before), NOW)
        expect(last).toEqual({
          published: at(52 + many / 1000, 13.4),
          cell: 'ab'.repeat(16),
          strayed: true,
          tags: [{ tag: '00ff'.repeat(8), uses: many }],
        })
      })

      test('places are kept, counted and forgotten as the step says', async () => {
        const me = somebody(null)
        const { storage } = await fresh([])
        await storage.accounts.register(account(me.id), consents(me.id))
        const tag = (n: number) => n.toString(16).padStart(32, '0')
        const go = async (tags: Whereabouts['tags']) => {
          let before = nobodyYet
          await storage.locations.follow(me.id, (found) => ((before = found), { ...found, tags }), NOW)
          return before.tags.toSorted((a, b) => (a.tag < b.tag ? -1 : 1))
        }
        const [first, second] = [
          times(3, (i) => ({ tag: tag(i), uses: 1 })),
          [
            { tag: tag(1), uses: 2 },
            { tag: tag(7), uses: 9 },
          ],
        ]
        expect(await go(first)).toEqual([])
        expect(await go(second)).toEqual(first)
        expect(await go([])).toEqual(second)
        expect(await go([])).toEqual([])
        expect(await storage.locations.of(me.id)).toEqual({ published: null, visible: true, updated_at: NOW })
      })

      test('who hides is gone from every search at once, and keeps it before there is a position', async () => {
        const me = somebody(BERLIN)
        const { storage, rows } = await fresh([me])
        const other = somebody(null)
        await storage.accounts.register({ ...account(other.id), gender: 'other' }, consents(other.id))
        const { follow, setVisible, of, nearby } = storage.locations
        const found = async () =>
          (await Promise.all([{}, { gender: ['other'] }].map((filters) => nearby(ask(me, BERLIN, { filters }))))).map(
            ids,
          )
        await setVisible(other.id, false)
        expect(await of(other.id)).toEqual({ published: null, visible: false, updated_at: null })
        const go = (published: Point) => follow(other.id, () => ({ ...nobodyYet, published }), NOW)
        expect(await go(BERLIN)).toEqual({ published: BERLIN, visible: false, updated_at: NOW })
        expect(await found()).toEqual([[], []])
        await setVisible(other.id, true)
        expect(await found()).toEqual([[other.id], [other.id]])
        // To where a step leads, and to the last bit.
        const far = destination(BERLIN, 2, 4900)
        await go(far)
        expect((await of(other.id)).published).toEqual(far)
        expect((await nearby(ask(me, BERLIN)))[0]).toMatchObject({ user_id: other.id, ...far, updated_at: NOW })
        expect(await found()).toEqual([[other.id], [other.id]])
        await go(SEA)
        expect(await found()).toEqual([[], []])
        await Promise.all(
          times(20, (i) => (i % 2 ? setVisible(other.id, i % 4 === 1) : go(i % 4 === 0 ? BERLIN : SEA))),
        )
        const { visible } = await of(other.id)
        expect(Number((await rows('SELECT count(*) FROM nearby_traits'))[0]![0])).toBe(visible ? 3 : 1)
        expect(await rows('SELECT trait, square FROM nearby_traits ORDER BY 1, 2')).toEqual(
          await rows('SELECT trait, square FROM visible_traits ORDER BY 1, 2'),
        )
        await setVisible(other.id, false)
        expect(Number((await rows('SELECT count(*) FROM nearby_traits'))[0]![0])).toBe(1)
      })
    })
  })
}

const account = (id: string) => ({
  id,
  email: `${id}@example.org`,
  phone: null,
  admission: anybody,
  messenger_id: null,
  password_hash: null,
  name: id,
  city: null,
  bio: null,
  gender: null,
  photo: null,
  language: 'en',
  created_at: NOW,
})

const consents = (user_id: string): Consent[] =>
  mandatory.map((kind) => ({
    id: `${kind} of ${user_id}`,
    user_id,
    kind,
    accepted: true,
    version: '1',
    text_hash: 'ab',
    recorded_at: NOW,
    user_agent: null,
    address: null,
  }))
