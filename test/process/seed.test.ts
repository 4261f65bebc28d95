import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distance } from '../../src/features/location/sphere.ts'
import { cities } from '../../src/seed/cities.ts'
import { openCommunity, zipf } from '../../src/seed/community.ts'
import { apportion, openRandom } from '../../src/seed/random.ts'
import { countNearbyErrors } from '../../src/storage/sql/nearby-people.ts'
import { up } from '../../src/storage/migrate.ts'
import { openBulkLoad } from '../../src/storage/sqlite/bulk.ts'
import { openDatabase, withDrizzle } from '../../src/storage/sqlite/database.ts'
import { testApp } from '../app.ts'
import { convene } from '../convene.ts'

const root = mkdtempSync(join(tmpdir(), 'convene-seed-'))
const databaseIn = (name: string) => join(root, name, 'convene.db')
const keys = { one: '11'.repeat(32), other: '22'.repeat(32) }

const seed = (name: string, args: string[], locationKey = keys.one) =>
  convene(['seed', ...args], { DATA_DIR: join(root, name), LOCATION_KEY: locationKey })

const rows = <T = Record<string, any>>(db: Database, sql: string) => db.query<T, []>(sql).all()
const count = (db: Database, from: string) => rows<{ n: number }>(db, `SELECT count(*) AS n FROM ${from}`)[0]!.n

const users = 2000
const messages = 5000
const plan = ['--users', String(users), '--cities', '25', '--messages', String(messages), '--seed', 'spring']

let db: Database
const opened: Database[] = []
function open(name: string) {
  const opening = openDatabase(databaseIn(name))
  opened.push(opening)
  return opening
}
const began = Date.now()

beforeAll(async () => {
  const outcomes = await Promise.all([seed('first', plan), seed('again', plan), seed('elsewhere', plan, keys.other)])
  for (const { code, err } of outcomes) expect([code, err]).toEqual([0, ''])
  expect(outcomes[0].out).toMatch(/^seeded .*users 2000, cities 25, chats \d+, messages 5000, reviews \d+\..*\n$/)
  db = open('first')
})
afterAll(() => {
  for (const database of opened) database.close()
  rmSync(root, { recursive: true })
})

