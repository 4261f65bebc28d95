import { TypeCompiler } from '@sinclair/typebox/compiler'
import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { exported } from '../../src/features/account/model.ts'
import { days, minutes } from '../../src/lib/time.ts'
import { type Person, type TestApp, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { devices } from '../devices.ts'
import { granted } from '../rows.ts'

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

async function uploaded(person: Person): Promise<{ id: string; url: string }> {
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(9, 9, { fit: 'fill' }).png().bytes()]), 'a.png')
  return (await person.post('media', form)).body
}
const chatOf = async (a: Person, b: Person): Promise<string> => (await a.post('chats', { user_id: b.id })).body.id
const send = async (from: Person, chatId: string, body: object) =>
  (await from.post(`chats/${chatId}/messages`, body)).body
const actionsOf = (body: any) => body.actions.map(({ action }: any) => action)

async function people<const N extends string>({ person }: TestApp, ...names: N[]): Promise<Record<N, Person>> {
  const all = await Promise.all(names.map(async (name) => [name, await person(name)] as const))
  return Object.fromEntries(all) as Record<N, Person>
}

test('a user without any activity gets a complete document as a file', async () => {
  const app = await testApp()
  const { Ada } = await people(app, 'Ada')
  const { status, headers, body } = await Ada.get('me/export')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/json')
  expect(headers.get('content-disposition')).toBe('attachment; filename="convene-export.json"')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toMatchObject({
    account: (await Ada.get('me')).body,
    preferences: { drinks: [], language: 'en' },
    location: { latitude: null, longitude: null, visible: true, updated_at: null, recognised_places: 0 },
    sessions: [{ user_agent: 'test', ended_at: null }],
    consents: ['disclaimer', 'privacy', 'terms'].map((kind) => ({ kind, accepted: true, address: '203.0.113.0/24' })),
    actions: [{ action: 'export' }],
  })
  for (const list of ['blocks', 'reports', 'notices', 'appeals', 'images', 'chats', 'reviews_written'])
    expect([list, body[list]]).toEqual([list, []])
  expectProblem(await app.request('GET', 'me/export'), 401, 'unauthenticated')
})

test('everything stored about the caller is in it, in the documented form', async () => {
  const app = await testApp({}, { providers: devices().providers })
  const { Ada, Bob, Mo } = await people(app, 'Ada', 'Bob', 'Mo')
  await app.services.storage.users.setRole(Mo.id, 'moderator', granted(Mo.id, app.clock.now))
  await Ada.put('me', { bio: 'I like rivers', gender: 'female' })
  await Ada.put('me/prefs', { drinks: ['tea'], language: 'de' })
  const { body: place } = await Ada.put('me/location', { latitude: 52.5163, longitude: 13.3777 })
  await Ada.post('auth/consents', { consents: { marketing: true } })
  await Ada.post('auth/consents', { consents: { marketing: false } })
  const ended = await app.services.auth.begin(Ada.id, { address: '', user_agent: 'old phone', language: null })
  await app.as(ended.access_token).post('auth/logout')
  const image = await uploaded(Ada)
  const chatId = await chatOf(Ada, Bob)
  const first = await send(Ada, chatId, { text: 'One', client_id: 'c1' })
  await Ada.put(`messages/${first.id}`, { text: 'Two' })
  const gone = await send(Ada, chatId, { text: 'Gone' })
  await Ada.delete(`messages/${gone.id}`)
  await send(Bob, chatId, { text: 'Hello Ada', client_id: 'b1' })
  await send(Ada, chatId, { kind: 'photo', photo: image.id })
  const review = (await Ada.post('reviews', { chat_id: chatId, rating: 4, anonymous: true, text: 'Fine.' })).body
  const report = (await Ada.post('reports', { user_id: Bob.id, reason: 'spam', details: 'Twice.' })).body
  const block = (await Ada.post('blocks', { user_id: Bob.id })).body
  await Mo.post(`admin/users/${Ada.id}/suspend`, { reason: 'Rude.', note: 'For Mo alone' })
  const notice = (await Ada.get('me/notices')).body.items[0]
  await Ada.post('appeals', { notice_id: notice.id, text: 'I was not.' })
  await Mo.post(`admin/users/${Ada.id}/unsuspend`, {})
  await Ada.post('me/channels', { kind: 'fcm', token: 'the-address-of-a-phone' }, { 'user-agent': 'My phone' })
  await Ada.put('me/notifications', { digest: 'daily' })
  await Ada.put(`chats/${chatId}/mute`, { until: 'forever' })

  const { body, text } = await Ada.get('me/export')
  const whole = TypeCompiler.Compile(exported)
  expect([...whole.Errors(body)].map(({ path, message }) => `${path}: ${message}`)).toEqual([])
  expect(body.account).toMatchObject({ email: Ada.email, bio: 'I like rivers', gender: 'female' })
  expect(body.preferences).toMatchObject({ drinks: ['tea'], language: 'de' })
  expect(body.location).toEqual({ ...place, recognised_places: 1 })
  expect(body.consents.filter(({ kind }: any) => kind === 'marketing').map(({ accepted }: any) => accepted)).toEqual([
    true,
    false,
  ])
  expect(body.sessions.map((session: any) => [session.user_agent, session.ended_at !== null])).toEqual([
    ['test', false],
    ['old phone', true],
  ])
  expect(body.images).toMatchObject([{ id: image.id, width: 9 }])
  expect((await app.request('GET', body.images[0].url)).status).toBe(200)
  expect(body.reviews_written).toEqual([review])
  expect(body.reports).toMatchObject([{ id: report.id, user_id: Bob.id, details: 'Twice.', status: 'open' }])
  expect(body.blocks).toEqual([block])
  expect(body.notices.map(({ action }: any) => action).sort()).toEqual(['suspend', 'unsuspend'])
  expect(body.appeals).toMatchObject([{ notice_id: notice.id, text: 'I was not.' }])
  expect(actionsOf(body)).toEqual(expect.arrayContaining(['profile', 'preferences', 'consents', 'report', 'block']))
  expect(body.chats).toMatchObject([{ id: chatId, user: { id: Bob.id, name: 'Bob' } }])
  expect(
    body.chats[0].messages.map((m: any) => [
      m.sender_id,
      m.text,
      m.client_id,
      m.earlier_versions.map((v: any) => v.text),
    ]),
  ).toEqual([
    [Ada.id, 'Two', 'c1', ['One']],
    [Ada.id, null, null, ['Gone']],
    [Bob.id, 'Hello Ada', null, []],
    [Ada.id, null, null, []],
  ])
  expect((await app.request('GET', body.chats[0].messages[3].photo.url)).status).toBe(200)
  expect(body.notifications).toMatchObject({
    preferences: { digest: 'daily', preview: 'name' },
    channels: [{ kind: 'fcm', label: 'My phone' }],
    muted_chats: [{ chat_id: chatId, muted_until: '9999-12-31T00:00:00.000Z' }],
  })
  expect(text).not.toContain('the-address-of-a-phone')
  expect(text).not.toContain('For Mo alone')
  expect(text).not.toContain('argon2')
})

