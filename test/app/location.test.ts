import { expect, setSystemTime, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distance } from '../../src/features/location/sphere.ts'
import { type Answer, type Person, start, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'

const berlin = { latitude: 52.5163, longitude: 13.3777 }
const near = (query: Record<string, string | number> = {}) =>
  `search/nearby?${new URLSearchParams({ lat: '52.5163', lng: '13.3777', radius: '5000', ...query } as Record<string, string>)}`
const idsOf = (answer: { body: any }) => answer.body.items.map((item: any) => item.user.id)

async function around(app: Awaited<ReturnType<typeof testApp>>, count: number) {
  const people: Person[] = []
  for (let i = 0; i < count; i++) {
    const person = await app.person()
    await person.put('me/location', { latitude: berlin.latitude + i / 1000, longitude: berlin.longitude })
    people.push(person)
  }
  return people
}

test('the published position is near the true one, always the same, and different for each user', async () => {
  const { person } = await testApp()
  const [ada, bob] = [await person(), await person()]
  const first = await ada.put('me/location', berlin)
  expect(first.status).toBe(200)
  expect(first.body).toEqual({
    latitude: expect.any(Number),
    longitude: expect.any(Number),
    visible: true,
    updated_at: expect.any(String),
  })
  const off = distance(berlin, first.body)
  expect(off).toBeGreaterThan(44)
  expect(off).toBeLessThan(556)
  await ada.put('me/visibility', { visible: false })
  await ada.put('me/visibility', { visible: true })
  expect((await ada.put('me/location', berlin)).body).toEqual(first.body)
  const { body } = await bob.put('me/location', berlin)
  expect(distance(body, first.body)).toBeGreaterThan(1)
})

test('one’s own published position can be read, is 404 if there is none, and stays when hidden', async () => {
  const { person } = await testApp()
  const [ada, bob] = [await person(), await person()]
  expectProblem(await ada.get('me/location'), 404, 'not_found')
  await ada.put('me/visibility', { visible: false })
  expectProblem(await ada.get('me/location'), 404, 'not_found')
  const { body } = await ada.put('me/location', berlin)
  const read = await ada.get('me/location')
  expect([read.status, read.body]).toEqual([200, body])
  expect(read.body.visible).toBe(false)
  expectProblem(await bob.get('me/location'), 404, 'not_found')
})

oneNodeTest('the clock of Redis counts there')(
  'a position is sent six times a minute and sixty times an hour, whatever the session and the place',
  async () => {
    const app = await testApp({ RATE_LIMIT: 'on' })
    const [ada, bob] = [await app.person(), await app.person()]
    const again = (await app.services.auth.begin(ada.id, { address: '', user_agent: null, language: null }))
      .access_token
    setSystemTime(start)
    try {
      for (let minute = 0; minute < 10; minute++) {
        for (let i = 0; i < 6; i++)
          expect((await (i % 2 ? ada : app.as(again)).put('me/location', { ...berlin, latitude: i })).status).toBe(200)
        const refused = await ada.put('me/location', berlin)
        expectProblem(refused, 429, 'rate_limited')
        expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
        setSystemTime(new Date(start + (minute + 1) * 61_000))
      }
      const refused = await app.as(again).put('me/location', berlin)
      expectProblem(refused, 429, 'rate_limited')
      expect(Number(refused.headers.get('retry-after'))).toBeWithin(61, 3600)
      expect((await bob.put('me/location', berlin)).status).toBe(200)
      setSystemTime(new Date(start + 3_700_000))
      expect((await ada.put('me/location', berlin)).status).toBe(200)
    } finally {
      setSystemTime()
    }
  },
)

test('one stray reading moves nothing, a second one does, and a far one does at once', async () => {
  const { person } = await testApp()
  const ada = await person()
  const { body: first } = await ada.put('me/location', berlin)
  const published = { latitude: first.latitude, longitude: first.longitude }
  // 580 m beyond the published point, as seen from the first reading: too far from it for the same cell.
  const further = 1 + 580 / distance(berlin, published)
  const stray = {
    latitude: berlin.latitude + further * (published.latitude - berlin.latitude),
    longitude: berlin.longitude + further * (published.longitude - berlin.longitude),
  }
  expect((await ada.put('me/location', stray)).body).toMatchObject(published)
  expect((await ada.put('me/location', stray)).body).not.toMatchObject(published)
  const { body: far } = await ada.put('me/location', { latitude: 48.8566, longitude: 2.3522 })
  expect(distance(far, { latitude: 48.8566, longitude: 2.3522 })).toBeLessThan(556)
})

test('the true position is in no file, no answer and no table', async () => {
  const app = await testApp({}, { databasePath: `/tmp/convene-scan-${crypto.randomUUID()}.db` })
  const ada = await app.person()
  const truth = { latitude: 41.123456789, longitude: -71.987654321 }
  for (let i = 0; i < 5; i++) await ada.put('me/location', truth)
  await ada.get(`search/nearby?lat=${truth.latitude}&lng=${truth.longitude}`)
  const answers = [await ada.get('me'), await ada.get('me/export'), await ada.put('me/location', truth)]
  const needles = [
    // A published position has 5 decimals, which can be those of the true one by chance.
    ...[truth.latitude, truth.longitude].map((degrees) => Buffer.from(degrees.toFixed(9).slice(0, -3))),
    ...[truth.latitude, truth.longitude].map((degrees) => {
      const bytes = Buffer.alloc(8)
      bytes.writeDoubleBE(degrees)
      return bytes
    }),
  ]
  const path = app.db.$client.filename
  const files = [path, `${path}-wal`].map((file) => readFileSync(file))
  for (const name of readdirSync(app.dataDir, { recursive: true, withFileTypes: true }))
    if (name.isFile()) files.push(readFileSync(join(name.parentPath, name.name)))
  const haystacks = [...files, ...answers.map(({ text }) => Buffer.from(text))]
  for (const needle of needles) for (const haystack of haystacks) expect(haystack.includes(needle)).toBe(false)
  // The scan can find this data.
  const { latitude } = answers[2]!.body
  const published = Buffer.alloc(8)
  published.writeDoubleBE(latitude)
  expect(files.some((file) => file.includes(published))).toBe(true)
})

test('people are found nearest first, at their published positions, and never the caller', async () => {
  const app = await testApp()
  const people = await around(app, 12)
  const answer = await people[0]!.get(near())
  expect(answer.status).toBe(200)
  expect(idsOf(answer)).toHaveLength(11)
  expect(idsOf(answer)).not.toContain(people[0]!.id)
  const metres = answer.body.items.map((item: any) => distance(berlin, item))
  expect(metres).toEqual(metres.toSorted((a: number, b: number) => a - b))
  for (const [i, item] of answer.body.items.entries()) {
    expect(item.distance_m).toBe(Math.ceil(metres[i] / 100) * 100)
    expect(item.updated_at).toEndWith(':00:00.000Z')
    expect(Object.keys(item).sort()).toEqual(['distance_m', 'latitude', 'longitude', 'updated_at', 'user'])
    expect(Object.keys(item.user).filter((key) => /mail|phone|messenger/.test(key))).toEqual([])
  }
})

test('pages have no repeats or gaps while others move', async () => {
  const app = await testApp()
  const people = await around(app, 25)
  const [ada] = people
  const whole = idsOf(await ada!.get(near({ radius: 10_000 })))
  const paged: string[] = []
  for (let cursor: string | null = null; ;) {
    const after: Record<string, string> = cursor === null ? {} : { cursor }
    const { body }: Answer = await ada!.get(near({ radius: 10_000, limit: 7, ...after }))
    paged.push(...body.items.map((item: any) => item.user.id))
    cursor = body.next_cursor
    if (!cursor) break
    const newcomer = await app.person()
    await newcomer.put('me/location', berlin)
  }
  expect(paged.filter((id) => whole.includes(id))).toEqual(whole)
  expect(new Set(paged).size).toBe(paged.length)
})

test('hiding, blocking, suspending, moving and erasing take effect in the next answer, both ways', async () => {
  const app = await testApp()
  const [ada, bob, eve] = await around(app, 3)
  const seen = async (by: Person) => idsOf(await by.get(near()))
  expect(await seen(ada!)).toEqual(expect.arrayContaining([bob!.id, eve!.id]))
  await bob!.put('me/visibility', { visible: false })
  expect(await seen(ada!)).toEqual([eve!.id])
  await bob!.put('me/location', berlin)
  expect(await seen(ada!)).toEqual([eve!.id])
  await bob!.put('me/visibility', { visible: true })
  await bob!.post('blocks', { user_id: ada!.id })
  expect(await seen(ada!)).toEqual([eve!.id])
  expect(await seen(bob!)).toEqual([eve!.id])
  await eve!.put('me/location', { latitude: 48.8566, longitude: 2.3522 })
  expect(await seen(ada!)).toEqual([])
  await eve!.put('me/location', berlin)
  expect(await seen(ada!)).toEqual([eve!.id])
  await app.rows('UPDATE users SET suspended_until = ? WHERE id = ?', app.clock.now + 60_000, eve!.id)
  expect(await seen(ada!)).toEqual([])
  app.clock.now += 61_000
  expect(await seen(ada!)).toEqual([eve!.id])
  expect((await eve!.delete('me', { password: 'twelve green bottles' })).status).toBe(204)
  expect(await seen(ada!)).toEqual([])
})

test('a user who hides before publishing stays hidden, and an old position is not shown', async () => {
  const app = await testApp()
  const [ada] = await around(app, 1)
  const bob = await app.person()
  expect((await bob.put('me/visibility', { visible: false })).body).toEqual({ visible: false })
  expect((await bob.put('me/location', berlin)).body.visible).toBe(false)
  expect((await bob.get('me')).body.visible).toBe(false)
  expect(idsOf(await ada!.get(near()))).toEqual([])
  await bob.put('me/visibility', { visible: true })
  expect(idsOf(await ada!.get(near()))).toEqual([bob.id])
  app.clock.now += 30 * 86_400_000 + 1000
  const later = app.as(
    (await app.services.auth.begin(ada!.id, { address: '', user_agent: null, language: null })).access_token,
  )
  expect(idsOf(await later.get(near()))).toEqual([])
})

test('filters match any value of each filter, with commas and case as they are', async () => {
  const app = await testApp()
  const [ada, bob, eve] = await around(app, 3)
  await bob!.put('me/prefs', { drinks: ['tea', 'gin, tonic'], activities: ['chess'], language: 'de' })
  await eve!.put('me/prefs', { drinks: ['wine'], activities: ['chess'] })
  await eve!.put('me', { gender: 'female' })
  const found = async (query: string) => idsOf(await ada!.get(`${near()}&${query}`)).sort()
  const both = [bob!.id, eve!.id].sort()
  expect(await found('drinks=tea')).toEqual([bob!.id])
  expect(await found('drinks=tea&drinks=wine')).toEqual(both)
  expect(await found('drinks=gin%2C%20tonic')).toEqual([bob!.id])
  expect(await found('drinks=gin')).toEqual([])
  expect(await found('activities=chess&drinks=wine')).toEqual([eve!.id])
  expect(await found('activities=chess&gender=female')).toEqual([eve!.id])
  expect(await found('language=de')).toEqual([bob!.id])
  await eve!.put('me/prefs', { language: 'pt-br' })
  for (const tag of ['pt-br', 'pt-BR', 'PT-BR']) expect(await found(`language=${tag}`)).toEqual([eve!.id])
  expect(await found('language=pt-br&language=de')).toEqual(both)
  expect(await found('purposes=love')).toEqual([])
  await bob!.put('me/prefs', { drinks: [] })
  expect(await found('drinks=tea')).toEqual([])
})

test('invalid positions and queries are refused by field, and nothing is stored', async () => {
  const app = await testApp()
  const ada = await app.person()
  const bodies: unknown[] = [
    {},
    { latitude: 91, longitude: 0 },
    { latitude: 0, longitude: 180.1 },
    { latitude: '52', longitude: 13 },
    { latitude: null, longitude: 13 },
    '{"latitude":1e999,"longitude":0}',
    '{"latitude":NaN,"longitude":0}',
  ]
  for (const body of bodies) {
    const answer = await ada.put('me/location', body, { 'content-type': 'application/json' })
    expect(answer.status).toBeOneOf([400, 422])
    expect(answer.text).not.toContain('180.1')
  }
  expect((await ada.put('me/visibility', { visible: 'yes' })).body.errors[0].path).toBe('/visible')
  for (const [query, path] of [
    ['lat=91&lng=0', '/lat'],
    ['lat=0&lng=-181', '/lng'],
    ['lat=NaN&lng=0', '/lat'],
    ['lng=0', '/lat'],
    ['lat=%20&lng=0', '/lat'],
    ['lat=0x10&lng=0', '/lat'],
    ['lat=%2B5&lng=0', '/lat'],
    ['lat=5.&lng=0', '/lat'],
    ['lat=0&lng=', '/lng'],
    ['lat=0&lng=%205', '/lng'],
    ['lat=0&lng=0&radius=0x100', '/radius'],
    ['lat=0&lng=0&radius=99', '/radius'],
    ['lat=0&lng=0&radius=100001', '/radius'],
    ['lat=0&lng=0&limit=0', '/limit'],
    ['lat=0&lng=0&limit=101', '/limit'],
    ['lat=0&lng=0&cursor=x', '/cursor'],
    ['lat=0&lng=0&gender=female&gender=robot', '/gender'],
    ['lat=0&lng=0&language=pt_BR', '/language'],
    [`lat=0&lng=0&drinks=${'x'.repeat(161)}`, '/drinks'],
  ] as const) {
    const answer = await ada.get(`search/nearby?${query}`)
    expect([query, answer.status, answer.body.errors?.[0].path]).toEqual([query, 422, path])
  }
  for (const query of ['lat=-0&lng=-179.5', 'lat=1e-7&lng=-2.5E-7', 'lat=090&lng=180.0&radius=100.5&limit=007'])
    expect([query, (await ada.get(`search/nearby?${query}`)).status]).toEqual([query, 200])
  expect(await app.rows('SELECT * FROM locations')).toEqual([])
})

oneNodeTest('Redis counts by its own clock, in shared-limits.test.ts')(
  'an account searches 500 cells a day, each as often as it likes',
  async () => {
    const app = await testApp({ RATE_LIMIT: 'on' })
    const ada = await app.person()
    const { budget } = app.services
    for (let i = 0; i < 500; i++) budget.spend(ada.id, { latitude: 10 + i / 100 + 0.005, longitude: 20 })
    budget.spend(ada.id, { latitude: 10.005, longitude: 20.001 })
    const refused = await ada.get('search/nearby?lat=60&lng=20')
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000)
    expect((await ada.get('search/nearby?lat=10.005&lng=20')).status).toBe(200)
    app.clock.now += 86_400_000
    budget.spend(ada.id, { latitude: 60, longitude: 20 })
  },
)

