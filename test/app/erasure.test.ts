import { sign } from '@tma.js/init-data-node'
import { afterAll, expect, spyOn, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openErasureJournal } from '../../src/storage/files/erasure-journal.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { type Answer, consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { passkeyOf } from '../authenticator.ts'
import { startServer } from '../convene.ts'
import { nodesOfApps, openSqliteAt, sqliteTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'
import { deliver, devices } from '../devices.ts'
import { connect, ofType } from '../socket-client.ts'
import { granted } from '../rows.ts'

const folder = mkdtempSync(join(tmpdir(), 'convene-erasure-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const onDisk = (environment: Record<string, string> = {}) =>
  testApp(environment, {
    databasePath: join(folder, `${crypto.randomUUID()}.db`),
    providers: devices().providers,
  })

const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const picture = (size: number) => new Bun.Image(pixel).resize(size, size, { fit: 'fill' }).png().bytes()

async function uploaded(person: Pick<Person, 'post'>, size = 16): Promise<{ id: string; url: string }> {
  const form = new FormData()
  form.append('file', new Blob([await picture(size)]), 'a.png')
  return (await person.post('media', form)).body
}

const chatOf = async (a: Person, b: { id: string }): Promise<string> =>
  (await a.post('chats', { user_id: b.id })).body.id
const send = async (from: Pick<Person, 'post'>, chatId: string, body: object) =>
  (await from.post(`chats/${chatId}/messages`, body)).body
const botToken = '7000000000:a-token-of-the-tests'
const erase = (person: Pick<Person, 'delete'>, body: object = { password }) => person.delete('me', body)

/** The content of all files: the database, its log, images and the journal. */
function allBytes({ dataDir, db }: TestApp): Buffer {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const database = ['', '-wal', '-shm'].map((end) => db.$client.filename + end).filter((path) => existsSync(path))
  return Buffer.concat([...files, ...database].map((path) => readFileSync(path)))
}

const double = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

const journalOf = ({ dataDir }: TestApp) => {
  const path = join(dataDir, 'erasures.log')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

test('nothing of an erased user is left in any file, and everything of others is', async () => {
  const app = await onDisk({ TRUST_PROXY: '1', MESSENGER_BOT_TOKEN: '1234567890:test' })
  const [bob, cay] = [await app.person('Bob'), await app.person('Cay')]
  const registered = await app.request('POST', 'auth/register', {
    body: {
      email: 'mark-email@example.org',
      phone: '+4915112345678',
      password,
      name: 'Mark-Name',
      city: 'Mark-City',
      bio: 'Mark-Bio',
      gender: 'other',
      consents,
    },
    headers: { 'user-agent': 'Mark-Agent/1', 'x-forwarded-for': '198.51.100.77' },
  })
  const { id } = registered.body.user
  const ada = { id, ...app.as(registered.body.access_token) } as Person
  const [hash] = await app.rows<{ h: string }>('SELECT password_hash AS h FROM users WHERE id = ?', id)
  const subject = ['oidc', 'acme', 'https://acme.example.org', 'Mark-Subject', app.clock.now]
  const columns = 'id, user_id, kind, provider, issuer, subject, created_at'
  await app.rows(`INSERT INTO identities (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`, id, id, ...subject)
  await ada.put('me/prefs', { drinks: ['Mark-Drink'], purposes: ['Mark-Purpose'], language: 'gsw-u-mark' })
  const { body: place } = await ada.put('me/location', { latitude: 47.1234567, longitude: 8.7654321 })
  const photo = await uploaded(ada)
  await ada.put('me', { photo: photo.id })

  const chatId = await chatOf(ada, bob)
  const sent = await send(ada, chatId, { text: 'Mark-Text', client_id: 'Mark-Client' })
  await send(bob, chatId, { text: 'Bob-Text' })
  await ada.put(`messages/${sent.id}`, { text: 'Mark-Edited' })
  const deleted = await send(ada, chatId, { text: 'Mark-Deleted' })
  await ada.delete(`messages/${deleted.id}`)
  await send(ada, chatId, { kind: 'photo', photo: (await uploaded(ada, 24)).id, text: 'Mark-Caption' })
  await cay.post('reviews', { chat_id: await app.met(cay, ada), rating: 2, text: 'Mark-Review' })
  await ada.post('me/channels', { kind: 'fcm', token: 'Mark-Device' }, { 'user-agent': 'Mark-Phone/2' })
  await ada.put('me/notifications', { quiet: { from: '10:00', to: '11:00', time_zone: 'Pacific/Kiritimati' } })
  await ada.put(`chats/${chatId}/mute`, { until: '2026-12-24T18:00:00.000Z' })
  // One notification is shown, and one is waiting.
  await bob.put(`chats/${chatId}/read`)
  await send(cay, await chatOf(cay, ada), { text: 'hello' })
  app.clock.now += 20_000
  await deliver(app)
  await send(cay, await chatOf(cay, ada), { text: 'hello again' })
  expect((await app.rows('SELECT * FROM shown_notifications')).length).toBe(1)

  const { options } = (await ada.post('me/passkeys/options', {})).body
  const { id: credentialId, registration } = passkeyOf(options)
  await ada.post('me/passkeys', { label: 'Mark-Passkey', credential: registration })

  // Whatever else an account's row can hold, but for what would keep her out.
  const rowOf = async () => (await app.rows<Record<string, unknown>>('SELECT * FROM users WHERE id = ?', id))[0]!
  const isEmpty = ([name, value]: [string, unknown]) =>
    value === null && !['deleted_at', 'suspended_until', 'hidden'].includes(name)
  const others = Object.entries(await rowOf())
    .filter(isEmpty)
    .map(([name]) => name)
  expect(others).toContain('messenger_id')
  for (const name of others) await app.rows(`UPDATE users SET ${name} = ? WHERE id = ?`, `Mark-${name}`, id)

  const marks = [
    ...['Mark-Passkey', credentialId],
    ...['mark-email', '+4915112345678', hash!.h, 'Mark-Subject'],
    ...others.map((name) => `Mark-${name}`),
    ...['Mark-Name', 'Mark-City', 'Mark-Bio', 'Mark-Agent', '198.51.100.0', 'Mark-Drink', 'Mark-Purpose', 'gsw-u-mark'],
    ...['Mark-Device', 'Mark-Phone', 'Pacific/Kiritimati'],
    ...['Mark-Text', 'Mark-Edited', 'Mark-Deleted', 'Mark-Caption', 'Mark-Client', 'Mark-Review'],
    ...[double(place.latitude), double(place.longitude), 'WEBPVP8'],
  ]
  const found = (bytes: Buffer) => marks.filter((mark) => bytes.includes(mark))
  // The scan can find this data: it reads the whole database with its log.
  expect(found(allBytes(app))).toEqual(marks)

  expect((await erase(ada)).status).toBe(204)
  expect(found(allBytes(app))).toEqual([])
  const { created_at, updated_at, ...left } = await rowOf()
  expect(Object.fromEntries(Object.entries(left).filter(([, value]) => value !== null))).toEqual({
    id,
    role: 'user',
    show_age: 0,
    deleted_at: app.clock.now,
  })
  expect([created_at, updated_at]).toEqual([expect.any(Number), app.clock.now])
  for (const table of ['channels', 'notification_preferences', 'shown_notifications', 'outbox'])
    expect([table, await app.rows(`SELECT user_id FROM ${table} WHERE user_id = ?`, id)]).toEqual([table, []])
  expect(await app.rows('SELECT id FROM chats WHERE muted_a IS NOT NULL OR muted_b IS NOT NULL')).toEqual([])
  expect(allBytes(app).includes('Bob-Text')).toBe(true)
  expect(
    readdirSync(join(app.dataDir, 'media'), { recursive: true }).filter((name) => String(name).endsWith('.webp')),
  ).toEqual([])

  const rowsWith = async (table: string, column: string) =>
    (await app.rows(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`, id))[0]!.n
  for (const [table, column] of [
    ...[
      'preferences',
      'locations',
      'location_cells',
      'sessions',
      'passkeys',
      'events',
      'event_counters',
      'user_stats',
    ].map((table) => [table, 'user_id']),
    ['media', 'owner_id'],
    ['reviews', 'reviewed_id'],
  ])
    expect([table, await rowsWith(table!, column!)]).toEqual([table!, 0])
  // The consents remain as proof.
  expect(await rowsWith('consent_log', 'user_id')).toBe(3)
  expect(await app.rows('PRAGMA foreign_key_check')).toEqual([])
})

test('tokens and sockets stop at once, and nobody finds the erased user any longer', async () => {
  const app = await testApp()
  const [ada, bob, cay] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cay')]
  for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5, longitude: 13.4 })
  const other = await app.services.auth.begin(ada.id, { address: '203.0.113.7', user_agent: 'b', language: null })
  const url = await app.listen()
  const sockets = [connect(url, ada.token), connect(url, other.access_token)]
  for (const socket of sockets) await socket.until(ofType('hello'))
  const nearby = async () =>
    (await bob.get('search/nearby?lat=52.5&lng=13.4&radius=5000')).body.items.map((item: any) => item.user.id)
  expect(await nearby()).toEqual([ada.id])

  const erased = await erase(ada)
  expect(erased.status).toBe(204)
  expect(erased.text).toBe('')
  const cleared = erased.headers.getSetCookie()
  expect(cleared.map((cookie) => cookie.split(';', 1)[0])).toEqual(['app_at=', 'app_rt='])
  for (const cookie of cleared) expect(cookie).toContain('; Max-Age=0')
  for (const socket of sockets) expect(await socket.closed).toBe(4401)
  for (const token of [ada.token, other.access_token])
    expectProblem(await app.as(token).get('me'), 401, 'unauthenticated')
  for (const refresh_token of [ada.refresh, other.refresh_token])
    expectProblem(await app.request('POST', 'auth/refresh', { body: { refresh_token } }), 401, 'unauthenticated')
  const login = { email: ada.email, password }
  expectProblem(await app.request('POST', 'auth/login', { body: login }), 401, 'invalid_credentials')
  expect(await nearby()).toEqual([])
  for (const path of [`users/${ada.id}`, `users/${ada.id}/reviews`, `users/${ada.id}/stats`])
    expectProblem(await bob.get(path), 404, 'not_found')
  for (const path of ['chats', 'blocks']) expectProblem(await cay.post(path, { user_id: ada.id }), 404, 'not_found')

  const again = await app.request('POST', 'auth/register', { body: { ...login, name: 'Ada', consents } })
  expect(again.status).toBe(201)
  expect(again.body.user.id).not.toBe(ada.id)
})

test('the other member of a chat is notified, and keeps the chat with their own messages', async () => {
  const app = await testApp()
  const [ada, bob, cay] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cay')]
  const chatId = await chatOf(ada, bob)
  const photo = await uploaded(ada)
  await send(ada, chatId, { text: 'Hello' })
  await send(bob, chatId, { text: 'Hi' })
  const shown = await send(ada, chatId, { kind: 'photo', photo: photo.id })
  const { url } = (await bob.get(`chats/${chatId}/messages`)).body.items[0].photo
  expect((await app.request('GET', url)).status).toBe(200)
  expect((await bob.get(`chats/${chatId}`)).body.unread_count).toBe(2)
  const { seq } = (await bob.get('sync?limit=100')).body
  const base = await app.listen()
  const [watching, stranger] = [connect(base, bob.token), connect(base, cay.token)]
  await watching.until(ofType('hello'))
  await stranger.until(ofType('hello'))

  await erase(ada)

  const deletedUser = expect.objectContaining({ id: ada.id, name: null, city: null, bio: null, photo: null })
  const live = await watching.until(ofType('chat'))
  expect(live).toMatchObject({ seq: seq + 1, data: { id: chatId, user: deletedUser, unread_count: 0 } })
  // There is one event for each chat, however many messages it has.
  const { items } = (await bob.get(`sync?since=${seq}`)).body
  expect(items.map((event: any) => [event.type, event.data.user?.id])).toEqual([['chat', ada.id]])
  expect(stranger.seqs()).toEqual([])

  expect((await bob.get('chats')).body.items).toMatchObject([{ id: chatId, user: deletedUser }])
  const messages = (await bob.get(`chats/${chatId}/messages`)).body.items
  expect(messages.map((m: any) => [m.sender_id, m.deleted, m.text, m.photo])).toEqual([
    [ada.id, true, null, null],
    [bob.id, false, 'Hi', null],
    [ada.id, true, null, null],
  ])
  expect((await app.request('GET', url)).status).toBe(404)
  // Replayed older events show nothing either.
  const replayed = (await bob.get('sync?limit=100')).body.items
  expect(replayed.find((event: any) => event.data.id === shown.id).data).toMatchObject({ deleted: true, text: null })
  expect(JSON.stringify(replayed)).not.toContain('Hello')
})

test('reviews by the erased user stay without their author, reviews about them go, and stats equal the rows', async () => {
  const app = await testApp()
  const [ada, bob, cay] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cay')]
  await ada.post('reviews', { chat_id: await app.met(ada, bob), rating: 5, text: 'Kind.' })
  await cay.post('reviews', { chat_id: await app.met(cay, bob), rating: 2 })
  await cay.post('reviews', { chat_id: await app.met(cay, ada), rating: 1 })
  await erase(ada)
  const { items } = (await cay.get(`users/${bob.id}/reviews`)).body
  expect(items.map((review: any) => [review.rating, review.reviewer_id]).sort()).toEqual([
    [2, cay.id],
    [5, null],
  ])
  expect((await cay.get(`users/${bob.id}/stats`)).body).toEqual({ user_id: bob.id, rating_avg: 3.5, count: 2 })
  const rows = await app.rows('SELECT 1 FROM reviews WHERE reviewed_id = ?', ada.id)
  expect(rows).toEqual([])
})

test('blocks by and of the erased user go, and their reports stay without a reporter', async () => {
  const app = await testApp()
  const [ada, bob, cay, mo] = [
    await app.person('Ada'),
    await app.person('Bob'),
    await app.person('Cay'),
    await app.person('Mo'),
  ]
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  await ada.post('blocks', { user_id: cay.id })
  await bob.post('blocks', { user_id: ada.id })
  await bob.post('blocks', { user_id: cay.id })
  const filed = await ada.post('reports', { user_id: bob.id, reason: 'scam', details: 'Asked for money.' })
  const against = await cay.post('reports', { user_id: ada.id, reason: 'spam', details: 'Adverts.' })
  await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Adverts.' })
  const notice = (await app.rows<{ id: string }>('SELECT id FROM notices WHERE user_id = ?', ada.id))[0]!
  await ada.post('appeals', { notice_id: notice.id, text: 'It was not me.' })
  await mo.post(`admin/users/${ada.id}/unsuspend`, {})

  expect((await erase(ada)).status).toBe(204)

  expect((await bob.get('blocks')).body.items.map((block: any) => block.user_id)).toEqual([cay.id])
  expect(await app.rows('SELECT blocker_id FROM blocks')).toEqual([{ blocker_id: bob.id }])
  const report = (await mo.get(`admin/reports/${filed.body.id}`)).body
  // A report is still decided after its reporter has left.
  expect(report).toMatchObject({ reporter_id: null, user_id: bob.id, details: 'Asked for money.', status: 'open' })
  expect(report.evidence.user.name).toBe('Bob')
  expect((await mo.get(`admin/reports/${against.body.id}`)).body).toMatchObject({
    subject_id: ada.id,
    evidence: { user: { id: ada.id, name: 'Ada' } },
  })
  expect((await mo.get('admin/appeals')).body.items).toEqual([])
  expect(await app.rows('SELECT id FROM notices WHERE user_id = ?', ada.id)).toEqual([])
  // The audit log keeps only ids.
  const entries = (await mo.get(`admin/audit?subject_id=${ada.id}&limit=100`)).body.items
  expect(entries.map((entry: any) => entry.action)).toContain('erase')
  expect(JSON.stringify(entries)).not.toMatch(/Ada|Adverts|example\.org/)
})

test('a wrong password erases nothing', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  for (const body of [{ password: 'not this one' }, {}, { password: '' }])
    expectProblem(await erase(ada, body), 403, 'wrong_password')
  expectProblem(await erase(ada, { password: 7 }), 422, 'validation_failed')
  expect((await ada.get('me')).body).toMatchObject({ id: ada.id, name: 'Ada' })
  expect(journalOf(app)).toBe('')
})

test('a stolen token cannot erase a messenger account, but its owner can with fresh init data', async () => {
  const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
  const [ada, bob, eve] = [await app.person('Ada'), await app.person('Bob'), await app.person('Eve')]
  await app.rows('UPDATE users SET messenger_id = ? WHERE id = ?', '77', ada.id)
  await app.rows('UPDATE users SET password_hash = NULL, messenger_id = ? WHERE id = ?', '78', bob.id)
  const initData = (id: number, at = app.clock.now) =>
    sign({ user: { id, first_name: 'Somebody' } } as never, botToken, new Date(at))
  app.clock.now += 600_000
  for (const [person, body, status, code] of [
    [bob, undefined, 403, 'forbidden'],
    [bob, {}, 403, 'forbidden'],
    [bob, { password: '' }, 403, 'forbidden'],
    [bob, { password }, 403, 'forbidden'],
    [ada, {}, 403, 'wrong_password'],
    [ada, { password: 'not this one', init_data: initData(77) }, 403, 'wrong_password'],
    [bob, { init_data: initData(77) }, 403, 'wrong_password'],
    // Init data of a user without an account.
    [eve, { init_data: initData(79) }, 403, 'wrong_password'],
    [bob, { init_data: initData(78, app.clock.now - 3_601_000) }, 401, 'init_data_expired'],
    [bob, { init_data: initData(78).replace('78', '77') }, 401, 'init_data_invalid'],
    [bob, { init_data: '' }, 401, 'init_data_invalid'],
  ] as const)
    expectProblem(await person.delete('me', body), status, code)
  expectProblem(await bob.delete('me', { init_data: 7 }), 422, 'validation_failed')
  expect(journalOf(app)).toBe('')
  expect((await bob.delete('me', { init_data: initData(78) })).status).toBe(204)
  // The messenger still authenticates the owner after somebody has set a password.
  expect((await ada.delete('me', { init_data: initData(77) })).status).toBe(204)
  expect((await bob.get('me')).status).toBe(401)
  expect((await eve.get('me')).status).toBe(200)
})

test.each([null, '77'])(
  'an account without a password, with the messenger id %p, can be erased after a recent login',
  async (id) => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await app.rows('UPDATE users SET password_hash = NULL, messenger_id = ? WHERE id = ?', id, ada.id)
    app.clock.now += 600_000
    expectProblem(await ada.delete('me'), 403, 'forbidden')
    const { access_token } = await app.services.auth.begin(ada.id, { address: '', user_agent: null, language: null })
    app.clock.now += 599_999
    expect((await app.as(access_token).delete('me')).status).toBe(204)
  },
)

test('two concurrent requests erase once', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const answers = await Promise.all([erase(ada), erase(ada), erase(ada)])
  for (const { status } of answers) expect([204, 401]).toContain(status)
  expect(answers.map(({ status }: Answer) => status)).toContain(204)
  // Each node has its own journal, but here they share one.
  if (nodesOfApps === 1) expect(journalOf(app).match(/\n/g)).toHaveLength(1)
  const entries = await app.services.storage.audit.list({ action: 'erase' }, 10, null)
  expect(entries).toHaveLength(1)
})

test('a concurrent request stores nothing about an erased user, and leftovers are removed soon', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chatId = await chatOf(ada, bob)
  await ada.post(`chats/${chatId}/messages`, { text: 'Early' })
  await erase(ada)
  const { storage, erasures } = app.services
  const late = { kind: 'text', text: 'Late', photo_id: null, client_id: null, created_at: app.clock.now } as const
  const message = { id: Bun.randomUUIDv7(), chat_id: chatId, sender_id: ada.id, ...late }
  expect(await storage.chats.append(message, bob.id, null)).toBe('nobody_there')
  expect(await erasures.sweepRecent()).toBe(0)
  // The state after a restore of an older copy of one table.
  await app.rows("UPDATE messages SET text = 'Late', deleted_at = NULL WHERE sender_id = ?", ada.id)
  expect(await erasures.sweepRecent()).toBe(1)
  expect(await erasures.sweepRecent()).toBe(0)
  expect((await bob.get(`chats/${chatId}/messages`)).body.items).toMatchObject([{ deleted: true, text: null }])
})

test('the journal has its entry before the answer, readable only by its owner', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  await erase(ada)
  expect(journalOf(app)).toBe(`${new Date(app.clock.now).toISOString()} ${ada.id}\n`)
  expect(statSync(join(app.dataDir, 'erasures.log')).mode & 0o777).toBe(0o600)
})

sqliteTest('where the database refuses, nobody is erased, and the journal says so', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await erase(bob)
  const before = journalOf(app)
  app.db.$client.run('PRAGMA query_only = ON')
  expect((await erase(ada)).status).toBe(500)
  app.db.$client.run('PRAGMA query_only = OFF')
  expect(journalOf(app)).toBe(before)
  expect(await app.services.erasures.replay()).toBe(0)
  expect((await ada.get('me')).status).toBe(200)
})

test('an erasure that was stored although the database did not answer comes into the journal when it is finished', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  for (const { services } of app.nodes) {
    const { erasures } = services.storage
    const { begin } = erasures
    erasures.begin = async (...args) => {
      await begin(...args)
      throw new Refusal('busy', 'The database did not answer in time.')
    }
  }
  expect((await erase(ada)).status).toBe(503)
  expect(journalOf(app)).toBe('')
  await app.services.account.finishErasures()
  expect(journalOf(app)).toBe(`${new Date(app.clock.now).toISOString()} ${ada.id}\n`)
  expect(await app.services.storage.erasures.unfinished()).toEqual([])
})

test('a start finishes erasures that a crash has interrupted, and adds those that the journal lacks', async () => {
  const app = await testApp()
  const [ada, bob, cay] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cay')]
  await erase(cay)
  const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
  const at = new Date(app.clock.now - 5000).toISOString()
  writeFileSync(join(app.dataDir, 'erasures.log'), `${at} ${ada.id}\n${at} ${unknown}\n${at} ${bob.id.slice(0, 20)}`)
  const { erasures, storage } = app.services
  expect(await erasures.replay()).toBe(1)
  expect(await erasures.replay()).toBe(0)
  expect(await storage.users.byId(ada.id)).toMatchObject({ name: null, email: null, deleted_at: Date.parse(at) })
  // An incomplete line is ignored.
  expect((await bob.get('me')).status).toBe(200)
  expect([...(await openErasureJournal(join(app.dataDir, 'erasures.log')).read()).keys()].sort()).toEqual(
    [ada.id, unknown, cay.id].sort(),
  )
})

/** Ada with the given number of chats and of messages in each, every other one hers. */
async function withLongChats(app: TestApp, { chats, messages }: { chats: number; messages: number }) {
  const ada = await app.person('Ada')
  const others: Person[] = []
  for (let i = 0; i < chats; i++) {
    const other = await app.person(`Other ${i}`)
    others.push(other)
    const chatId = await chatOf(ada, other)
    // As many rows as one statement has room for values.
    for (let first = 1; first <= messages; first += 1500) {
      const written = Array.from({ length: Math.min(1500, messages + 1 - first) }, (_, i) => {
        const seq = first + i
        const [sender, text, client] =
          seq % 2 === 1 ? [ada.id, 'Mark-Text', `client ${chatId} ${seq}`] : [other.id, 'Other-Text', null]
        return [Bun.randomUUIDv7(), chatId, seq, sender!, text!, client!, app.clock.now]
      })
      await app.rows(
        `INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, client_id, created_at)
         VALUES ${written.map(() => "(?, ?, ?, ?, 'text', ?, ?, ?)").join()}`,
        ...written.flat(),
      )
    }
    await app.rows('UPDATE chats SET last_seq = ?, last_msg_at = ? WHERE id = ?', messages, app.clock.now, chatId)
  }
  return { ada, others }
}

const wordsOf = async ({ rows }: Pick<TestApp, 'rows'>, userId: string): Promise<number> =>
  (
    await rows(
      'SELECT count(*) AS n FROM messages WHERE sender_id = ? AND (text IS NOT NULL OR client_id IS NOT NULL)',
      userId,
    )
  )[0]!.n

test('a long history is erased in parts that do not block the server, and everybody is notified once', async () => {
  const app = await testApp()
  const { ada, others } = await withLongChats(app, { chats: 3, messages: 1500 })
  const parts: number[] = []
  for (const { services } of app.nodes) {
    const { erasures } = services.storage
    const { clear } = erasures
    erasures.clear = async (...args) => {
      const cleared = await clear(...args)
      parts.push(cleared.rows)
      return cleared
    }
  }
  expect(await wordsOf(app, ada.id)).toBe(2250)
  expect((await erase(ada)).status).toBe(204)
  expect(await wordsOf(app, ada.id)).toBe(0)
  expect(parts.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(2250)
  expect(Math.max(...parts)).toBeLessThanOrEqual(500)
  for (const other of others) {
    const { items } = (await other.get('sync?limit=100')).body
    expect(items.map((event: any) => [event.type, event.data.user.name])).toEqual([
      ['chat', null],
      ['chat', null],
    ])
    expect(await wordsOf(app, other.id)).toBe(750)
  }
  expect(await app.rows('SELECT * FROM unfinished_erasures')).toEqual([])
})

test('a failure midway still erases the account, and the job finishes it', async () => {
  const app = await onDisk()
  const { ada, others } = await withLongChats(app, { chats: 2, messages: 1500 })
  const [bob, cay] = others as [Person, Person]
  const { storage, account } = app.services
  const { clear } = storage.erasures
  let parts = 0
  storage.erasures.clear = async (...args) => {
    if (++parts === 3) throw new Error('the disk is gone')
    return clear(...args)
  }
  const base = await app.listen()
  const [adas, bobs] = [connect(base, ada.token), connect(base, bob.token)]
  await adas.until(ofType('hello'))
  await bobs.until(ofType('hello'))

  expect((await erase(ada)).status).toBe(500)
  expect(await adas.closed).toBe(4401)
  expectProblem(await ada.get('me'), 401, 'unauthenticated')
  expectProblem(await cay.get(`users/${ada.id}`), 404, 'not_found')
  expect(await wordsOf(app, ada.id)).toBeGreaterThan(0)
  // The job for recent erasures leaves this one alone.
  expect(await app.services.erasures.sweepRecent()).toBe(0)

  expect(await account.finishErasures()).toBeGreaterThan(0)
  expect(await account.finishErasures()).toBe(0)
  expect(await wordsOf(app, ada.id)).toBe(0)
  expect(allBytes(app).includes('Mark-Text')).toBe(false)
  expect((await bobs.until(ofType('chat'))).data).toMatchObject({ user: { id: ada.id, name: null } })
  expect(journalOf(app).match(/\n/g)).toHaveLength(1)
})

test('the next start finishes an erasure that a crash has interrupted', async () => {
  const app = await onDisk()
  const { ada, others } = await withLongChats(app, { chats: 2, messages: 1500 })
  const { storage, erasures, audit } = app.services
  // The state after a crash: the erasure has begun, and some parts are done.
  const at = app.clock.now
  await openErasureJournal(join(app.dataDir, 'erasures.log')).add([{ user_id: ada.id, at }])
  expect(await storage.erasures.begin(ada.id, at, audit.entry('erase', ada.id, ada.id))).toBe(true)
  const first = await storage.erasures.clear(ada.id, at, null)
  await storage.erasures.clear(ada.id, at, first.next)
  expect(await wordsOf(app, ada.id)).toBeWithin(1, 1500)
  // Meanwhile, the others see a consistent state.
  for (const other of others)
    for (const { id } of (await other.get('chats')).body.items)
      expect([(await other.get(`chats/${id}`)).status, (await other.put(`chats/${id}/read`)).status]).toEqual([
        200, 200,
      ])

  // The account is erased already, and the rest is finished.
  expect(await erasures.replay()).toBe(0)
  expect(await wordsOf(app, ada.id)).toBe(0)
  expect(allBytes(app).includes('Mark-Text')).toBe(false)
  expect(await storage.erasures.unfinished()).toEqual([])
  for (const other of others) {
    expect(await wordsOf(app, other.id)).toBe(750)
    expect((await other.get('chats')).body.items).toMatchObject([{ user: { id: ada.id, name: null } }])
  }
})

test('the erasure of a long history is finished after kill -9', async () => {
  const dataDir = mkdtempSync(join(folder, 'killed-'))
  const databasePath = join(dataDir, 'convene.db')
  const app = await testApp({}, { databasePath })
  const { ada } = await withLongChats(app, { chats: 4, messages: 5000 })
  await app.close()
  const settings = {
    DATA_DIR: dataDir,
    JWT_SECRET: 'a secret of the tests, long enough',
    LOCATION_KEY: '11'.repeat(32),
  }
  const server = await startServer(settings)
  const login = await fetch(new URL('/api/v1/auth/login', server.base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ada.email, password }),
  })
  const { access_token } = (await login.json()) as { access_token: string }
  const answer = fetch(new URL('/api/v1/me', server.base), {
    method: 'DELETE',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${access_token}` },
    body: JSON.stringify({ password }),
  }).catch(() => null)
  // The journal has the entry before anything else changes.
  while (!existsSync(join(dataDir, 'erasures.log'))) await Bun.sleep(1)
  while (readFileSync(join(dataDir, 'erasures.log'), 'utf8') === '') await Bun.sleep(1)
  await Bun.sleep(20)
  await server.end('SIGKILL')
  await answer

  const again = await startServer(settings)
  expect(await again.end()).toBe(0)
  const { rows, storage } = await openSqliteAt(databasePath)
  expect(await wordsOf({ rows }, ada.id)).toBe(0)
  expect(await rows('SELECT name, email FROM users WHERE id = ?', ada.id)).toEqual([{ name: null, email: null }])
  expect(await rows('SELECT * FROM unfinished_erasures')).toEqual([])
  await storage.close()
  expect(readFileSync(databasePath).includes('Mark-Text')).toBe(false)
}, 60_000)

test('a journal that finds no space keeps what another process has added meanwhile', async () => {
  const directory = mkdtempSync(join(folder, 'full-'))
  if (Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', directory]).exitCode !== 0) return
  const path = join(directory, 'erasures.log')
  const [a, b] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
  const theirs = `${new Date(1000).toISOString()} ${a}\n`
  // Their line is the last one that has room.
  writeFileSync(path, `${'x'.repeat(4096 - theirs.length - 1)}\n`)
  const handle = await open(path)
  const stat = spyOn(Object.getPrototypeOf(handle), 'stat').mockImplementationOnce(async () => {
    const found = statSync(path)
    appendFileSync(path, theirs)
    return found
  })
  try {
    expect(() => writeFileSync(join(directory, 'rest'), Buffer.alloc(65_536))).toThrow('ENOSPC')
    const journal = openErasureJournal(path)
    await expect(journal.add([{ user_id: b, at: 2000 }])).rejects.toThrow()
    expect([...(await journal.read())]).toEqual([[a, 1000]])
  } finally {
    stat.mockRestore()
    await handle.close()
    Bun.spawnSync(['umount', directory])
  }
})

test('the journal removes the newest entries only as a whole, and repairs an incomplete end', async () => {
  const path = join(folder, 'journal.log')
  const journal = openErasureJournal(path)
  const [a, b] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
  expect([...(await journal.read())]).toEqual([])
  await journal.add([{ user_id: a, at: 1000 }])
  appendFileSync(path, '2026-11-')
  const takeBack = await journal.add([{ user_id: b, at: 2000 }])
  expect([...(await journal.read())]).toEqual([
    [a, 1000],
    [b, 2000],
  ])
  await takeBack()
  expect([...(await journal.read())]).toEqual([[a, 1000]])

  const takeBackFirst = await journal.add([{ user_id: b, at: 2000 }])
  const c = Bun.randomUUIDv7()
  await openErasureJournal(path).add([{ user_id: c, at: 3000 }])
  // Entries that another process has added since must stay.
  await takeBackFirst()
  expect([...(await journal.read()).keys()]).toEqual([a, b, c])
})

test('only the id of an erased user is left in a chat and in the row', async () => {
  const app = await testApp()
  const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
  for (const { id } of [ada, mo]) await app.services.storage.users.setRole(id, 'moderator', granted(id, app.clock.now))
  await app.services.storage.users.setRole(mo.id, 'admin', granted(mo.id, app.clock.now))
  await chatOf(ada, bob)
  await ada.put('me', { gender: 'other', city: 'Oslo', bio: 'Sings.' })
  await app.rows('UPDATE users SET photo = ? WHERE id = ?', 'https://t.me/i/ada.jpg', ada.id)
  await app.rows("UPDATE users SET phone = '+4915100000000', messenger_id = '77' WHERE id = ?", ada.id)
  const ends = new Date(app.clock.now + 1000).toISOString()
  await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Adverts.', until: ends })
  app.clock.now += 2000
  expect((await erase(ada)).status).toBe(204)
  const shown = {
    id: ada.id,
    name: null,
    city: null,
    bio: null,
    gender: null,
    age: null,
    photo: null,
    photo_thumb: null,
  }
  expect((await bob.get('chats')).body.items[0].user).toEqual({
    ...shown,
    language: 'en',
    drinks: [],
    activities: [],
    purposes: [],
    rating_avg: null,
    reviews_count: 0,
    created_at: expect.any(String),
  })
  const [row] = await app.rows('SELECT * FROM users WHERE id = ?', ada.id)
  const { id: _, role, show_age, created_at: __, updated_at: ___, deleted_at: ____, ...rest } = row!
  expect([role, Boolean(show_age)]).toEqual(['user', false])
  for (const [column, value] of Object.entries(rest)) expect([column, value]).toEqual([column, null])
})

test('the origin of a consent without a user agent is removed with the account too', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  await app.rows('UPDATE consent_log SET user_agent = NULL')
  expect((await app.rows('SELECT 1 FROM consent_log WHERE address IS NOT NULL')).length).toBeGreaterThan(0)
  await erase(ada)
  expect(await app.rows('SELECT 1 FROM consent_log WHERE address IS NOT NULL')).toEqual([])
})

test('data that a slow request has stored are removed for an hour after the erasure', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await send(ada, await chatOf(ada, bob), { text: 'Early' })
  await erase(ada)
  app.clock.now += 59 * 60_000
  await app.rows("UPDATE messages SET text = 'Late', deleted_at = NULL WHERE sender_id = ?", ada.id)
  expect(await app.services.erasures.sweepRecent()).toBe(1)
})