test('about others it contains only what they sent, and nothing private', async () => {
  const app = await testApp()
  const { Ada, Bob, Cay } = await people(app, 'Ada', 'Bob', 'Cay')
  await app.rows("UPDATE users SET phone = '+4915100000000', messenger_id = '5566001100220' WHERE id = ?", Bob.id)
  await Bob.put('me', { bio: 'Secret bio' })
  const { body: place } = await Bob.put('me/location', { latitude: 48.1, longitude: 11.5 })
  const chatId = await chatOf(Ada, Bob)
  const edited = await send(Bob, chatId, { text: 'Before the edit', client_id: 'bobs-own' })
  await Bob.put(`messages/${edited.id}`, { text: 'After the edit' })
  const taken = await send(Bob, chatId, { text: 'Taken back' })
  await Bob.delete(`messages/${taken.id}`)
  const mine = await send(Ada, chatId, { text: 'Mine' })
  await send(Cay, await chatOf(Cay, Bob), { text: 'Not for Ada' })
  app.clock.now += 5 * minutes
  const review = (
    await Cay.post('reviews', { chat_id: await app.met(Cay, Ada), rating: 1, anonymous: true, text: 'Late.' })
  ).body
  const report = (await Bob.post('reports', { message_id: mine.id, reason: 'spam', details: 'Told on Ada' })).body
  const block = (await Bob.post('blocks', { user_id: Ada.id })).body

  const { body, text } = await Ada.get('me/export')
  expect(text).toContain('After the edit')
  const hidden = [Bob.email, '+4915100000000', '5566001100220', 'Secret bio', String(place.latitude), 'Before the edit']
  hidden.push('Taken back', 'bobs-own', 'Not for Ada', report.id, 'Told on Ada', block.id)
  for (const secret of hidden) expect(text).not.toContain(secret)
  // An anonymous review has neither its author nor the chat, and only the day of its time.
  expect(body.reviews_received).toEqual([
    {
      ...review,
      reviewer_id: null,
      chat_id: null,
      created_at: new Date(Math.floor(app.clock.now / days) * days).toISOString(),
    },
  ])
  // Ada sees that there is a chat with Cay, as in the app, but nothing that connects it to the review.
  expect(body.chats.map(({ user }: any) => user.name).sort()).toEqual(['Bob', 'Cay'])
  expect(actionsOf(body)).not.toContain('report')
})

