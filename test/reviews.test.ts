import { expect, test } from 'bun:test'
import { days } from '../src/time.ts'
import { type Person, testApp, type TestApp } from './app.ts'

const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const eventsOf = async (person: Person) => (await person.get('sync?since=0&limit=100')).body.items

async function chatOf(one: Person, other: Person): Promise<string> {
  return (await one.post('chats', { user_id: other.id })).body.id
}

async function pair(app: TestApp) {
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  return { ada, bob, chatId: await chatOf(ada, bob) }
}

/** Everything that the server answers to somebody, as text. */
async function everythingShownTo(person: Person, others: Person[]) {
  const paths = ['me', 'chats', 'sync?since=0&limit=100', 'reports', 'blocks', 'me/notices', 'appeals']
  for (const { id } of [person, ...others]) paths.push(`users/${id}`, `users/${id}/reviews`, `users/${id}/stats`)
  const answers = await Promise.all(paths.map((path) => person.get(path)))
  return answers.map(({ status, text }) => (expect(status).toBe(200), text)).join('\n')
}

test('a member of a chat reviews the other one, whoever the body names', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const cleo = await app.person()
  const { status, body } = await ada.post('reviews', {
    chat_id: chatId,
    rating: 4,
    text: '  Good company.\r\n ',
    reviewed_id: cleo.id,
    reviewer_id: cleo.id,
    id: unknown,
  })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(uuidV4),
    chat_id: chatId,
    reviewer_id: ada.id,
    reviewed_id: bob.id,
    rating: 4,
    anonymous: false,
    text: 'Good company.',
    created_at: '2026-11-21T12:00:00.000Z',
  })
  expect((await cleo.get(`users/${bob.id}/reviews`)).body).toEqual({ items: [body], next_cursor: null })
  expect((await cleo.get(`users/${bob.id}/stats`)).body).toEqual({ user_id: bob.id, rating_avg: 4, count: 1 })
  expect((await cleo.get(`users/${bob.id}`)).body).toMatchObject({ rating_avg: 4, reviews_count: 1 })
  expect((await cleo.get(`users/${cleo.id}/stats`)).body).toEqual({ user_id: cleo.id, rating_avg: null, count: 0 })
  expect(await eventsOf(bob)).toMatchObject([{ type: 'chat' }, { type: 'review', data: body }])
  expect((await eventsOf(ada)).map(({ type }: { type: string }) => type)).toEqual(['chat'])
})

