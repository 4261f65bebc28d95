import type { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mandatory } from '../../src/features/auth/rules.ts'
import { destination, distance, type Point } from '../../src/features/location/sphere.ts'
import type { NearbyFilters, Neighbour } from '../../src/features/location/store.ts'
import { up } from '../../src/storage/migrate.ts'
import { nearbySearch } from '../../src/storage/sqlite/nearby.ts'
import { reachCache } from '../../src/storage/reach-cache.ts'
import { covering, extent, numbersIn, quarters, squareOf } from '../../src/storage/squares.ts'
import { openDatabase, sqliteStorage, withDrizzle } from '../../src/storage/sqlite/storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import {
  ask,
  at,
  beginAnew,
  BERLIN,
  bruteForce,
  DAY,
  ids,
  NOW,
  OLDEST,
  type Person,
  random,
  SEA,
  somebody,
  TAVEUNI,
  world,
} from '../nearby-world.ts'

function database(): Database {
  const db = openDatabase(':memory:')
  up(db)
  return db
}

function add(db: Database, ...people: Person[]) {
  const user = db.prepare(
    'INSERT INTO users (id, name, gender, birth_month, show_age, suspended_until, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, 0, 0)',
  )
  const preferences = db.prepare(
    'INSERT INTO preferences (user_id, drinks, activities, purposes, language) VALUES (?, ?, ?, ?, ?)',
  )
  const location = db.prepare(
    'INSERT INTO locations (user_id, latitude, longitude, square, visible, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const consent = db.prepare(
    "INSERT INTO consent_log (id, user_id, kind, accepted, version, text_hash, recorded_at) VALUES (?, ?, ?, 1, 'v', 'h', 0)",
  )
  db.transaction(() => {
    for (const { id, point, visible, updated_at, suspended_until, gender, born, preferences: p } of people) {
      user.run(id, id, gender, born ?? '1980-01', born !== null, suspended_until)
      for (const kind of mandatory) consent.run(`${kind} of ${id}`, id, kind)
      if (p)
        preferences.run(
          id,
          JSON.stringify(p.drinks),
          JSON.stringify(p.activities),
          JSON.stringify(p.purposes),
          p.language,
        )
      location.run(
        id,
        point?.latitude ?? null,
        point?.longitude ?? null,
        point && squareOf(point),
        visible,
        point && updated_at,
      )
    }
    db.run('DELETE FROM nearby_traits')
    db.run('INSERT INTO nearby_traits SELECT trait, square, location_id FROM visible_traits')
  })()
}

const block = (db: Database, blocker: string, blocked: string) =>
  db.run('INSERT INTO blocks (id, blocker_id, blocked_id, created_at) VALUES (?, ?, ?, 0)', [
    `${blocker} ${blocked}`,
    blocker,
    blocked,
  ])

let db: Database
beforeEach(() => {
  beginAnew()
  db = database()
})
afterEach(() => db.close())

test('people who come while one pages are neither the cause of a repeat nor of a gap', () => {
  const { people, blocks, around } = world(5)
  add(db, ...people)
  const search = nearbySearch(db)
  const query = ask(people[0]!, BERLIN, { radius: 50_000, limit: 50 })
  const before = ids(bruteForce(people, [], { ...query, limit: Infinity }))
  const all: Neighbour[] = []
  for (
    let page = search(query);
    page.length > 0 && all.length <= people.length;
    page = search({ ...query, after: all.at(-1)! })
  ) {
    all.push(...page)
    add(db, ...Array.from({ length: 5 }, () => somebody(around(BERLIN, 3000))))
  }
  const known = new Set(before)
  expect(ids(all).filter((id) => known.has(id))).toEqual(before)
  expect(new Set(ids(all)).size).toBe(all.length)
  expect(blocks.length).toBeGreaterThan(0)
})