test('an image that is kept only as evidence of a report is left out, as it would reveal the report', async () => {
  const app = await testApp()
  const { Ada, Bob } = await people(app, 'Ada', 'Bob')
  const [image, other] = [await uploaded(Ada), await uploaded(Ada)]
  const chatId = await chatOf(Ada, Bob)
  const sent = await send(Ada, chatId, { kind: 'photo', photo: image.id })
  await Bob.post('reports', { message_id: sent.id, reason: 'nudity' })
  const shown = async () => (await Ada.get('me/export')).body.images.map(({ id }: any) => id)
  expect(await shown()).toEqual([image.id, other.id])
  await Ada.delete(`messages/${sent.id}`)
  expect(await shown()).toEqual([other.id])
})

test('long lists and chats are complete and in order, however many pages they take', async () => {
  const app = await testApp()
  const { Ada, Bob } = await people(app, 'Ada', 'Bob')
  const chatId = await chatOf(Ada, Bob)
  const { chats, accounts } = app.services.storage
  const message = (i: number) => ({
    id: Bun.randomUUIDv7(),
    chat_id: chatId,
    sender_id: i % 3 === 0 ? Ada.id : Bob.id,
    kind: 'text' as const,
    text: `Message ${i} with “quotes” and \u{1f600}`,
    photo_id: null,
    client_id: null,
    created_at: app.clock.now,
  })
  const count = 2345
  // As many at once as a server accepts.
  for (let i = 0; i < count; i += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, count - i) }, (_, n) => chats.append(message(i + n), Bob.id, null)),
    )
  const client = { address: '203.0.113.7', user_agent: 'test', language: null }
  const entries = Array.from({ length: 401 }, () => app.services.consents.entries(Ada.id, { marketing: true }, client))
  await accounts.recordConsents(Ada.id, entries.flat())
  for (let i = 0; i < 205; i++) await app.services.audit.record('counted', Ada.id)

  const { body } = await Ada.get('me/export')
  expect(body.chats[0].messages.map(({ text }: any) => text)).toEqual(
    Array.from({ length: count }, (_, i) => message(i).text),
  )
  expect(body.consents.filter(({ kind }: any) => kind === 'marketing')).toHaveLength(401)
  expect(actionsOf(body).filter((action: string) => action === 'counted')).toHaveLength(205)
})

test('a slow reader slows the export down, so that memory holds only parts of the document', async () => {
  const app = await testApp()
  const { Ada, Bob } = await people(app, 'Ada', 'Bob')
  const chatId = await chatOf(Ada, Bob)
  const text = 'x'.repeat(4000)
  for (let seq = 1; seq <= 8000; seq += 1000) {
    const values = Array.from({ length: 1000 }, () => "(?, ?, ?, ?, 'text', ?, 1)").join()
    await app.rows(
      `INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, created_at) VALUES ${values}`,
      ...Array.from({ length: 1000 }, (_, i) => [Bun.randomUUIDv7(), chatId, seq + i, Bob.id, text]).flat(),
    )
  }
  let read = 0
  for (const { services } of app.nodes) {
    const { chats } = services.storage
    const { after } = chats
    chats.after = async (...asked) => {
      const found = await after(...asked)
      read += found.length
      return found
    }
  }
  const { hostname, port } = await app.listen()
  // Not `fetch`, which reads ahead.
  const reader = connect({ host: hostname, port: Number(port) })
  let length = 0
  reader.on('data', (chunk) => void (length += chunk.length))
  reader.write(
    `GET /api/v1/me/export HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${Ada.token}\r\n\r\n`,
  )
  await once(reader, 'data')
  reader.pause()
  // The sockets of both sides take some megabytes, and the document has 33.
  for (let before = -1; before !== read;) {
    before = read
    await Bun.sleep(100)
  }
  expect(read).toBeLessThan(6000)
  reader.resume()
  await once(reader, 'end')
  expect(read).toBe(8000)
  expect(length).toBeGreaterThan(20_000_000)
})

test('the eleventh export within an hour is refused', async () => {
  const app = await testApp({ RATE_LIMIT: 'on' })
  const { Ada } = await people(app, 'Ada')
  for (let i = 0; i < 10; i++) expect((await Ada.get('me/export')).status).toBe(200)
  expectProblem(await Ada.get('me/export'), 429, 'rate_limited')
})

test('an earlier version has the time until which it was shown', async () => {
  const app = await testApp()
  const { Ada, Bob } = await people(app, 'Ada', 'Bob')
  const { id } = await send(Ada, await chatOf(Ada, Bob), { text: 'One' })
  app.clock.now += 5 * minutes
  const until = new Date(app.clock.now).toISOString()
  await Ada.put(`messages/${id}`, { text: 'Two' })
  app.clock.now += 5 * minutes
  const { body } = await Ada.get('me/export')
  expect(body.chats[0].messages[0].earlier_versions).toEqual([{ text: 'One', until }])
})