test('a position is found for as many days as NEARBY_MAX_AGE_DAYS says', async () => {
  const app = await testApp({ NEARBY_MAX_AGE_DAYS: '2' })
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await bob.put('me/location', { latitude: 52.5, longitude: 13.4 })
  const found = async () => {
    const { access_token } = await app.services.auth.begin(ada.id, { address: '', user_agent: null, language: null })
    return (await app.as(access_token).get('search/nearby?lat=52.5&lng=13.4')).body.items.length
  }
  app.clock.now += 2 * 86_400_000
  expect(await found()).toBe(1)
  app.clock.now += 1
  expect(await found()).toBe(0)
})

test('the time of a position is rounded down to the hour', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  app.clock.now += 754_321
  await bob.put('me/location', berlin)
  expect((await ada.get(near())).body.items[0].updated_at).toBe('2026-11-21T12:00:00.000Z')
})

test('a page has 50 people by default', async () => {
  const app = await testApp()
  const [ada] = await around(app, 52)
  const { body } = await ada!.get(near({ radius: 20_000 }))
  expect(body.items).toHaveLength(50)
  expect(body.next_cursor).toBeString()
})

oneNodeTest('Redis counts by its own clock, in shared-limits.test.ts')(
  'a cell that counts is of 0.01 degrees either way',
  async () => {
    const app = await testApp({ RATE_LIMIT: 'on' })
    const [ada, bob] = [await app.person(), await app.person()]
    const { budget } = app.services
    for (let i = 0; i < 500; i++) {
      budget.spend(ada.id, { latitude: 10.005, longitude: 20.005 + i / 100 })
      budget.spend(bob.id, { latitude: 10.005 + i / 100, longitude: 20.005 })
    }
    for (const person of [ada, bob]) {
      expect((await person.get('search/nearby?lat=10.009&lng=20.001')).status).toBe(200)
      expect((await person.get('search/nearby?lat=10.005&lng=19.995')).status).toBe(429)
      expect((await person.get('search/nearby?lat=9.995&lng=20.005')).status).toBe(429)
    }
  },
)

