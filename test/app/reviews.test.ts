import { expect, test } from 'bun:test'
import { appearsAt, reviewVerdict } from '../../src/features/reviews/rules.ts'
import { jobs } from '../../src/jobs.ts'
import { days, hours, minutes } from '../../src/lib/time.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { granted } from '../rows.ts'

const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const eventsOf = async (person: Person) => (await person.get('sync?since=0&limit=100')).body.items

async function pair(app: TestApp) {
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  return { ada, bob, chatId: await app.met(ada, bob) }
}

/** All answers of the server to a user, as text. */
async function everythingShownTo(person: Person, others: Person[]) {
  const paths = ['me', 'chats', 'sync?since=0&limit=100', 'reports', 'blocks', 'me/notices', 'appeals']
  for (const { id } of [person, ...others]) paths.push(`users/${id}`, `users/${id}/reviews`, `users/${id}/stats`)
  const answers = await Promise.all(paths.map((path) => person.get(path)))
  return answers.map(({ status, text }) => (expect(status).toBe(200), text)).join('\n')
}

test('a member of a chat reviews the other, whatever user the body names', async () => {
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

test('of two concurrent reviews of a chat, one gets 201 and one 409', async () => {
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

test('invalid reviews are refused and change nothing', async () => {
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
  // 1000 characters are accepted, however many bytes they take.
  expect((await ada.post('reviews', { chat_id: chatId, rating: 5, text: '🍵'.repeat(1000) })).status).toBe(201)
})

test('an erased account cannot be reviewed', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  await app.rows('UPDATE users SET deleted_at = 1, name = NULL WHERE id = ?', bob.id)
  expect((await ada.post('reviews', { chat_id: chatId, rating: 5 })).status).toBe(404)
  expect(await app.rows('SELECT * FROM reviews')).toEqual([])
  for (const path of ['reviews', 'stats']) expect((await ada.get(`users/${bob.id}/${path}`)).status).toBe(404)
})

test('stats equal the reviews, rounded half up to two decimals', async () => {
  const app = await testApp()
  const bob = await app.person()
  const ratings = [5, 4, 4, 1, 3, 5, 2, 5]
  let sum = 0
  for (const [i, rating] of ratings.entries()) {
    const ada = await app.person()
    await ada.post('reviews', { chat_id: await app.met(ada, bob), rating })
    sum += rating
    const { body } = await ada.get(`users/${bob.id}/stats`)
    const rows = await app.rows<{ rating: number }>('SELECT rating FROM reviews WHERE reviewed_id = ?', bob.id)
    expect(rows.reduce((total, row) => total + row.rating, 0)).toBe(sum)
    expect(body).toEqual({ user_id: bob.id, rating_avg: Math.round((100 * sum) / (i + 1)) / 100, count: i + 1 })
  }
  // 29 / 8 is 3.625, which is rounded up, independent of binary fractions.
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

test('nothing that the reviewed user can request names the author of an anonymous review', async () => {
  const app = await testApp()
  const bob = await app.person('Bob')
  const [ada, cleo] = [await app.person('Ada'), await app.person('Cleo')]
  const chats = [await app.met(ada, bob), await app.met(cleo, bob)]
  await bob.get('chats')
  const before = await everythingShownTo(bob, [ada, cleo])
  app.clock.now += 4321
  const written = await ada.post('reviews', { chat_id: chats[0], rating: 1, anonymous: true })
  const after = await everythingShownTo(bob, [ada, cleo])
  const times = (text: string, id: string) => text.split(id).length - 1
  // What named Ada or the chat before still does (the chat list, her profile), but the review adds no mention.
  for (const id of [ada.id, ...chats]) expect(times(after, id)).toBe(times(before, id))
  expect(after).toContain(written.body.id)
  expect(after).not.toContain(written.body.created_at)
  // Nor does a report about it.
  const report = await bob.post('reports', { review_id: written.body.id, reason: 'other' })
  expect(report.text).not.toContain(ada.id)
  expect((await bob.get('reports')).text).not.toContain(ada.id)
})

test('the order of a list reveals only the day', async () => {
  const app = await testApp()
  const bob = await app.person()
  const written: { id: string; day: number }[] = []
  for (let i = 0; i < 12; i++) {
    app.clock.now += i === 6 ? days : 60_000
    const ada = await app.person()
    const review = await ada.post('reviews', { chat_id: await app.met(ada, bob), rating: 5, anonymous: true })
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
  // The ids are random: twelve in the order of writing, either way, would be one chance in millions.
  expect(seen).not.toEqual(written.map(({ id }) => id).reverse())
  expect((await bob.get(`users/${bob.id}/reviews?cursor=nonsense`)).status).toBe(422)
  const { next_cursor } = (await bob.get(`users/${bob.id}/reviews?limit=5`)).body
  expect((await bob.get(`users/${bob.id.toUpperCase()}/reviews?cursor=${next_cursor}`)).status).toBe(200)
  const cleo = await app.person()
  const elsewhere = await bob.get(`users/${cleo.id}/reviews?cursor=${next_cursor}`)
  expect(elsewhere.body).toMatchObject({ status: 422, errors: [{ path: '/cursor' }] })
})

test('reviews are public, and an invalid token is ignored', async () => {
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
  // A valid token identifies the viewer, in any of its places.
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

test('a removed review leaves no trace in a replay', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const { body } = await ada.post('reviews', { chat_id: chatId, rating: 1, text: 'Insults.' })
  await app.rows('DELETE FROM reviews WHERE id = ?', body.id)
  const events = await eventsOf(bob)
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2])
  expect(JSON.stringify(events)).not.toContain('Insults.')
})

const dueReviews = ({ services }: TestApp) =>
  jobs(services)
    .find(({ name }) => name === 'due-reviews')!
    .run()

const reviewsOf = async (viewer: Person, { id }: Person) => (await viewer.get(`users/${id}/reviews`)).body.items
const statsOf = async (viewer: Person, { id }: Person) => (await viewer.get(`users/${id}/stats`)).body
const reviewEvents = async (person: Person) =>
  (await eventsOf(person)).filter(({ type }: { type: string }) => type === 'review')

/** New tokens for those that have expired. */
async function signInAgain(app: TestApp, people: Person[]) {
  for (const person of people) {
    const { body } = await app.request('POST', 'auth/login', { body: { email: person.email, password } })
    Object.assign(person, app.as(body.access_token))
  }
}

/** An app whose anonymous reviews appear after that fraction of a day. */
const delayed = (fraction: number) => testApp({ ANONYMOUS_REVIEW_DELAY_H: '24' }, { random: () => fraction })

test('a review needs a message from both, deleted or not, and is refused before', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat_id = (await ada.post('chats', { user_id: bob.id })).body.id
  const refused = async (by: Person) => {
    const { status, body } = await by.post('reviews', { chat_id, rating: 1, anonymous: true })
    expect([status, body.code]).toEqual([403, 'awaiting_reply'])
  }
  for (const person of [ada, bob]) await refused(person)
  const hello = (await ada.post(`chats/${chat_id}/messages`, { text: 'Hello' })).body
  for (const person of [ada, bob]) await refused(person)
  await ada.post(`chats/${chat_id}/messages`, { text: 'Anybody there?' })
  await refused(ada)
  expect(await app.rows('SELECT id FROM reviews')).toEqual([])
  expect(await reviewEvents(bob)).toEqual([])
  const answer = (await bob.post(`chats/${chat_id}/messages`, { text: 'Here' })).body
  await bob.delete(`messages/${answer.id}`)
  await ada.delete(`messages/${hello.id}`)
  expect((await ada.post('reviews', { chat_id, rating: 5 })).status).toBe(201)
})

test('five new accounts that only opened a chat cannot review a stranger', async () => {
  const app = await testApp()
  const target = await app.person()
  for (let i = 0; i < 5; i++) {
    const fresh = await app.person()
    const chat_id = (await fresh.post('chats', { user_id: target.id })).body.id
    await fresh.post(`chats/${chat_id}/messages`, { text: 'Hello' })
    expect((await fresh.post('reviews', { chat_id, rating: 1, anonymous: true })).status).toBe(403)
  }
  expect(await statsOf(target, target)).toMatchObject({ rating_avg: null, count: 0 })
})

test('no review is stored after a block was answered', async () => {
  const app = await testApp()
  for (let round = 0; round < 12; round++) {
    const { ada, bob, chatId } = await pair(app)
    let isBlocked = false
    const [review] = await Promise.all([
      ada.post('reviews', { chat_id: chatId, rating: 1 }).then((answer) => ({ answer, late: isBlocked })),
      bob.post('blocks', { user_id: ada.id }).then(() => (isBlocked = true)),
    ])
    const { count } = await statsOf(bob, bob)
    expect(count).toBe(review.answer.status === 201 ? 1 : 0)
    if (review.answer.status !== 201) expect([review.answer.status, review.answer.body.code]).toEqual([403, 'blocked'])
  }
})

test('an anonymous review is reported by rules when it appears, and not before', async () => {
  const app = await delayed(0.99)
  const root = await app.person('Root')
  await app.services.storage.users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
  const rule = (name: string, word: string, more: Record<string, unknown> = {}) => ({
    ...{ name, on: true, applies_to: ['review'], action: 'flag', match: { type: 'words', words: [word] } },
    ...more,
  })
  // In scope as of when it was written.
  await root.post('admin/rules', rule('Bananas', 'banana', { scope: { account_younger_than_h: 12 } }))
  await root.post('admin/rules', rule('Apples', 'apple', { scope: { account_younger_than_h: 1 } }))
  const { ada, bob, chatId } = await pair(app)
  app.clock.now += 2 * hours
  await signInAgain(app, [root, ada])
  const text = 'A banana, an apple and a cherry'
  const { id } = (await ada.post('reviews', { chat_id: chatId, rating: 1, anonymous: true, text })).body
  const queue = async () => (await root.get('admin/reports')).body.items
  // Rules made meanwhile count as well, also those that refuse: the review is accepted already.
  await root.post('admin/rules', rule('Cherries', 'cherry', { action: 'refuse' }))
  await dueReviews(app)
  expect(await queue()).toEqual([])
  app.clock.now += days
  await signInAgain(app, [root, bob])
  await dueReviews(app)
  await dueReviews(app)
  expect(await queue()).toMatchObject([
    { kind: 'rule', review_id: id, subject_id: null, details: 'By rule: Bananas, Cherries' },
  ])
  expect(await reviewsOf(bob, bob)).toMatchObject([{ id, text }])
})

test('an anonymous review appears at a random moment: nothing shows it before, and everything after', async () => {
  const app = await delayed(0.5)
  const { ada, bob, chatId } = await pair(app)
  const cleo = await app.person('Cleo')
  const other = await app.met(cleo, bob)
  await cleo.post('reviews', { chat_id: other, rating: 5 })
  const before = await everythingShownTo(bob, [ada, cleo])
  app.clock.now += 654_321
  const written = await ada.post('reviews', { chat_id: chatId, rating: 2, anonymous: true, text: 'Late.' })
  // Its author sees it at once, completely.
  expect(written.status).toBe(201)
  const mine = { ...written.body }
  expect(mine).toMatchObject({
    reviewer_id: ada.id,
    chat_id: chatId,
    created_at: new Date(app.clock.now).toISOString(),
  })
  expect((await ada.get('me/export')).body.reviews_written).toEqual([mine])
  const isHidden = async () => {
    expect(await dueReviews(app)).toBe(0)
    expect(await everythingShownTo(bob, [ada, cleo])).toBe(before)
    expect((await bob.get('me/export')).text).not.toContain('Late.')
    for (const viewer of [ada, cleo]) expect(await reviewsOf(viewer, bob)).toHaveLength(1)
    expect(await statsOf(cleo, bob)).toMatchObject({ rating_avg: 5, count: 1 })
    for (const viewer of [bob, cleo]) {
      const report = await viewer.post('reports', { review_id: mine.id, reason: 'other' })
      expect([report.status, report.body.code]).toEqual([404, 'not_found'])
    }
    // The chat's review counts already.
    for (const member of [ada, bob])
      expect((await member.post('reviews', { chat_id: chatId, rating: 4 })).body.code).toBe('review_exists')
  }
  await isHidden()
  app.clock.now += 12 * hours - 1
  await signInAgain(app, [ada, bob, cleo])
  await isHidden()
  app.clock.now += 1
  expect(await dueReviews(app)).toBe(1)
  expect(await dueReviews(app)).toBe(0)
  const day = new Date(Math.floor(app.clock.now / days) * days).toISOString()
  const listed = { ...mine, reviewer_id: null, chat_id: null, created_at: day }
  expect(await reviewsOf(cleo, bob)).toContainEqual(listed)
  expect(await statsOf(cleo, bob)).toMatchObject({ rating_avg: 3.5, count: 2 })
  expect((await reviewEvents(bob)).at(-1)).toMatchObject({ at: day, data: listed })
  expect((await ada.get('me/export')).body.reviews_written).toEqual([
    { ...mine, created_at: new Date(app.clock.now).toISOString() },
  ])
  // No stored data reveals any longer when it was written.
  const kept =
    JSON.stringify(await app.rows('SELECT * FROM reviews')) +
    JSON.stringify(await app.rows("SELECT * FROM audit_log WHERE action = 'review'"))
  expect(kept).toContain(mine.id)
  expect(kept).not.toContain(String(Date.parse(mine.created_at)))
  for (const member of [ada, bob])
    expect((await member.post('reviews', { chat_id: chatId, rating: 4 })).body.code).toBe('review_exists')
})

test('other actions between the writing of an anonymous review and its appearance do not reveal the time of writing', async () => {
  const app = await delayed(0.005)
  const { ada, bob, chatId } = await pair(app)
  await ada.post('reviews', { chat_id: chatId, rating: 2, anonymous: true })
  const others = []
  for (let i = 0; i < 3; i++) others.push(await app.met(await app.person(), bob))
  app.clock.now += 10 * minutes
  expect(await dueReviews(app)).toBe(1)
  const events = await eventsOf(bob)
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['chat', 'chat', 'chat', 'chat', 'review'])
})

test('a review with its author’s name, or without a delay, appears at once', async () => {
  const app = await delayed(0.9)
  const named = await pair(app)
  await named.ada.post('reviews', { chat_id: named.chatId, rating: 4 })
  expect(await statsOf(named.ada, named.bob)).toMatchObject({ count: 1 })
  const prompt = await testApp({ ANONYMOUS_REVIEW_DELAY_H: '0' }, { random: () => 0.9 })
  const { ada, bob, chatId } = await pair(prompt)
  await ada.post('reviews', { chat_id: chatId, rating: 4, anonymous: true })
  expect(await statsOf(ada, bob)).toMatchObject({ count: 1 })
  expect(await reviewEvents(bob)).toHaveLength(1)
})

test('an anonymous review appears despite a later block, and without an author who was erased', async () => {
  const app = await delayed(0.2)
  const { ada, bob, chatId } = await pair(app)
  await ada.post('reviews', { chat_id: chatId, rating: 2, anonymous: true, text: 'Rude.' })
  await bob.post('blocks', { user_id: ada.id })
  await ada.delete('me', { password })
  app.clock.now += 5 * hours
  expect(await dueReviews(app)).toBe(1)
  const viewer = await app.person()
  expect(await reviewsOf(viewer, bob)).toMatchObject([{ rating: 2, text: 'Rude.', reviewer_id: null }])
  expect(await app.rows('SELECT reviewer_id FROM reviews')).toEqual([{ reviewer_id: null }])
})

test('an anonymous review of a user who is erased before it appears never does', async () => {
  const app = await delayed(0.2)
  const { ada, bob, chatId } = await pair(app)
  await ada.post('reviews', { chat_id: chatId, rating: 2, anonymous: true, text: 'Rude.' })
  await bob.delete('me', { password })
  expect(await app.rows('SELECT * FROM pending_reviews')).toEqual([])
  app.clock.now += 5 * hours
  expect(await dueReviews(app)).toBe(0)
  expect(await app.rows('SELECT * FROM reviews')).toEqual([])
})

test('the moment of appearance is random over the whole delay', () => {
  const review = { anonymous: true, created_at: 1000 }
  expect(appearsAt(review, 24 * hours, 0)).toBe(1000)
  expect(appearsAt(review, 24 * hours, 0.5)).toBe(1000 + 12 * hours)
  expect(appearsAt(review, 24 * hours, 1 - 2 ** -32)).toBe(1000 + 24 * hours - 1)
  expect(appearsAt(review, 0, 0.5)).toBeNull()
  expect(appearsAt({ ...review, anonymous: false }, 24 * hours, 0.5)).toBeNull()
})

test('the reason of a refusal, if several apply at once', () => {
  const fine = { blocked: false, hasReview: false, bothLiving: true, bothWrote: true }
  expect(reviewVerdict(fine)).toBeNull()
  expect(reviewVerdict({ ...fine, bothWrote: false })).toBe('awaiting_reply')
  expect(reviewVerdict({ ...fine, bothLiving: false, bothWrote: false })).toBe('gone')
  expect(reviewVerdict({ ...fine, hasReview: true, bothLiving: false })).toBe('review_exists')
  expect(reviewVerdict({ blocked: true, hasReview: true, bothLiving: false, bothWrote: false })).toBe('blocked')
})
