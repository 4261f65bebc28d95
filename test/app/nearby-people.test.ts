import { expect, test } from 'bun:test'
import { destination } from '../../src/features/location/sphere.ts'
import { days, seconds } from '../../src/lib/time.ts'
import { countNearbyErrors, rebuildNearby } from '../../src/storage/sql/nearby-people.ts'
import { type Answer, consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { granted } from '../rows.ts'

// Searches read a copy of what they show of people. After any write it must equal the original.

const berlin = { latitude: 52.52, longitude: 13.405 }
const search = 'search/nearby?lat=52.52&lng=13.405&radius=50000&limit=100'
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

/** Mulberry32: the same seed gives the same numbers. */
function random(seed: number) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), seed | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

async function differing({ rows }: TestApp): Promise<number> {
  const [row] = await rows<{ n: number }>(countNearbyErrors)
  return Number(row!.n)
}

/** The engine's cache of profiles is cleared after any write that may change one. */
const forgetProfiles = ({ services }: TestApp) => services.storage.users.replacePhoto('nobody', 'a', 'b', 0)

/** The results of a search, and those of the same search from the original tables. */
async function bothAnswers(app: TestApp, person: Person) {
  const found = async () => {
    const { status, body } = await person.get(search)
    return { status, items: body.items as unknown[] | undefined }
  }
  await forgetProfiles(app)
  const kept = await found()
  await app.rows(rebuildNearby[0]!)
  await forgetProfiles(app)
  const made = await found()
  await app.rows(rebuildNearby[1]!)
  return { kept, made }
}

type World = {
  app: TestApp
  r: () => number
  people: Person[]
  moderator: Person
  /** By owner. */
  photos: Map<string, string>
  unblocks: (() => Promise<Answer>)[]
}

const one = <T>({ r }: World, ...values: T[]): T => values[Math.floor(r() * values.length)]!
const anybody = (world: World) => one(world, ...world.people)

async function uploaded(person: Person): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(8, 8, { fit: 'fill' }).png().bytes()]), 'a.png')
  return (await person.post('media', form)).body.id
}

const report = (world: World, subject: Person, reason: string) =>
  anybody(world).post('reports', { user_id: subject.id, reason })

