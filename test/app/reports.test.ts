import { expect, test } from 'bun:test'
import { type Person, testApp, type TestApp } from '../app.ts'
import { granted } from '../rows.ts'

const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

async function pair(app: TestApp) {
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  return { ada, bob, chatId: await app.met(ada, bob) }
}

async function moderatorOf(app: TestApp): Promise<Person> {
  const moderator = await app.person('Mo')
  await app.services.storage.users.setRole(moderator.id, 'moderator', granted(moderator.id, app.clock.now))
  return moderator
}

async function send(from: Person, chatId: string, text: string) {
  return (await from.post(`chats/${chatId}/messages`, { text })).body
}

async function uploaded(person: Person): Promise<{ id: string; url: string }> {
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(8, 8, { fit: 'fill' }).png().bytes()]), 'a.png')
  return (await person.post('media', form)).body
}

const rowsOf = ({ rows }: TestApp) => rows<{ id: string }>('SELECT id FROM reports')
const evidenceOf = async (moderator: Person, report: { body: { id: string } }) =>
  (await moderator.get(`admin/reports/${report.body.id}`)).body.evidence

test('a user, a message and a review can be reported, and the reporter sees their own', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const message = await send(bob, chatId, 'Buy this')
  const review = (await bob.post('reviews', { chat_id: chatId, rating: 1 })).body
  const targets = [{ user_id: bob.id }, { message_id: message.id }, { review_id: review.id }]
  for (const target of targets) {
    app.clock.now += 1000
    const { status, body } = await ada.post('reports', { ...target, reason: 'spam', details: ' Twice. ' })
    expect(status).toBe(201)
    expect(body).toEqual({ id: expect.any(String), status: 'open', created_at: new Date(app.clock.now).toISOString() })
  }
  const { items } = (await ada.get('reports')).body
  expect(items).toEqual(
    targets.toReversed().map((target) => ({
      id: expect.any(String),
      user_id: null,
      message_id: null,
      review_id: null,
      ...target,
      reason: 'spam',
      details: 'Twice.',
      status: 'open',
      action: null,
      created_at: expect.any(String),
      resolved_at: null,
    })),
  )
  expect((await bob.get('reports')).body.items).toEqual([])
})

test('invalid reports are refused and nothing is stored', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const stranger = await app.person()
  const gone = await app.person()
  await app.rows('UPDATE users SET deleted_at = 1, name = NULL WHERE id = ?', gone.id)
  const own = await send(ada, chatId, 'Hello')
  const message = await send(bob, chatId, 'Hello')
  const ownReview = (await ada.post('reviews', { chat_id: chatId, rating: 5, anonymous: true })).body
  const reason = 'other'
  const cases: [Person, object, number, string][] = [
    [ada, { reason }, 422, 'validation_failed'],
    [ada, { user_id: bob.id, message_id: message.id, reason }, 422, 'validation_failed'],
    [ada, { user_id: bob.id, review_id: ownReview.id, message_id: message.id, reason }, 422, 'validation_failed'],
    [ada, { user_id: bob.id }, 422, 'validation_failed'],
    [ada, { user_id: bob.id, reason: 'boring' }, 422, 'validation_failed'],
    [ada, { user_id: bob.id, reason: ['spam'] }, 422, 'validation_failed'],
    [ada, { user_id: 'bob', reason }, 422, 'validation_failed'],
    [ada, { user_id: bob.id, reason, details: 'x'.repeat(2001) }, 422, 'validation_failed'],
    [ada, { user_id: ada.id, reason }, 422, 'self_not_allowed'],
    [ada, { message_id: own.id, reason }, 422, 'self_not_allowed'],
    [ada, { review_id: ownReview.id, reason }, 422, 'self_not_allowed'],
    [ada, { user_id: unknown, reason }, 404, 'not_found'],
    [ada, { user_id: gone.id, reason }, 404, 'not_found'],
    [ada, { message_id: unknown, reason }, 404, 'not_found'],
    [ada, { review_id: unknown, reason }, 404, 'not_found'],
    [stranger, { message_id: message.id, reason }, 403, 'not_a_member'],
  ]
  for (const [person, body, status, code] of cases) {
    const answer = await person.post('reports', body)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  }
  expect((await app.request('POST', 'reports', { body: { user_id: bob.id, reason } })).status).toBe(401)
  expect(await rowsOf(app)).toEqual([])
  const several = await ada.post('reports', { user_id: bob.id, message_id: message.id, reason })
  expect(several.body.errors.map(({ path }: { path: string }) => path)).toEqual(['/user_id', '/message_id'])
})