test('two reviews of a chat at once: one 201, one 409, whichever of the two wrote it', async () => {
  const app = await testApp()
  for (const both of [true, false]) {
    const { ada, bob, chatId } = await pair(app)
    const answers = await Promise.all([
      ada.post('reviews', { chat_id: chatId, rating: 5 }),
      (both ? bob : ada).post('reviews', { chat_id: chatId, rating: 1 }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe('review_exists')
    const counts = await Promise.all([ada, bob].map(async ({ id }) => (await ada.get(`users/${id}/stats`)).body.count))
    expect(counts[0] + counts[1]).toBe(1)
    const events = (await Promise.all([ada, bob].map(eventsOf))).flat()
    expect(events.filter(({ type }) => type === 'review')).toHaveLength(1)
  }
})

test('bad reviews are refused and change nothing', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const stranger = await app.person()
  for (const rating of [0, 6, -1, 4.5, '5', '', null, true, [5], undefined, 1e300])
    expect((await ada.post('reviews', { chat_id: chatId, rating })).status).toBe(422)
  expect((await ada.post('reviews', `{"chat_id":"${chatId}","rating":NaN}`)).status).toBe(415)
  for (const extra of [
    { anonymous: 'true' },
    { anonymous: 1 },
    { text: 'x'.repeat(1001) },
    { text: 'a\u202eb' },
    { text: 7 },
  ])
    expect((await ada.post('reviews', { chat_id: chatId, rating: 5, ...extra })).status).toBe(422)
  expect((await ada.post('reviews', { chat_id: 'chat', rating: 5 })).status).toBe(422)
  expect((await ada.post('reviews', { rating: 5 })).status).toBe(422)
  const strangers = await stranger.post('reviews', { chat_id: chatId, rating: 5 })
  expect([strangers.status, strangers.body.code]).toEqual([403, 'not_a_member'])
  const lost = await ada.post('reviews', { chat_id: unknown, rating: 5 })
  expect([lost.status, lost.body.code]).toEqual([404, 'not_found'])
  expect((await app.request('POST', 'reviews', { body: { chat_id: chatId, rating: 5 } })).status).toBe(401)
  expect((await ada.get(`users/${bob.id}/stats`)).body.count).toBe(0)
  expect((await eventsOf(bob)).map(({ type }: { type: string }) => type)).toEqual(['chat'])
  // 1000 characters are fine, however many bytes they take.
  expect((await ada.post('reviews', { chat_id: chatId, rating: 5, text: '🍵'.repeat(1000) })).status).toBe(201)
})

test('an erased account is not reviewed', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  await app.rows('UPDATE users SET deleted_at = 1, name = NULL WHERE id = ?', bob.id)
  expect((await ada.post('reviews', { chat_id: chatId, rating: 5 })).status).toBe(404)
  expect(await app.rows('SELECT * FROM reviews')).toEqual([])
  for (const path of ['reviews', 'stats']) expect((await ada.get(`users/${bob.id}/${path}`)).status).toBe(404)
})

test('stats equal the reviews, to two decimals, half up', async () => {
  const app = await testApp()
  const bob = await app.person()
  const ratings = [5, 4, 4, 1, 3, 5, 2, 5]
  let sum = 0
  for (const [i, rating] of ratings.entries()) {
    const ada = await app.person()
    await ada.post('reviews', { chat_id: await chatOf(ada, bob), rating })
    sum += rating
    const { body } = await ada.get(`users/${bob.id}/stats`)
    const rows = await app.rows<{ rating: number }>('SELECT rating FROM reviews WHERE reviewed_id = ?', bob.id)
    expect(rows.reduce((total, row) => total + row.rating, 0)).toBe(sum)
    expect(body).toEqual({ user_id: bob.id, rating_avg: Math.round((100 * sum) / (i + 1)) / 100, count: i + 1 })
  }
  // 29 / 8 is 3.625: what lies in the middle goes up, whatever binary fractions make of it.
  expect((await bob.get(`users/${bob.id}/stats`)).body.rating_avg).toBe(3.63)
})

test('an anonymous review shows its author only in the answer to writing it', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  app.clock.now += 654_321
  const { body } = await ada.post('reviews', { chat_id: chatId, rating: 2, anonymous: true, text: 'Late.' })
  expect(body).toMatchObject({ reviewer_id: ada.id, chat_id: chatId, anonymous: true })
  const listed = { ...body, reviewer_id: null, chat_id: null, created_at: '2026-11-21T00:00:00.000Z' }
  for (const viewer of [ada, bob]) expect((await viewer.get(`users/${bob.id}/reviews`)).body.items).toEqual([listed])
  expect((await app.request('GET', `users/${bob.id}/reviews`)).body.items).toEqual([listed])
  const [, event] = await eventsOf(bob)
  expect(event).toEqual({ type: 'review', seq: 2, at: '2026-11-21T00:00:00.000Z', data: listed })
})