test('preferences are found in any case, by Unicode, and shown as they were written', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  await bob.put('me/location', berlin)
  await bob.put('me/prefs', { drinks: ['Tea', 'TEA', 'ПИВО', 'Weißbier'], activities: ['Σίσυφος'], purposes: ['ÉTÉ'] })
  const found = async (query: Record<string, string>) => idsOf(await ada.get(near(query)))
  for (const drinks of ['tea', 'TEA', 'tEa', 'пиво', 'Пиво', 'WEISSBIER', 'weißbier', 'WEIẞBIER'])
    expect([drinks, await found({ drinks })]).toEqual([drinks, [bob.id]])
  for (const activities of ['ΣΊΣΥΦΟΣ', 'σίσυφοσ']) expect(await found({ activities })).toEqual([bob.id])
  expect(await found({ purposes: 'e\u0301te\u0301', drinks: 'tea' })).toEqual([bob.id])
  for (const drinks of ['te', 'teä', 'chess']) expect(await found({ drinks })).toEqual([])
  expect((await ada.get(`users/${bob.id}`)).body.drinks).toEqual(['Tea', 'TEA', 'ПИВО', 'Weißbier'])
  await bob.put('me/prefs', { drinks: ['coffee'] })
  expect(await found({ drinks: 'tea' })).toEqual([])
  expect(await found({ drinks: 'Coffee', activities: 'σίσυφος' })).toEqual([bob.id])
})