describe('people', () => {
  test('are exactly as many as asked, each with an address, preferences, and the mandatory consents', () => {
    expect(count(db, 'users')).toBe(users)
    expect(count(db, 'preferences')).toBe(users)
    expect(rows(db, 'SELECT email FROM users ORDER BY created_at, id LIMIT 2')).toEqual([
      { email: 'user1@example.org' },
      { email: 'user2@example.org' },
    ])
    const consents = rows(db, 'SELECT kind, count(*) AS n, min(accepted) AS least FROM consent_log GROUP BY kind')
    for (const kind of ['terms', 'privacy', 'disclaimer']) expect(consents).toContainEqual({ kind, n: users, least: 1 })
    expect(rows(db, 'SELECT DISTINCT password_hash FROM users').length).toBe(1)
    expect(rows<{ n: number }>(db, 'SELECT count(DISTINCT name) AS n FROM users')[0]!.n).toBeGreaterThan(300)
    expect(rows(db, 'SELECT DISTINCT gender FROM users ORDER BY 1').map(({ gender }) => gender)).toEqual([
      null,
      'female',
      'male',
      'other',
    ])
  })

  test('live in that many cities of Zipf sizes, 17 % of them in the biggest', () => {
    const sizes = rows<{ city: string; n: number }>(
      db,
      'SELECT city, count(*) AS n FROM users GROUP BY city ORDER BY n DESC',
    )
    expect(sizes.length).toBe(25)
    expect(sizes[0]).toEqual({ city: cities[0]!.name, n: 340 })
    expect(sizes.map(({ n }) => n)).toEqual(apportion(users, zipf(25)))
    expect(sizes[1]!.n).toBeLessThan(sizes[0]!.n)
  })

  test('are all visible, at positions of now, around their city', () => {
    const published = rows<{ city: string; latitude: number; longitude: number; updated_at: number; visible: number }>(
      db,
      'SELECT city, latitude, longitude, l.updated_at, visible FROM locations l JOIN users u ON u.id = l.user_id',
    )
    expect(published.length).toBe(users)
    const away: number[] = []
    for (const { city, visible, updated_at, ...point } of published) {
      expect(visible).toBe(1)
      expect(updated_at).toBeWithin(began, Date.now() + 1)
      away.push(
        distance(
          point,
          cities.find(({ name }) => name === city)!,
        ),
      )
    }
    expect(Math.max(...away)).toBeLessThan(100_000)
    // A hill, not a point: some live far out, half within some kilometres.
    expect(away.toSorted((a, b) => a - b)[users / 2]!).toBeWithin(2000, 15_000)
  })

  test('show where they are through the noise of the installation’s own key only', () => {
    const positions = (database: Database) =>
      rows<{ latitude: number; longitude: number }>(
        database,
        'SELECT latitude, longitude FROM locations ORDER BY user_id',
      )
    const here = positions(db)
    const other = open('elsewhere')
    const elsewhere = positions(other)
    const apart = here.map((point, i) => distance(point, elsewhere[i]!))
    // Were a true position among them, it would be the same under both keys. Each is 56 to 545 m away from the truth.
    expect(Math.max(...apart)).toBeLessThan(2 * 556)
    expect(apart.filter((metres) => metres < 1).length).toBeLessThan(5)
    expect(apart.reduce((sum, metres) => sum + metres, 0) / users).toBeWithin(350, 500)
    for (const { latitude, longitude } of here)
      expect([latitude, longitude]).toEqual([Number(latitude.toFixed(5)), Number(longitude.toFixed(5))])
    // Nothing else depends on the key.
    const said = 'SELECT id, chat_id, sender_id, text FROM messages ORDER BY id'
    expect(rows(other, said)).toEqual(rows(db, said))
  })

  test('have one remembered place each, and are found by what they like', () => {
    expect(
      count(db, 'locations l JOIN location_cells c ON c.user_id = l.user_id AND c.tag = l.cell AND c.uses = 1'),
    ).toBe(users)
    expect(count(db, 'location_cells')).toBe(users)
    expect(count(db, 'locations WHERE strayed <> 0 OR square IS NULL')).toBe(0)
    expect(count(db, 'nearby_traits')).toBe(count(db, 'visible_traits'))
    expect(
      count(
        db,
        '(SELECT trait, square, location_id FROM nearby_traits EXCEPT SELECT trait, square, location_id FROM visible_traits)',
      ),
    ).toBe(0)
    expect(count(db, 'nearby_people')).toBe(users)
    expect(db.query(countNearbyErrors).values()).toEqual([[0]])
    // Filled without triggers, and kept by them from now on.
    expect(count(db, "sqlite_schema WHERE type = 'trigger'")).toBe(10)
  })
})