test('nothing that the reviewed user can ask for names the author of an anonymous review', async () => {
  const app = await testApp()
  const bob = await app.person('Bob')
  const [ada, cleo] = [await app.person('Ada'), await app.person('Cleo')]
  const chats = [await chatOf(ada, bob), await chatOf(cleo, bob)]
  await bob.get('chats')
  const before = await everythingShownTo(bob, [ada, cleo])
  app.clock.now += 4321
  const written = await ada.post('reviews', { chat_id: chats[0], rating: 1, anonymous: true })
  const after = await everythingShownTo(bob, [ada, cleo])
  const times = (text: string, id: string) => text.split(id).length - 1
  // What named Ada or the chat before does so still (the chat list, her profile); the review adds no mention.
  for (const id of [ada.id, ...chats]) expect(times(after, id)).toBe(times(before, id))
  expect(after).toContain(written.body.id)
  expect(after).not.toContain(written.body.created_at)
  // Nor does reporting it.
  const report = await bob.post('reports', { review_id: written.body.id, reason: 'other' })
  expect(report.text).not.toContain(ada.id)
  expect((await bob.get('reports')).text).not.toContain(ada.id)
})

test('the order of a list tells the day and nothing finer', async () => {
  const app = await testApp()
  const bob = await app.person()
  const written: { id: string; day: number }[] = []
  for (let i = 0; i < 12; i++) {
    app.clock.now += i === 6 ? days : 60_000
    const ada = await app.person()
    const review = await ada.post('reviews', { chat_id: await chatOf(ada, bob), rating: 5, anonymous: true })
    written.push({ id: review.body.id, day: Math.floor(app.clock.now / days) })
  }
  const seen: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await bob.get(`users/${bob.id}/reviews?limit=5${cursor}`)
    seen.push(...body.items.map(({ id }: { id: string }) => id))
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
  }
  const expected = written.toSorted((a, b) => b.day - a.day || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
  expect(seen).toEqual(expected)
  // Random ids: twelve in the order of writing, either way, would be one chance in millions.
  expect(seen).not.toEqual(written.map(({ id }) => id).reverse())
  expect((await bob.get(`users/${bob.id}/reviews?cursor=nonsense`)).status).toBe(422)
  const { next_cursor } = (await bob.get(`users/${bob.id}/reviews?limit=5`)).body
  expect((await bob.get(`users/${bob.id.toUpperCase()}/reviews?cursor=${next_cursor}`)).status).toBe(200)
  const cleo = await app.person()
  const elsewhere = await bob.get(`users/${cleo.id}/reviews?cursor=${next_cursor}`)
  expect(elsewhere.body).toMatchObject({ status: 422, errors: [{ path: '/cursor' }] })
})

test('reviews are public, and a token that does not hold is none', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  await ada.post('reviews', { chat_id: chatId, rating: 5 })
  for (const headers of [
    {},
    { authorization: 'Bearer nonsense' },
    { cookie: 'app_at=nonsense' },
    { authorization: `Bearer ${ada.token}` },
  ] as Record<string, string>[])
    for (const path of ['reviews', 'stats'])
      expect((await app.request('GET', `users/${bob.id}/${path}`, { headers })).status).toBe(200)
  for (const path of [`users/${unknown}/reviews`, `users/${unknown}/stats`, 'users/nobody/stats'])
    expect((await app.request('GET', path)).status).toBe(404)
  // A token that holds tells who looks, whichever way it comes.
  await bob.post('blocks', { user_id: ada.id })
  for (const headers of [{ cookie: `app_at=${ada.token}` }, { authorization: `Bearer ${ada.token}` }] as Record<
    string,
    string
  >[])
    expect((await app.request('GET', `users/${bob.id}/stats`, { headers })).status).toBe(404)
  expect((await app.request('GET', `users/${bob.id}/stats?_t=${ada.token}`)).status).toBe(404)
  app.clock.now += days
  expect((await ada.get(`users/${bob.id}/stats`)).status).toBe(200)
})

test('a review that is gone leaves no trace in a replay', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const { body } = await ada.post('reviews', { chat_id: chatId, rating: 1, text: 'Insults.' })
  await app.rows('DELETE FROM reviews WHERE id = ?', body.id)
  const events = await eventsOf(bob)
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2])
  expect(JSON.stringify(events)).not.toContain('Insults.')
})