describe('who is not found', () => {
  const caller = () => somebody(BERLIN)

  test('oneself, the hidden, both sides of a block, and who has published nothing', () => {
    const [me, hidden, blocked, blocker, nowhere, other] = [
      caller(),
      somebody(BERLIN, { visible: false }),
      somebody(BERLIN),
      somebody(BERLIN),
      somebody(null),
      somebody(BERLIN),
    ]
    add(db, me, hidden, blocked, blocker, nowhere, other)
    block(db, me.id, blocked.id)
    block(db, blocker.id, me.id)
    block(db, blocked.id, other.id)
    const search = nearbySearch(db)
    expect(ids(search(ask(me, BERLIN)))).toEqual([other.id])
    expect(ids(search(ask(other, BERLIN)))).toEqual([me.id, blocker.id])
  })

  test('the suspended, until their time is over', () => {
    const [me, shortly, forever] = [
      caller(),
      somebody(BERLIN, { suspended_until: NOW + 1000 }),
      somebody(BERLIN, { suspended_until: Number.MAX_SAFE_INTEGER }),
    ]
    add(db, me, shortly, forever)
    const search = nearbySearch(db)
    expect(search(ask(me, BERLIN, { now: NOW + 999 }))).toEqual([])
    expect(ids(search(ask(me, BERLIN, { now: NOW + 1000 })))).toEqual([shortly.id])
  })

  test('whose position is older than asked for', () => {
    const [me, fresh, stale] = [
      caller(),
      somebody(BERLIN, { updated_at: OLDEST }),
      somebody(BERLIN, { updated_at: OLDEST - 1 }),
    ]
    add(db, me, fresh, stale)
    expect(ids(nearbySearch(db)(ask(me, BERLIN)))).toEqual([fresh.id])
    expect(ids(nearbySearch(db)(ask(me, BERLIN, { filters: { language: ['en'] } })))).toEqual([fresh.id])
  })

  test('fifty people are found behind a thousand who may not be', () => {
    const me = caller()
    const crowd = Array.from({ length: 1000 }, (_, i) =>
      somebody(destination(BERLIN, i, i / 10), { suspended_until: NOW + DAY, updated_at: i % 2 ? NOW : OLDEST - 1 }),
    )
    const others = Array.from({ length: 60 }, (_, i) => somebody(destination(BERLIN, i, 200 + i)))
    add(db, me, ...crowd, ...others)
    expect(ids(nearbySearch(db)(ask(me, BERLIN)))).toEqual(ids(others.slice(0, 50).map(({ id }) => ({ user_id: id }))))
  })
})

/** The stores over `db`, whose writes keep the index of traits. */
const storageOver = (db: Database): Storage =>
  sqliteStorage(withDrizzle(db), {
    onFatal(error) {
      throw error
    },
  })

const move = (storage: Storage, id: string, published: Point | null) =>
  storage.locations.follow(id, (before) => ({ ...before, published }), NOW)

describe('at once, with a warm cache', () => {
  let storage: Storage
  let me: Person
  let other: Person
  const search = async (centre: Point, filters: NearbyFilters = {}) =>
    ids(await storage.locations.nearby(ask(me, centre, { filters })))
  const wishes: NearbyFilters[] = [{}, { drinks: ['tea'] }, { gender: ['female'] }, { language: ['de', 'da'] }]
  const found = async (centre = BERLIN) => (await Promise.all(wishes.map((wish) => search(centre, wish)))).flat()

  beforeEach(async () => {
    me = somebody(BERLIN)
    other = somebody(BERLIN, {
      gender: 'female',
      preferences: { drinks: ['tea'], activities: [], purposes: [], language: 'de' },
    })
    add(db, me, other)
    storage = storageOver(db)
    expect(await found()).toEqual(wishes.map(() => other.id))
  })
  afterEach(() => storage.close())

  test('hiding takes away, showing brings back', async () => {
    await storage.locations.setVisible(other.id, false)
    expect(await found()).toEqual([])
    await storage.locations.setVisible(other.id, true)
    expect(await found()).toEqual(wishes.map(() => other.id))
  })

  test('who moves is found there and no longer here', async () => {
    await move(storage, other.id, TAVEUNI)
    expect(await found()).toEqual([])
    expect(await found(TAVEUNI)).toEqual(wishes.map(() => other.id))
  })

  test('who hides and moves is not found there either', async () => {
    await storage.locations.setVisible(other.id, false)
    await move(storage, other.id, TAVEUNI)
    expect(await found(TAVEUNI)).toEqual([])
  })

  test('a block takes away, its end brings back', async () => {
    block(db, other.id, me.id)
    expect(await found()).toEqual([])
    db.run('DELETE FROM blocks')
    expect(await found()).toEqual(wishes.map(() => other.id))
  })

  test('a suspension takes away', async () => {
    db.run('UPDATE users SET suspended_until = ? WHERE id = ?', [NOW + 1, other.id])
    expect(await found()).toEqual([])
  })

  test('whose position is erased is gone', async () => {
    db.run('DELETE FROM locations WHERE user_id = ?', [other.id])
    expect(await found()).toEqual([])
  })

  test('new preferences and a new gender count, the old ones do not', async () => {
    await storage.users.savePreferences(other.id, { drinks: ['coffee'], language: 'fr' })
    await storage.users.update(other.id, { gender: 'other' }, NOW)
    expect(await found()).toEqual([other.id]) // the wish for nothing
    expect(await search(BERLIN, { drinks: ['coffee'], language: ['fr'], gender: ['other'] })).toEqual([other.id])
  })

  test('who has set no preferences speaks English, until they do', async () => {
    const quiet = somebody(BERLIN)
    add(db, quiet)
    expect(await search(BERLIN, { language: ['en'] })).toEqual([quiet.id])
    await storage.users.savePreferences(quiet.id, { language: 'ru' })
    expect(await search(BERLIN, { language: ['en'] })).toEqual([])
    expect(await search(BERLIN, { language: ['ru'] })).toEqual([quiet.id])
  })
})