describe('chats', () => {
  type Message = { chat_id: string; seq: number; sender_id: string; created_at: number; read_at: number | null }

  test('hold exactly as many messages as asked, between two of one city who were there', () => {
    expect(count(db, 'messages')).toBe(messages)
    expect(count(db, 'chats')).toBe(Math.ceil(messages / 12))
    expect(
      count(db, 'chats c JOIN users a ON a.id = user_a JOIN users b ON b.id = user_b WHERE a.city IS NOT b.city'),
    ).toBe(0)
    expect(count(db, 'chats c JOIN users u ON u.id IN (user_a, user_b) WHERE u.created_at > c.created_at')).toBe(0)
    expect(count(db, 'messages m JOIN chats c ON c.id = m.chat_id WHERE sender_id NOT IN (user_a, user_b)')).toBe(0)
  })

  test('are there for those whom one logs in as first', async () => {
    const chatsOf = (database: Database, n: number) =>
      count(
        database,
        `chats c JOIN users u ON u.id IN (user_a, user_b) WHERE email = 'user${n}@example.org' AND last_seq > 0`,
      )
    for (let n = 1; n <= 5; n++) expect([n, chatsOf(db, n) >= 3]).toEqual([n, true])
    // As many as there are messages for, or neighbours.
    const some = ['--users', '40', '--cities', '2', '--messages', '30']
    expect((await seed('some', some)).code).toBe(0)
    const few = open('some')
    expect([count(few, 'chats'), count(few, 'messages')]).toEqual([3, 30])
    expect(chatsOf(few, 1)).toBe(3)
    expect((await seed('two', ['--users', '2', '--cities', '1', '--messages', '5'])).code).toBe(0)
    expect([1, 2].map((n) => chatsOf(open('two'), n))).toEqual([1, 1])
  })

  test('are numbered 1, 2, 3 … in the order of time, and end where the chat says', () => {
    expect(
      rows(
        db,
        `SELECT c.id FROM chats c JOIN messages m ON m.chat_id = c.id GROUP BY c.id
         HAVING min(seq) <> 1 OR max(seq) <> count(*) OR last_seq <> count(*) OR last_msg_at <> max(m.created_at)
           OR min(m.created_at) < c.created_at`,
      ),
    ).toEqual([])
    expect(count(db, 'chats WHERE last_seq = 0 OR last_msg_at IS NULL')).toBe(0)
    expect(
      count(
        db,
        'messages a JOIN messages b ON b.chat_id = a.chat_id AND b.seq = a.seq + 1 WHERE b.created_at < a.created_at',
      ),
    ).toBe(0)
    expect(rows<{ at: number }>(db, 'SELECT max(created_at) AS at FROM messages')[0]!.at).toBeLessThan(Date.now())
  })

  test('have read marks as the rules set them', () => {
    const all = rows<Message>(
      db,
      'SELECT chat_id, seq, sender_id, created_at, read_at FROM messages ORDER BY chat_id, seq',
    )
    let unread = 0
    for (const said of Map.groupBy(all, ({ chat_id }) => chat_id).values()) {
      for (const [i, { sender_id, created_at, read_at }] of said.entries()) {
        const next = said[i + 1]
        if (read_at === null) unread++
        else expect(read_at).toBeWithin(created_at, Date.now())
        // Marking reads everything that is there: nobody reads a later message and not this one.
        const later = said.slice(i + 1).filter((message) => message.sender_id === sender_id)
        if (read_at === null) expect(later.every((message) => message.read_at === null)).toBe(true)
        // Who answers has read what they answer.
        if (next && next.sender_id !== sender_id) expect(read_at).toBeWithin(created_at, next.created_at + 1)
      }
    }
    expect(unread).toBeGreaterThan(50)
    expect(unread).toBeLessThan(messages / 4)
  })

  test('know who of the two has written', () => {
    const wrote = (side: string) =>
      `wrote_${side} <> EXISTS (SELECT 1 FROM messages WHERE chat_id = chats.id AND sender_id = user_${side})`
    expect(count(db, `chats WHERE ${wrote('a')} OR ${wrote('b')}`)).toBe(0)
    expect(count(db, 'chats WHERE wrote_a AND wrote_b')).toBeGreaterThan(20)
  })

  test('have reviews that the stats agree with', () => {
    const reviews = rows<{ reviewed_id: string; rating: number }>(db, 'SELECT reviewed_id, rating FROM reviews')
    expect(reviews.length).toBeGreaterThan(20)
    const expected = [...Map.groupBy(reviews, ({ reviewed_id }) => reviewed_id)].map(([user_id, own]) => ({
      user_id,
      rating_avg: Math.round((100 * own.reduce((sum, { rating }) => sum + rating, 0)) / own.length) / 100,
      count: own.length,
    }))
    const byUser = (a: { user_id: string }, b: { user_id: string }) => (a.user_id < b.user_id ? -1 : 1)
    expect(rows<(typeof expected)[0]>(db, 'SELECT * FROM user_stats').sort(byUser)).toEqual(expected.sort(byUser))
    expect(
      count(
        db,
        `reviews r JOIN chats c ON c.id = r.chat_id WHERE r.created_at < c.last_msg_at OR reviewer_id = reviewed_id
           OR reviewer_id NOT IN (user_a, user_b) OR reviewed_id NOT IN (user_a, user_b)`,
      ),
    ).toBe(0)
  })
})