test('a reporter has one open report for each target, even concurrently, and can file another after its decision', async () => {
  const app = await testApp()
  const { ada, bob } = await pair(app)
  const [cleo, moderator] = [await app.person(), await moderatorOf(app)]
  const report = () => ada.post('reports', { user_id: bob.id, reason: 'spam' })
  const answers = await Promise.all(Array.from({ length: 20 }, report))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  const first = answers[0]!.body.id
  // The report keeps its first reason, and gets the new details.
  const otherReason = await ada.post('reports', { user_id: bob.id, reason: 'scam', details: 'More' })
  expect([otherReason.status, otherReason.body.id]).toEqual([200, first])
  expect((await ada.get('reports')).body.items).toMatchObject([{ reason: 'spam', details: 'More' }])
  const again = { user_id: bob.id, reason: 'spam', details: 'Even more' }
  for (let i = 0; i < 2; i++) expect((await ada.post('reports', again)).status).toBe(200)
  expect((await ada.get('reports')).body.items).toMatchObject([{ reason: 'spam', details: 'More\nEven more' }])
  expect((await cleo.post('reports', { user_id: bob.id, reason: 'spam' })).status).toBe(201)
  await moderator.post(`admin/reports/${first}/resolve`, { action: 'dismiss', note: 'Nothing there.' })
  const next = await report()
  expect(next.status).toBe(201)
  expect(next.body.id).not.toBe(first)
})

test('a report works across a block', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const message = await send(bob, chatId, 'Insult')
  await ada.post('blocks', { user_id: bob.id })
  await bob.post('blocks', { user_id: ada.id })
  expect((await ada.post('reports', { user_id: bob.id, reason: 'harassment' })).status).toBe(201)
  expect((await ada.post('reports', { message_id: message.id, reason: 'harassment' })).status).toBe(201)
})

test('evidence is the content as it was when reported, whatever happens later', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const moderator = await moderatorOf(app)
  await bob.put('me', { city: 'Oslo', bio: 'Nice.' })
  const talk: any[] = []
  for (let i = 0; i < 15; i++) {
    app.clock.now += 1000
    talk.push(await send(i % 2 ? ada : bob, chatId, `Message ${i}`))
  }
  const reported = talk[8]
  app.clock.now += 1000
  const firstEdit = new Date(app.clock.now).toISOString()
  await bob.put(`messages/${reported.id}`, { text: 'Message 8, softer' })
  app.clock.now += 1000
  const secondEdit = new Date(app.clock.now).toISOString()
  await bob.put(`messages/${reported.id}`, { text: 'Message 8, harmless' })
  const report = await ada.post('reports', { message_id: reported.id, reason: 'harassment' })

  app.clock.now += 1000
  for (const { id, sender_id } of talk) await (sender_id === ada.id ? ada : bob).delete(`messages/${id}`)
  await bob.put('me', { name: 'Robert', city: null, bio: null })

  const evidence = await evidenceOf(moderator, report)
  expect(evidence.message).toMatchObject({
    id: reported.id,
    sender_id: bob.id,
    text: 'Message 8, harmless',
    deleted: false,
    edited: true,
  })
  expect(evidence.versions).toEqual([
    { text: 'Message 8', at: firstEdit },
    { text: 'Message 8, softer', at: secondEdit },
  ])
  const texts = (messages: { text: string }[]) => messages.map(({ text }) => text)
  expect(texts(evidence.before)).toEqual([3, 4, 5, 6, 7].map((i) => `Message ${i}`))
  expect(texts(evidence.after)).toEqual([9, 10, 11, 12, 13].map((i) => `Message ${i}`))
  expect(evidence.user).toMatchObject({ id: bob.id, name: 'Bob', city: 'Oslo', bio: 'Nice.' })
  expect(evidence.user).not.toContainKeys(['email', 'phone', 'messenger_id'])
  expect(evidence.review).toBeNull()
  // Five on each side: moderators do not see the rest of the chat.
  for (const path of [`chats/${chatId}`, `chats/${chatId}/messages`])
    expect((await moderator.get(path)).body.code).toBe('not_a_member')
})