/** All operations on people. Some are refused, such as those on erased users. */
const operations: Record<string, (world: World) => Promise<unknown>> = {
  async registers(world) {
    const person = await world.app.person()
    world.people.push(person)
    return person.put('me/location', berlin)
  },
  publishes: (world) => anybody(world).put('me/location', destination(berlin, 7 * world.r(), 20_000 * world.r())),
  'publishes again nearby': (world) => anybody(world).put('me/location', berlin),
  'shows or hides': (world) => anybody(world).put('me/visibility', { visible: one(world, true, false) }),
  'changes the profile': (world) =>
    anybody(world).put('me', {
      ...(world.r() < 0.5 && { name: one(world, 'Ada', 'Bo', 'Ünal') }),
      ...(world.r() < 0.5 && { city: one(world, null, 'Berlin', 'Riga') }),
      ...(world.r() < 0.5 && { bio: one(world, null, 'Tea, mostly.') }),
      ...(world.r() < 0.5 && { gender: one(world, null, 'female', 'other') }),
    }),
  async 'shows a photo'(world) {
    const person = anybody(world)
    const known = world.photos.get(person.id) ?? (await uploaded(person))
    world.photos.set(person.id, known)
    return person.put('me', { photo: one(world, known, null) })
  },
  'changes preferences': (world) =>
    anybody(world).put('me/prefs', {
      drinks: one(world, [], ['Tea'], ['Tea', 'Wine']),
      language: one(world, 'en', 'de'),
    }),
  async 'shows an age'(world) {
    const person = anybody(world)
    await world.app.rows('UPDATE users SET birth_month = ? WHERE id = ?', one(world, '1990-05', '2001-12'), person.id)
    return person.put('me', { show_age: one(world, true, false) })
  },
  async blocks(world) {
    const by = anybody(world)
    const answer = await by.post('blocks', { user_id: anybody(world).id })
    if (answer.status < 300) world.unblocks.push(() => by.delete(`blocks/${answer.body.id}`))
    return answer
  },
  'ends a block': async ({ unblocks }) => (await unblocks.shift()?.()) ?? { status: 404 },
  async reviews(world) {
    const [by, of] = [anybody(world), anybody(world)]
    const { status, body } = await by.post('chats', { user_id: of.id })
    if (status >= 300) return { status }
    await world.app.rows('UPDATE chats SET wrote_a = TRUE, wrote_b = TRUE WHERE id = ?', body.id)
    return by.post('reviews', { chat_id: body.id, rating: one(world, 1, 3, 5) })
  },
  async 'is reported and decided about'(world) {
    await report(world, anybody(world), one(world, 'scam', 'underage'))
    const { items } = (await world.moderator.get('admin/reports?status=open')).body
    if (items.length === 0) return { status: 404 }
    const action = one(world, 'dismiss', 'suspend', 'remove_content', 'warn')
    const until = new Date(world.app.clock.now + 20 * seconds).toISOString()
    return world.moderator.post(`admin/reports/${one<any>(world, ...items).id}/resolve`, {
      action,
      note: 'Looked at.',
      ...(action === 'suspend' && { until }),
    })
  },
  async 'is hidden by reports'(world) {
    const subject = anybody(world)
    for (let i = 0; i < 3; i++) await report(world, subject, 'scam')
    return report(world, subject, 'scam')
  },
  'takes a consent back': (world) =>
    anybody(world).post('auth/consents', { consents: { privacy: one(world, true, false) } }),
  consents: (world) => anybody(world).post('auth/consents', { consents }),
  'is erased': (world) => anybody(world).delete('me', { password }),
  async 'is forgotten in time'(world) {
    const { app } = world
    await app.rows('UPDATE locations SET updated_at = updated_at - ? WHERE user_id = ?', 40 * days, anybody(world).id)
    await app.services.storage.retention.positions(app.clock.now - 35 * days, 100)
  },
  // The effect of an operator's own SQL, and of a copied database.
  'loses rows': (world) =>
    world.app.rows(
      `DELETE FROM ${one(world, 'preferences', 'user_stats', 'user_stats')} WHERE user_id = ?`,
      anybody(world).id,
    ),
  async 'gets other rows'(world) {
    const { id } = anybody(world)
    const [table, rest] = one(
      world,
      ['preferences', '(user_id, drinks) VALUES (?, \'["Mate"]\')'],
      ['user_stats', '(user_id, rating_avg, count) VALUES (?, 4.5, 2)'],
    )
    await world.app.rows(`DELETE FROM ${table} WHERE user_id = ?`, id)
    await world.app.rows(`INSERT INTO ${table} ${rest}`, id)
  },
  'is rebuilt': async ({ app }) => {
    for (const statement of rebuildNearby) await app.rows(statement)
  },
}

test.each([1, 2])(
  'whatever is done to people, searches show them as they are (sequence %i)',
  async (seed) => {
    const app = await testApp()
    const moderator = await app.person('Mo')
    await app.services.storage.users.setRole(moderator.id, 'moderator', granted(moderator.id, app.clock.now))
    const world: World = { app, r: random(seed), people: [], moderator, photos: new Map(), unblocks: [] }
    for (let i = 0; i < 8; i++) await operations.registers!(world)
    const done = new Set<string>()
    let shown = 0
    for (let step = 0; step < 150; step++) {
      // If it were longer, everybody would have to sign in again.
      app.clock.now += seconds
      const [name, operation] = one(world, ...Object.entries(operations))
      const outcome = await operation(world)
      const isRefused = outcome instanceof Object && 'status' in outcome && Number(outcome.status) >= 300
      if (!isRefused) done.add(name)
      expect([step, name, await differing(app)]).toEqual([step, name, 0])
      if (step % 3 > 0) continue
      const { kept, made } = await bothAnswers(app, one(world, moderator, anybody(world)))
      expect([step, name, kept]).toEqual([step, name, made])
      shown += kept.items?.length ?? 0
    }
    expect([...done].sort()).toEqual(Object.keys(operations).sort())
    expect(shown).toBeGreaterThan(100)
  },
  120_000,
)

test('nothing is left of a user who hides, is erased, or was removed after the retention period', async () => {
  const app = await testApp()
  const [ada, bob, cy] = await Promise.all(['Ada', 'Bob', 'Cy'].map((name) => app.person(name)))
  for (const person of [ada!, bob!, cy!]) await person.put('me/location', berlin)
  const kept = async () =>
    (await app.rows<{ name: string }>('SELECT name FROM nearby_people ORDER BY name')).map(({ name }) => name)
  expect(await kept()).toEqual(['Ada', 'Bob', 'Cy'])
  await ada!.put('me/visibility', { visible: false })
  await bob!.delete('me', { password })
  expect(await kept()).toEqual(['Cy'])
  await app.services.storage.retention.positions(app.clock.now + 1, 100)
  expect(await kept()).toEqual([])
})