test('the index of traits is what the people say, after any writes', async () => {
  const { r, one, around, people } = world(6)
  const known = people.slice(0, 200)
  add(db, ...known)
  const storage = storageOver(db)
  const { locations, users } = storage
  const list = () => ['tea', 'coffee', 'milk', 'a:b'].filter(() => r() < 0.5)
  const writes: ((id: string) => Promise<unknown>)[] = [
    (id) => move(storage, id, around(BERLIN, 3000)),
    (id) => move(storage, id, null),
    (id) => locations.follow(id, (before) => before, NOW),
    (id) => locations.setVisible(id, r() < 0.6),
    (id) => users.savePreferences(id, { drinks: list() }),
    (id) => users.savePreferences(id, { activities: list(), purposes: list(), language: one('en', 'it') }),
    (id) => users.update(id, { gender: one('female' as const, 'other' as const, null) }, NOW),
    (id) => users.update(id, { show_age: one(true, false) }, NOW),
    (id) => users.update(id, { name: 'A' }, NOW),
  ]
  await Promise.all(Array.from({ length: 1000 }, () => one(...writes)(one(...known).id)))
  const columns = 'trait, square, location_id'
  const said = db.query(`SELECT ${columns} FROM visible_traits ORDER BY ${columns}`).values()
  expect(said.length).toBeGreaterThan(300)
  expect(db.query(`SELECT ${columns} FROM nearby_traits ORDER BY ${columns}`).values()).toEqual(said)
})