describe('the database', () => {
  test('is whole, and has the schema that the migrations make', () => {
    expect(rows(db, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(rows(db, 'PRAGMA foreign_key_check')).toEqual([])
    expect(rows(db, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
    const migrated = openDatabase(':memory:')
    up(migrated)
    const schema = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
    expect(rows(db, schema)).toEqual(rows(migrated, schema))
    migrated.close()
  })

  test('is the same for the same seed, but for when it was made', () => {
    const again = open('again')
    const shifts = new Set<number>()
    for (const table of [
      'users',
      'consent_log',
      'preferences',
      'locations',
      'location_cells',
      'chats',
      'messages',
      'reviews',
      'user_stats',
      'nearby_traits',
      'nearby_people',
    ]) {
      const [one, two] = [db, again].map((database) => rows(database, `SELECT * FROM ${table} ORDER BY 1, 2, 3`))
      expect(one!.length).toBe(two!.length)
      for (const [i, row] of one!.entries()) {
        for (const [column, value] of Object.entries(two![i]!)) {
          // Salted anew each time.
          if (column === 'password_hash') continue
          const isTime = column.endsWith('_at') && value !== null && row[column] !== null
          if (isTime) shifts.add(value - row[column])
          else expect([table, column, row[column]]).toEqual([table, column, value])
        }
      }
    }
    // All times are counted back from one moment.
    expect(shifts.size).toBe(1)
  })

  test('is another one for another seed', async () => {
    expect((await seed('autumn', [...plan.slice(0, -1), 'autumn'])).code).toBe(0)
    const names = (database: Database) => rows(database, 'SELECT name FROM users ORDER BY id').map(({ name }) => name)
    const [spring, autumn] = [names(db), names(open('autumn'))]
    expect(autumn.filter((name, i) => name === spring[i]).length).toBeLessThan(users / 10)
  })
})

test('a seeded user logs in with the documented password, finds neighbours, and chats go on', async () => {
  const app = await testApp({ LOCATION_KEY: keys.one }, { databasePath: databaseIn('again') })
  app.clock.now = Date.now()
  const [member] = rows(app.db.$client, 'SELECT email, user_b FROM chats JOIN users u ON u.id = user_a LIMIT 1')
  const login = (password: string) => app.request('POST', 'auth/login', { body: { email: member!.email, password } })
  expect((await login('convene demo passwort')).status).toBe(401)
  const { status, body } = await login('convene demo password')
  expect(status).toBe(200)
  expect(body.user.consents_missing).toEqual([])
  expect(body.user.visible).toBe(true)

  const me = app.as(body.access_token)
  const [berlin] = cities
  const found = await me.get(`search/nearby?lat=${berlin!.latitude}&lng=${berlin!.longitude}&radius=50000&limit=100`)
  expect(found.body.items.length).toBe(100)
  const tea = await me.get(`search/nearby?lat=${berlin!.latitude}&lng=${berlin!.longitude}&radius=50000&drinks=tea`)
  expect(tea.body.items.length).toBeGreaterThan(0)
  for (const { user } of tea.body.items) expect(user.drinks).toContain('tea')

  const { items } = (await me.get('chats')).body
  const chat = items.find(({ user }: { user: { id: string } }) => user.id === member!.user_b)
  expect(chat.last_message).not.toBeNull()
  expect((await me.get('sync?since=0')).body).toMatchObject({ items: [], seq: 0, resume: 'ok' })
  const sent = await me.post(`chats/${chat.id}/messages`, { text: 'Still there?' })
  expect(sent.status).toBe(201)
  const [newest] = (await me.get(`chats/${chat.id}/messages?limit=1`)).body.items
  expect(newest.id).toBe(sent.body.id)
  expect((await me.get('sync?since=0')).body.seq).toBe(1)
})

describe('a seed is refused', () => {
  test('where somebody is in the database already, which stays as it is', async () => {
    const before = count(db, 'users')
    db.close()
    const { code, out, err } = await seed('first', ['--users', '10'])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^convene: .*first.convene\.db has people in it already: seed fills an empty database only\n$/)
    db = open('first')
    expect(count(db, 'users')).toBe(before)
  })

  test('where messages have nobody to go to: nothing is stored', async () => {
    const { code, err } = await seed('alone', ['--users', '2', '--cities', '2', '--messages', '5'])
    expect([code, err]).toEqual([1, expect.stringMatching(/^convene: nobody has a neighbour to write to: .*\n$/)])
    expect(count(open('alone'), 'users')).toBe(0)
  })

  test.each([
    [[]],
    [['--users', '0']],
    [['--users', '1e3']],
    [['--users', '5', '--cities', '201']],
    [['--users', '5', '--near', 'Lisbon']],
    [['--users', '5', '--near', '52.5,13.4,7']],
    [['--users', '5', '--near', '52.5,13.4', '--cities', '1']],
  ])('for %p, which is no plan', async (args: string[]) => {
    const { code, err } = await seed('none', args)
    expect([code, err]).toEqual([2, expect.stringMatching(/^convene: .*\(see convene seed --help\)\n$/)])
  })
})

test('with photos, most people near a place have a portrait of their own, which the app shows', async () => {
  const place = { latitude: 38.72, longitude: -9.14 }
  const near = `${place.latitude},${place.longitude}`
  const outcome = await seed('photos', ['--users', '40', '--near', near, '--photos', '--messages', '200'])
  expect([outcome.code, outcome.err]).toEqual([0, ''])
  const told = Number(/photos (\d+)\./.exec(outcome.out)![1])
  expect(told).toBeWithin(28, 41)
  const app = await testApp(
    { LOCATION_KEY: keys.one, DATA_DIR: join(root, 'photos') },
    { databasePath: databaseIn('photos') },
  )
  app.clock.now = Date.now()
  expect(rows(app.db.$client, 'SELECT DISTINCT city FROM users')).toEqual([{ city: 'Lisbon' }])
  const shown = await app.request('POST', 'auth/login', {
    body: { email: 'user1@example.org', password: 'convene demo password' },
  })
  expect(shown.body.user.photo).toBeString()
  const me = app.as(shown.body.access_token)
  const { items } = (await me.get(`search/nearby?lat=${place.latitude}&lng=${place.longitude}&radius=25000&limit=100`))
    .body
  expect(items.length).toBeGreaterThan(30)
  const pictures = new Set<string>()
  for (const { user } of items) {
    if (user.photo === null) continue
    for (const url of [user.photo, user.photo_thumb]) {
      const bytes = await app.app
        .handle(new Request(new URL(url, 'http://localhost:3000').href))
        .then((it) => it.bytes())
      const { width, height } = await new Bun.Image(bytes).metadata()
      expect([width, height]).toEqual(url === user.photo ? [512, 512] : [320, 320])
      pictures.add(Bun.hash(bytes).toString())
    }
  }
  expect(pictures.size).toBeGreaterThan(45)
  // Nothing lies about that no photo uses, and nothing is missing.
  app.clock.now += 86_400_000 * 2
  expect(await app.services.media.sweep()).toEqual({ images: 0, files: 0 })
  expect(rows(app.db.$client, 'SELECT count(*) AS n FROM media')).toEqual([{ n: told }])
}, 60_000)

test('people write whole conversations in English and Russian, and nothing is left to fill in', () => {
  const said = rows<{ text: string; chat_id: string }>(db, 'SELECT text, chat_id FROM messages')
  const bios = rows<{ bio: string }>(db, 'SELECT bio FROM users WHERE bio IS NOT NULL').map(({ bio }) => bio)
  for (const text of [...bios, ...said.map(({ text }) => text)]) expect(text).not.toMatch(/[{}|<>]|undefined/)
  const isRussian = (text: string) => /[а-я]/i.test(text)
  expect(bios.filter(isRussian).length).toBeGreaterThan(100)
  expect(bios.length).toBeGreaterThan(users * 0.8)
  expect(new Set(bios).size).toBeGreaterThan(bios.length / 2)
  // Both understand what the other one writes.
  const chats = [...Map.groupBy(said, ({ chat_id }) => chat_id).values()]
  const russian = chats.filter((all) => isRussian(all[0]!.text))
  expect(russian.length).toBeWithin(5, chats.length / 2)
  for (const all of russian) expect(all.filter(({ text }) => !isRussian(text))).toEqual([])
})

test('what is abandoned halfway leaves an empty database with its whole schema', () => {
  const client = openDatabase(databaseIn('abandoned'), { alone: true })
  opened.push(client)
  up(client)
  const schema = () => rows(client, 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name')
  const before = schema()
  const community = openCommunity(
    { users: 500, cities: cities.slice(0, 1), messages: 100, seed: '1' },
    { now: began, locationKey: Buffer.from(keys.one, 'hex'), edition: () => ({ version: 'v', text_hash: 'h' }) },
  )
  const load = openBulkLoad(withDrizzle(client), { now: began, passwordHash: 'none' })
  for (const resident of community.residents()) load.addResident(resident, null)
  expect(count(client, 'users')).toBeGreaterThan(0)
  load.abandon()
  expect(count(client, 'users')).toBe(0)
  expect(schema()).toEqual(before)
  expect(rows(client, 'PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }])
})

describe('made-up numbers', () => {
  test('are the same for the same seed and others for another', () => {
    const draw = (text: string) => {
      const random = openRandom(text)
      return [random.unit(), random.below(1000), random.uuid(), random.uuidAt(0), random.normal()]
    }
    expect(draw('a')).toEqual(draw('a'))
    expect(draw('a')).not.toEqual(draw('b'))
  })

  test('spread evenly, and normally', () => {
    const random = openRandom('spread')
    const tens = Array<number>(10).fill(0)
    let [sum, squares] = [0, 0]
    for (let i = 0; i < 100_000; i++) {
      tens[random.below(10)]!++
      const normal = random.normal()
      sum += normal
      squares += normal ** 2
    }
    for (const n of tens) expect(n).toBeWithin(9600, 10_400)
    expect(sum / 100_000).toBeWithin(-0.02, 0.02)
    expect(squares / 100_000).toBeWithin(0.98, 1.02)
  })

  test('make UUIDs of the right shape, never twice', () => {
    const random = openRandom('ids')
    const at = Date.UTC(2026, 10, 21)
    const v7 = Array.from({ length: 10_000 }, () => random.uuidAt(at))
    const v4 = Array.from({ length: 10_000 }, () => random.uuid())
    expect(new Set([...v7, ...v4]).size).toBe(20_000)
    for (const id of v7) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    for (const id of v4) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Number.parseInt(v7[0]!.slice(0, 13).replace('-', ''), 16)).toBe(at)
  })

  test('share a total out to the last one', () => {
    expect(apportion(10, [1, 1, 1])).toEqual([4, 3, 3])
    expect(apportion(0, [1, 2])).toEqual([0, 0])
    for (const total of [1, 17, 99_991]) expect(apportion(total, zipf(20)).reduce((a, b) => a + b)).toBe(total)
  })

  test('give the biggest city 17 %, whatever the number of cities, and less to each next one', () => {
    for (const count of [6, 20, 100, 200]) {
      const weights = zipf(count)
      expect(weights[0]! / weights.reduce((a, b) => a + b)).toBeCloseTo(0.17, 6)
      expect(weights).toEqual(weights.toSorted((a, b) => b - a))
    }
    expect(zipf(1)).toEqual([1])
    expect(zipf(2)).toEqual([1, 0.5])
  })
})