test('preferences of an older release are found as written, and after the job in any case', async () => {
  const app = await testApp()
  const [ada, bob, cleo] = [await app.person(), await app.person(), await app.person()]
  for (const person of [bob, cleo]) await person.put('me/location', berlin)
  await cleo.put('me/prefs', { drinks: ['kvass'] })
  await bob.put('me/prefs', { drinks: ['tea'], activities: ['chess'] })
  // It does not know the columns beside the lists, and builds the index from the view.
  await bob.put('me/visibility', { visible: false })
  await app.rows(`UPDATE preferences SET drinks = '["Kvass","KVASS"]' WHERE user_id = ?`, bob.id)
  await bob.put('me/visibility', { visible: true })
  const found = async (drinks: string) => idsOf(await ada.get(near({ drinks }))).sort()
  const both = [bob.id, cleo.id].sort()
  expect([await found('Kvass'), await found('kvass'), await found('tea')]).toEqual([both, [cleo.id], []])
  expect(await app.services.profiles.foldPreferences()).toBe(1)
  expect([await found('Kvass'), await found('kVASS'), await found('tea')]).toEqual([both, both, []])
  expect(idsOf(await ada.get(near({ activities: 'CHESS' })))).toEqual([bob.id])
  expect(await app.services.profiles.foldPreferences()).toBe(0)
  await bob.put('me/visibility', { visible: false })
  expect(await found('Kvass')).toEqual([cleo.id])
})