describe('the cost', () => {
  /** Counts what is asked of the database. */
  function counting() {
    let asked = 0
    const watched = new Proxy(db, {
      get: (_, name) =>
        name === 'prepare' &&
        ((sql: string) => {
          const statement = db.prepare(sql)
          const count = () => void asked++
          return {
            all: (params: never) => (count(), statement.all(params)),
            values: (params: never) => (count(), statement.values(params)),
          }
        }),
    })
    return { search: nearbySearch(watched), cached: nearbySearch(watched, reachCache()), asked: () => asked }
  }

  test('an empty sea is crossed in a few leaps, and in one where the cache knows it', () => {
    const me = somebody(BERLIN)
    add(db, me, ...Array.from({ length: 100 }, () => somebody(BERLIN)))
    const { search, cached, asked } = counting()
    search(ask(me, SEA, { radius: 100_000 }))
    expect(asked()).toBeLessThanOrEqual(6)
    cached(ask(me, SEA, { radius: 100_000 }))
    const before = asked()
    cached(ask(me, at(SEA.latitude + 0.001, SEA.longitude + 0.001), { radius: 100_000 }))
    expect(asked() - before).toBe(1)
  })

  test('no statement reads a whole table or index', () => {
    const statements: string[] = []
    nearbySearch(
      new Proxy(db, {
        get: (_, name) => name === 'prepare' && ((sql: string) => (statements.push(sql), db.prepare(sql))),
      }),
    )
    expect(statements.length).toBe(4)
    db.run('ANALYZE')
    for (const sql of statements) {
      const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql.replace(/\$\w+/g, '1')}`).all()
      const scans = plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'))
      // of lists that came with the query, and of those who were found in the box
      expect(scans.filter((scan) => !/VIRTUAL TABLE|^SCAN (c|t|\(subquery-\d+\))$/.test(scan))).toEqual([])
    }
  })
})

describe('the cache', () => {
  test('however wrong, changes no answer', () => {
    const { people } = world(7)
    add(db, ...people)
    const search = nearbySearch(db)
    for (const reach of [1e-9, 0.5, 1e4, 1e12]) {
      const wrong = nearbySearch(db, { read: () => reach, write: () => {} })
      for (const centre of [BERLIN, TAVEUNI, SEA, at(89.99, 5)])
        for (const filters of [{}, { gender: ['other'] }]) {
          const query = ask(people[0]!, centre, { radius: 100_000, filters })
          expect(wrong(query)).toEqual(search(query))
        }
    }
  })

  test('forgets after an hour, and the oldest first where there is no room', () => {
    let clock = NOW
    const cache = reachCache({ now: () => clock, most: 2 })
    cache.write(at(1, 1), [], 11)
    clock += 3_599_999
    expect(cache.read(at(1, 1), [])).toBe(11)
    clock += 1
    expect(cache.read(at(1, 1), [])).toBeUndefined()
    cache.write(at(2, 2), [], 22)
    cache.write(at(1, 1), [], 12)
    cache.write(at(3, 3), [], 33)
    expect([cache.read(at(1, 1), []), cache.read(at(2, 2), []), cache.read(at(3, 3), [])]).toEqual([12, undefined, 33])
  })

  test('tells places apart by a hundredth of a degree, and searches by what they ask for', () => {
    const cache = reachCache()
    cache.write(at(52.52111, 13.40555), ['a'], 7)
    expect(cache.read(at(52.52999, 13.40001), ['a'])).toBe(7)
    expect(cache.read(at(52.53001, 13.40555), ['a'])).toBeUndefined()
    expect(cache.read(at(-52.52111, 13.40555), ['a'])).toBeUndefined()
    expect(cache.read(at(52.52111, 13.40555), ['b'])).toBeUndefined()
    expect(cache.read(at(52.52111, 13.40555), [])).toBeUndefined()
  })
})

describe('squares', () => {
  const r = random(8)
  const anywhere = () => at(180 * r() - 90, 360 * r() - 180)

  test('have a number of their own, from one corner of the map to the other', () => {
    expect(squareOf(at(-90, -180))).toBe(0)
    expect(squareOf(at(90, 180))).toBe(2 ** 40 - 1)
    expect(squareOf(at(0, 0))).toBe(3 * 2 ** 38)
    expect(squareOf(at(-1e-9, 0))).toBeLessThan(2 ** 38 * 2)
  })

  test('cover every point of a box, and so do their quarters', () => {
    const inside = (squares: ReturnType<typeof covering>, point: Point) =>
      squares.filter((square) => {
        const [first, last] = numbersIn(square)
        return squareOf(point) >= first && squareOf(point) <= last
      }).length
    for (let i = 0; i < 300; i++) {
      const centre = anywhere()
      const [a, b] = [centre.latitude, Math.min(90, centre.latitude + 2 * r())]
      const [c, d] = [centre.longitude, Math.min(180, centre.longitude + r() ** 4 * 90)]
      const squares = covering({ south: a, north: b, longitudes: [{ west: c, east: d }] }, 32)
      expect(squares.length).toBeLessThanOrEqual(32)
      for (let j = 0; j < 10; j++) {
        const point = at(a + (b - a) * r(), c + (d - c) * r())
        expect(inside(squares, point)).toBe(1)
        expect(inside(squares.filter(({ size }) => size > 1).flatMap(quarters), point)).toBe(
          squares[0]!.size > 1 ? 1 : 0,
        )
      }
    }
  })

  test('lie within the bounds of their distance', () => {
    for (let i = 0; i < 300; i++) {
      const point = r() < 0.2 ? at(r() < 0.5 ? 89.9 : -89.9, 360 * r() - 180) : anywhere()
      const centre = destination(point, 7 * r(), 100_000 * r() ** 2)
      const box = {
        south: point.latitude,
        north: point.latitude,
        longitudes: [{ west: point.longitude, east: point.longitude }],
      }
      let [square] = covering(box, 1)
      // from the smallest square to the biggest that a search may meet
      for (; square!.size <= 2 ** 15; square = { row: 0, column: 0, size: square!.size * 2 }) {
        const size = square!.size
        const around = {
          row: Math.floor(rowOf(point) / size) * size,
          column: Math.floor(columnOf(point) / size) * size,
          size,
        }
        const { nearest, farthest } = extent(centre, around)
        const away = distance(centre, point)
        expect(away).toBeGreaterThanOrEqual(nearest)
        expect(away).toBeLessThanOrEqual(farthest)
      }
    }
  })

  const rowOf = ({ latitude }: Point) => Math.min(2 ** 20 - 1, Math.floor(((latitude + 90) / 180) * 2 ** 20))
  const columnOf = ({ longitude }: Point) => Math.min(2 ** 20 - 1, Math.floor(((longitude + 180) / 360) * 2 ** 20))
})