test('the text of a deleted message is among its versions, and a deleted neighbour stays a tombstone', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const moderator = await moderatorOf(app)
  const [neighbour, message] = [await send(bob, chatId, 'Private'), await send(bob, chatId, 'Insult')]
  await bob.delete(`messages/${neighbour.id}`)
  await bob.delete(`messages/${message.id}`)
  const report = await ada.post('reports', { message_id: message.id, reason: 'harassment' })
  expect(report.status).toBe(201)
  const evidence = await evidenceOf(moderator, report)
  expect(evidence.message).toMatchObject({ id: message.id, text: null, deleted: true })
  expect(evidence.versions).toEqual([{ text: 'Insult', at: '2026-11-21T12:00:00.000Z' }])
  expect(evidence.before).toMatchObject([{ id: neighbour.id, text: null, deleted: true }])
  expect(JSON.stringify(evidence)).not.toContain('Private')
})

test('evidence of a message shows its photo to moderators after the message and its photo are gone', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const moderator = await moderatorOf(app)
  const [photo, face] = [await uploaded(bob), await uploaded(bob)]
  await bob.put('me', { photo: face.id })
  const message = (await bob.post(`chats/${chatId}/messages`, { kind: 'photo', photo: photo.id })).body
  const report = await ada.post('reports', { message_id: message.id, reason: 'nudity' })
  await bob.delete(`messages/${message.id}`)
  await bob.put('me', { photo: null })
  await app.services.media.sweep()

  const evidence = await evidenceOf(moderator, report)
  expect(evidence.message.photo).toMatchObject({ id: photo.id, width: 8, height: 8 })
  expect(evidence.message.client_id).toBeNull()
  for (const url of [evidence.message.photo.url, evidence.user.photo])
    expect((await app.request('GET', url)).headers.get('content-type')).toBe('image/webp')
  // Neither its recipient nor its author can fetch it any longer.
  for (const url of [message.photo.url, photo.url, face.url]) expect((await app.request('GET', url)).status).toBe(404)

  // Nor can they show it again, which would reveal that and by whom they were reported.
  for (const { id } of [photo, face]) {
    expect((await bob.post(`chats/${chatId}/messages`, { kind: 'photo', photo: id })).status).toBe(422)
    expect((await bob.put('me', { photo: id })).status).toBe(422)
  }

  await app.rows('DELETE FROM evidence_photos')
  await app.services.media.drop([photo.id, face.id])
  expect((await app.request('GET', evidence.message.photo.url)).status).toBe(404)
})

test('a report of a review stores the review, and names an anonymous author only to moderators', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const moderator = await moderatorOf(app)
  const review = (await ada.post('reviews', { chat_id: chatId, rating: 1, anonymous: true, text: 'Bad.' })).body
  const report = await bob.post('reports', { review_id: review.id, reason: 'hate' })
  await app.rows('DELETE FROM reviews')
  const shown = (await moderator.get(`admin/reports/${report.body.id}`)).body
  expect(shown).toMatchObject({ subject_id: ada.id, user_id: null, review_id: review.id })
  expect(shown.evidence).toEqual({
    message: null,
    versions: [],
    before: [],
    after: [],
    review,
    user: expect.objectContaining({ id: ada.id, name: 'Ada' }),
  })
  expect((await bob.get('reports')).text).not.toContain(ada.id)
})