test('a filter accepts twenty values', async () => {
  const app = await testApp()
  const ada = await app.person()
  const values = (count: number) => Array.from({ length: count }, (_, i) => `&drinks=${i}`).join('')
  expect((await ada.get(near() + values(20))).status).toBe(200)
  expect((await ada.get(near() + values(21))).body.errors[0].path).toBe('/drinks')
})

test('the audit log says who has hidden, and not where they are', async () => {
  const app = await testApp()
  const ada = await app.person()
  await ada.put('me/visibility', { visible: false })
  expect(await app.services.storage.audit.list({ action: 'visibility' }, 10, null)).toMatchObject([
    { actor_id: ada.id, subject_id: ada.id, metadata: { visible: false } },
  ])
})

test('a radius is from 100 to 100000 metres, both included', async () => {
  const { person } = await testApp()
  const ada = await person()
  for (const radius of [100, 100_000]) expect((await ada.get(near({ radius }))).status).toBe(200)
})

test('the default radius of a search is 5 km', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const { body } = await bob.put('me/location', berlin)
  const south = (metres: number) => `search/nearby?lat=${body.latitude - metres / 111_195.08}&lng=${body.longitude}`
  expect(idsOf(await ada.get(south(4990)))).toEqual([bob.id])
  expect(idsOf(await ada.get(south(5010)))).toEqual([])
})

test('sending a position again renews its time', async () => {
  const app = await testApp()
  const ada = await app.person()
  await ada.put('me/location', berlin)
  app.clock.now += 600_000
  const { body } = await ada.put('me/location', berlin)
  expect(body.updated_at).toBe(new Date(app.clock.now).toISOString())
})