test('a review whose author is erased can still be reported', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const moderator = await moderatorOf(app)
  const review = (await ada.post('reviews', { chat_id: chatId, rating: 1, text: 'Bad.' })).body
  await app.rows('UPDATE reviews SET reviewer_id = NULL')
  const report = await bob.post('reports', { review_id: review.id, reason: 'hate' })
  expect(report.status).toBe(201)
  expect((await evidenceOf(moderator, report)).user).toBeNull()
  const resolve = (action: string) =>
    moderator.post(`admin/reports/${report.body.id}/resolve`, { action, note: 'Hate.' })
  expect((await resolve('suspend')).body.code).toBe('conflict')
  expect((await resolve('remove_content')).status).toBe(200)
  expect((await bob.get(`users/${bob.id}/stats`)).body).toMatchObject({ rating_avg: null, count: 0 })
})

test('the number of reports per account is limited', async () => {
  const app = await testApp({ RATE_LIMIT: 'on' })
  const { ada, bob } = await pair(app)
  const report = (person: Person) => person.post('reports', { user_id: bob.id, reason: 'spam' })
  for (let i = 0; i < 20; i++) expect((await report(ada)).status).toBeLessThan(300)
  const refused = await report(ada)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await report(await app.person())).status).toBe(201)
})

test('the list is paged, newest first', async () => {
  const app = await testApp()
  const ada = await app.person()
  const ids: string[] = []
  for (let i = 0; i < 5; i++) {
    app.clock.now += 1000
    ids.unshift((await ada.post('reports', { user_id: (await app.person()).id, reason: 'spam' })).body.id)
  }
  const seen: string[] = []
  for (let cursor = ''; ;) {
    const { body } = await ada.get(`reports?limit=2${cursor}`)
    seen.push(...body.items.map(({ id }: { id: string }) => id))
    if (!body.next_cursor) break
    cursor = `&cursor=${body.next_cursor}`
  }
  expect(seen).toEqual(ids)
  expect((await ada.get('reports?limit=101')).status).toBe(422)
})

test('a photo that came after the reported message is kept as evidence too', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const moderator = await moderatorOf(app)
  const message = await send(bob, chatId, 'Look')
  const photo = await uploaded(bob)
  const shown = (await bob.post(`chats/${chatId}/messages`, { kind: 'photo', photo: photo.id })).body
  const report = await ada.post('reports', { message_id: message.id, reason: 'nudity' })
  await bob.delete(`messages/${shown.id}`)
  const evidence = await evidenceOf(moderator, report)
  expect((await app.request('GET', evidence.after[0].photo.url)).status).toBe(200)
})

test('the audit log has one entry for a report, however often it is repeated', async () => {
  const app = await testApp()
  const { ada, bob } = await pair(app)
  for (const status of [201, 200])
    expect((await ada.post('reports', { user_id: bob.id, reason: 'spam' })).status).toBe(status)
  expect(await app.services.storage.audit.list({ action: 'report' }, 10, null)).toHaveLength(1)
})

test('an external photo is not shown in evidence, because its host would learn who views it', async () => {
  const app = await testApp()
  const { ada, bob } = await pair(app)
  const moderator = await moderatorOf(app)
  await app.rows('UPDATE users SET photo = ? WHERE id = ?', 'https://example.org/bob.jpg', bob.id)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'nudity' })
  const { user } = await evidenceOf(moderator, report)
  expect(user).toMatchObject({ id: bob.id, photo: null, photo_thumb: null })
})

test('details have up to 2000 characters', async () => {
  const app = await testApp()
  const { ada, bob } = await pair(app)
  expect((await ada.post('reports', { user_id: bob.id, reason: 'spam', details: '🍵'.repeat(2000) })).status).toBe(201)
})
