import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { canDecide, type CaseRefusal } from '../../src/features/moderation/rules.ts'
import type { ModerationStatus } from '../../src/features/moderation/store.ts'
import { days, hours } from '../../src/lib/time.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { connect, ofType } from '../socket-client.ts'
import { granted } from '../rows.ts'

const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
const later = '2026-11-28T12:00:00.000Z'

type Role = 'user' | 'moderator' | 'admin'

const setRole = (app: TestApp, { id }: Person, role: Role) =>
  app.services.storage.users.setRole(id, role, granted(id, app.clock.now))

async function withRole(app: TestApp, role: Role): Promise<Person> {
  const person = await app.person()
  await setRole(app, person, role)
  return person
}

async function setting(app: TestApp) {
  const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await withRole(app, 'moderator')]
  return { ada, bob, mo, chatId: await app.met(ada, bob) }
}

const send = async (from: Person, chatId: string, text: string) =>
  (await from.post(`chats/${chatId}/messages`, { text })).body
const eventsOf = async (person: Person) => (await person.get('sync?since=0&limit=100')).body.items as any[]
const typesOf = async (person: Person) => (await eventsOf(person)).map(({ type }) => type)
const noticesOf = async (person: Person) => (await person.get('me/notices')).body.items as any[]
const outcome = ({ status, body }: { status: number; body: any }) => [status, body?.code]
const login = (app: TestApp, { email }: Person) => app.request('POST', 'auth/login', { body: { email, password } })
const resolve = (by: Person, report: { body: { id: string } }, body: object) =>
  by.post(`admin/reports/${report.body.id}/resolve`, { note: 'Against the rules.', ...body })

/** Stored rows that a decision would change. */
const stateOf = async ({ rows }: TestApp) =>
  JSON.stringify(
    await Promise.all(
      [
        'SELECT * FROM reports ORDER BY id',
        'SELECT * FROM notices ORDER BY id',
        'SELECT * FROM appeals ORDER BY id',
        'SELECT id, name, suspended_until FROM users ORDER BY id',
        'SELECT * FROM events ORDER BY user_id, seq',
      ].map((sql) => rows(sql)),
    ),
  )

test('everything for moderators is forbidden to everybody else, and changes nothing', async () => {
  const app = await testApp()
  const { ada, bob } = await setting(app)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'spam' })
  const before = await stateOf(app)
  const calls: ['get' | 'post', string, object?][] = [
    ['get', 'admin/reports'],
    ['get', `admin/reports/${report.body.id}`],
    ['get', `admin/reports/${unknown}`],
    ['post', `admin/reports/${report.body.id}/resolve`, { action: 'dismiss', note: 'x' }],
    ['post', `admin/users/${bob.id}/warn`, { reason: 'x' }],
    ['post', `admin/users/${bob.id}/suspend`, { reason: 'x' }],
    ['post', `admin/users/${bob.id}/unsuspend`, {}],
    ['get', 'admin/appeals'],
    ['post', `admin/appeals/${unknown}/resolve`, { decision: 'uphold', note: 'x' }],
    ['get', 'admin/audit'],
  ]
  for (const [method, path, body] of calls) {
    expect(outcome(await ada[method](path, body))).toEqual([403, 'forbidden'])
    expect((await app.request(method.toUpperCase(), path, { body })).status).toBe(401)
  }
  expect(await stateOf(app)).toBe(before)
})

test('a caller who is not a moderator gets 403 before anything is validated', async () => {
  const app = await testApp()
  const { ada, mo } = await setting(app)
  const calls: ['get' | 'post', string, number, object?][] = [
    ['get', 'admin/reports?limit=0', 422],
    ['get', 'admin/reports?status=lost', 422],
    ['get', 'admin/reports/5', 404],
    ['post', 'admin/reports/5/resolve', 404, {}],
    ['post', `admin/reports/${unknown}/resolve`, 422, {}],
    ['post', 'admin/users/me/warn', 404, { reason: 'x' }],
    ['post', `admin/users/${ada.id}/warn`, 422, { reason: '' }],
    ['post', `admin/users/${ada.id}/warn`, 422, { reason: 'x', strikes: 5 }],
    ['post', 'admin/users/me/suspend', 404, { reason: 'x' }],
    ['post', `admin/users/${ada.id}/suspend`, 422, { reason: '' }],
    ['post', `admin/users/${ada.id}/unsuspend`, 422, { reason: 5 }],
    ['get', 'admin/appeals?cursor=x', 422],
    ['post', `admin/appeals/${unknown}/resolve`, 422, []],
    ['get', 'admin/audit?from=today', 422],
    ['get', 'admin/audit?actor_id=me', 422],
  ]
  for (const [method, path, status, body] of calls) {
    expect([path, ...outcome(await ada[method](path, body))]).toEqual([path, 403, 'forbidden'])
    expect([path, (await mo[method](path, body)).status]).toEqual([path, status])
    expect([path, (await app.request(method.toUpperCase(), path, { body })).status]).toEqual([path, 401])
  }
  const malformed = (token: string) =>
    app.app.handle(
      new Request(`http://localhost/api/v1/admin/users/${ada.id}/suspend`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{',
      }),
    )
  expect((await malformed(ada.token)).status).toBe(403)
  expect((await malformed(mo.token)).status).toBe(400)
})

test('a role takes effect with the next request, and so does its loss', async () => {
  const app = await testApp()
  const ada = await app.person()
  expect((await ada.get('admin/reports')).status).toBe(403)
  // The command line grants and revokes it in another process, and this one is not notified.
  await setRole(app, ada, 'moderator')
  expect((await ada.get('admin/reports')).status).toBe(200)
  await setRole(app, ada, 'user')
  expect((await ada.get('admin/reports')).status).toBe(403)
})

test('the queue is oldest first, by status and reason, with the waiting times', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const people = [await app.person(), await app.person(), await app.person()]
  const ids: string[] = []
  for (const [i, person] of [...people, bob].entries()) {
    const reason = i % 2 ? 'scam' : 'spam'
    ids.push((await ada.post('reports', { user_id: person.id, reason })).body.id)
    app.clock.now += 1500
  }
  await mo.post(`admin/reports/${ids[1]}/resolve`, { action: 'dismiss', note: 'Fine.' })
  app.clock.now += 60_000
  const listed = async (query: string) => (await mo.get(`admin/reports${query}`)).body.items as any[]
  const idsOf = async (query: string) => (await listed(query)).map(({ id }) => id)
  expect(await idsOf('')).toEqual(ids)
  expect(await idsOf('?status=open')).toEqual([ids[0]!, ids[2]!, ids[3]!])
  expect(await idsOf('?status=resolved')).toEqual([ids[1]!])
  expect(await idsOf('?reason=scam')).toEqual([ids[1]!, ids[3]!])
  expect(await idsOf('?status=open&reason=scam')).toEqual([ids[3]!])
  const [first, second] = await listed('')
  expect(first).toMatchObject({
    reporter_id: ada.id,
    subject_id: people[0]!.id,
    user_id: people[0]!.id,
    waiting_s: 66,
    resolution: null,
  })
  expect(first).not.toContainKey('evidence')
  expect(second).toMatchObject({ waiting_s: 4, resolution: { action: 'dismiss', note: 'Fine.', resolved_by: mo.id } })
  const page = (await mo.get('admin/reports?limit=3')).body
  expect(page.items).toHaveLength(3)
  expect(await idsOf(`?limit=3&cursor=${page.next_cursor}`)).toEqual([ids[3]!])
  for (const query of ['?status=closed', '?reason=boring', '?limit=0', '?cursor=nonsense'])
    expect((await mo.get(`admin/reports${query}`)).status).toBe(422)
  for (const id of [unknown, 'nonsense']) expect((await mo.get(`admin/reports/${id}`)).status).toBe(404)
})

test('a warning tells the user concerned the content, the ground, the reason, and how to appeal', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const message = await send(bob, chatId, 'Insult')
  const report = await ada.post('reports', { message_id: message.id, reason: 'harassment' })
  const resolved = await resolve(mo, report, { action: 'warn', note: 'Insults are not welcome.' })
  expect(resolved.status).toBe(200)
  expect(resolved.body).toMatchObject({
    id: report.body.id,
    status: 'resolved',
    resolution: { action: 'warn', note: 'Insults are not welcome.', until: null, resolved_by: mo.id },
    evidence: { message: { text: 'Insult' } },
  })
  const [notice] = await noticesOf(bob)
  expect(notice).toEqual({
    id: expect.any(String),
    action: 'warn',
    message_id: message.id,
    review_id: null,
    ground: 'harassment',
    reason: 'Insults are not welcome.',
    until: null,
    created_at: '2026-11-21T12:00:00.000Z',
    automated: false,
    appeal: null,
    how_to_appeal: expect.stringContaining('/api/v1/appeals'),
  })
  expect((await eventsOf(bob)).at(-1)).toMatchObject({ type: 'notice', data: notice })
  // Neither the reporter nor the moderator is named.
  expect(JSON.stringify([notice, (await eventsOf(bob)).at(-1)])).not.toContain(mo.id)
  expect(JSON.stringify([notice, (await eventsOf(bob)).at(-1)])).not.toContain(ada.id)
  expect(await noticesOf(ada)).toEqual([])
  expect((await ada.get('reports')).body.items).toMatchObject([{ status: 'resolved', action: 'warn' }])
  expect((await ada.get('reports')).text).not.toContain(mo.id)
  // The message itself stays.
  expect((await ada.get(`chats/${chatId}/messages`)).body.items[0].text).toBe('Insult')
})

test('a dismissed report sends the user concerned nothing', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'other' })
  expect((await resolve(mo, report, { action: 'dismiss' })).status).toBe(200)
  expect(await noticesOf(bob)).toEqual([])
  expect(await typesOf(bob)).toEqual(['chat'])
})

test('a report is resolved once: of two concurrent decisions one wins, and only that takes effect', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const other = await withRole(app, 'moderator')
  const report = await ada.post('reports', { user_id: bob.id, reason: 'spam' })
  const answers = await Promise.all([
    resolve(mo, report, { action: 'warn', note: 'First.' }),
    resolve(other, report, { action: 'suspend', note: 'Second.' }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const won = answers.findIndex(({ status }) => status === 200)
  const notices = await noticesOf(bob)
  expect(notices.map(({ action }) => action)).toEqual([won === 0 ? 'warn' : 'suspend'])
  expect((await bob.get('me')).status).toBe(won === 0 ? 200 : 403)
  const before = await stateOf(app)
  for (const action of ['dismiss', 'warn', 'remove_content', 'suspend'])
    expect(outcome(await resolve(other, report, { action }))).toEqual([409, 'conflict'])
  expect(await stateOf(app)).toBe(before)
  expect((await other.get('admin/audit?action=report_resolved')).body.items).toHaveLength(1)
})

test('invalid resolutions are refused and change nothing', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'spam' })
  const before = await stateOf(app)
  for (const body of [
    {},
    { action: 'ban' },
    { action: 'warn', note: '' },
    { action: 'warn', note: ' \n ' },
    { action: 'warn', note: 'x'.repeat(2001) },
    { action: 'warn', note: undefined },
    { action: 'warn', until: later },
    { action: 'suspend', until: '2026-11-21T11:59:59.999Z' },
    { action: 'suspend', until: '2026-11-28' },
    { action: 'suspend', until: '2026-11-28T12:00:00' },
    { action: 'suspend', until: '2026-13-41T12:00:00Z' },
    { action: 'suspend', until: '2036-02-30T00:00:00Z' },
    { action: 'suspend', until: 1_800_000_000_000 },
  ])
    expect(outcome(await resolve(mo, report, body))).toEqual([422, 'validation_failed'])
  for (const until of ['2036-02-30T00:00:00Z', '2035-02-29T00:00Z', '2036-04-31T12:00:00+02:00'])
    expect((await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'x', until })).body).toMatchObject({
      status: 422,
      errors: [{ path: '/until' }],
    })
  expect(outcome(await resolve(mo, { body: { id: unknown } }, { action: 'warn' }))).toEqual([404, 'not_found'])
  expect(await stateOf(app)).toBe(before)
})

test('a removed message leaves a tombstone for both members, with its event', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const base = await app.listen()
  const socket = connect(base, ada.token)
  await socket.until(ofType('hello'))
  const message = await send(bob, chatId, 'Insult')
  const report = await ada.post('reports', { message_id: message.id, reason: 'hate' })
  app.clock.now += 1000
  const resolved = await resolve(mo, report, { action: 'remove_content' })
  expect(resolved.body.evidence.message.text).toBe('Insult')
  for (const member of [ada, bob]) {
    const [shown] = (await member.get(`chats/${chatId}/messages`)).body.items
    expect(shown).toMatchObject({ id: message.id, deleted: true, text: null, photo: null })
    const events = await eventsOf(member)
    expect(events.find(({ type }) => type === 'message_deleted')).toMatchObject({ data: shown })
    expect(JSON.stringify(events)).not.toContain('Insult')
  }
  const frame = await socket.until(ofType('message_deleted'))
  expect(frame.data).toMatchObject({ id: message.id, deleted: true, text: null, client_id: null })
  expect(await typesOf(bob)).toEqual(['chat', 'message', 'message_deleted', 'notice'])
  expect(await typesOf(ada)).toEqual(['chat', 'message', 'message_deleted'])
  expect(outcome(await bob.put(`messages/${message.id}`, { text: 'Again' }))).toEqual([409, 'message_deleted'])
  expect(await noticesOf(bob)).toMatchObject([{ action: 'remove_content', message_id: message.id, ground: 'hate' }])
})

test('removing a message that its author has deleted sends no second event', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const message = await send(bob, chatId, 'Insult')
  const report = await ada.post('reports', { message_id: message.id, reason: 'hate' })
  await bob.delete(`messages/${message.id}`)
  expect((await resolve(mo, report, { action: 'remove_content' })).status).toBe(200)
  expect((await typesOf(ada)).filter((type) => type === 'message_deleted')).toHaveLength(1)
})

test('a removed review is gone, and the stats are those of the others', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const cleo = await app.person()
  const other = await app.met(cleo, bob)
  await cleo.post('reviews', { chat_id: other, rating: 4 })
  const review = (await ada.post('reviews', { chat_id: chatId, rating: 1, anonymous: true, text: 'Insult' })).body
  expect((await bob.get(`users/${bob.id}/stats`)).body).toMatchObject({ rating_avg: 2.5, count: 2 })
  const report = await bob.post('reports', { review_id: review.id, reason: 'hate' })
  expect((await resolve(mo, report, { action: 'remove_content' })).status).toBe(200)
  expect((await bob.get(`users/${bob.id}/stats`)).body).toMatchObject({ rating_avg: 4, count: 1 })
  expect((await bob.get(`users/${bob.id}/reviews`)).text).not.toContain(review.id)
  expect(JSON.stringify(await eventsOf(bob))).not.toContain('Insult')
  // Its author gets a notice, and the reviewed user does not.
  expect(await noticesOf(ada)).toMatchObject([{ action: 'remove_content', review_id: review.id }])
  expect(await noticesOf(bob)).toEqual([])
})

test('a removed profile keeps the account, and nothing that its owner wrote into it', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  await bob.put('me', { name: 'Rude', bio: 'Rude', city: 'Rude' })
  await app.rows('UPDATE users SET photo = ? WHERE id = ?', 'https://example.org/rude.png', bob.id)
  await bob.put('me/prefs', { drinks: ['Rude'], activities: ['Rude'], purposes: ['Rude'], language: 'de' })
  const report = await ada.post('reports', { user_id: bob.id, reason: 'nudity' })
  expect((await resolve(mo, report, { action: 'remove_content' })).status).toBe(200)
  const { text, body } = await ada.get(`users/${bob.id}`)
  expect(text).not.toMatch(/rude/i)
  expect(body).toMatchObject({ name: 'Member', bio: null, city: null, photo: null, drinks: [], language: 'de' })
  expect(await app.rows('SELECT photo FROM users WHERE id = ?', bob.id)).toEqual([{ photo: null }])
  expect((await bob.get('me')).status).toBe(200)
})

test('a suspension stops tokens, sockets, refresh and login at once, and tells why and until when', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const base = await app.listen()
  const socket = connect(base, bob.token)
  const second = connect(base, bob.token)
  await Promise.all([socket.until(ofType('hello')), second.until(ofType('hello'))])
  expect((await bob.get('me')).status).toBe(200)
  const answer = await mo.post(`admin/users/${bob.id}/suspend`, {
    reason: 'Insults.',
    note: 'Third time',
    until: later,
  })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ user_id: bob.id, suspended: true, reason: 'Insults.', until: later })
  expect(await Promise.all([socket.closed, second.closed])).toEqual([4403, 4403])
  expect(socket.frames.at(-1).type).toMatch(/notice|session_ended/)
  expect(socket.frames.find(ofType('notice')).data).toMatchObject({
    action: 'suspend',
    reason: 'Insults.',
    until: later,
  })

  const tries = [
    await bob.get('me'),
    await bob.get('sync'),
    await bob.post(`chats/${chatId}/messages`, { text: 'Hello' }),
    await bob.put('me/prefs', { drinks: [] }),
    await bob.delete('me/sessions'),
    await login(app, bob),
    await app.request('POST', 'auth/refresh', { body: { refresh_token: bob.refresh } }),
  ]
  for (const refused of tries) {
    expect(outcome(refused)).toEqual([403, 'suspended'])
    expect(refused.body).toMatchObject({ reason: 'Insults.', until: later })
    expect(refused.body.detail).toContain('Insults.')
    expect(refused.body.detail).toContain(later)
    expect(refused.text).not.toContain('Third time')
    expect(refused.headers.get('set-cookie')).toBeNull()
  }
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  expect((await fetch(new URL(`/ws?token=${bob.token}`, base), { headers: upgrade })).status).toBe(403)
  // A wrong password reveals nothing of it.
  const guess = { email: bob.email, password: 'not the password' }
  expect(outcome(await app.request('POST', 'auth/login', { body: guess }))).toEqual([401, 'invalid_credentials'])
  // Public data stay accessible, as for anybody.
  expect((await bob.get(`users/${ada.id}/stats`)).status).toBe(200)

  app.clock.now = Date.parse(later) - 1
  expect(outcome(await login(app, bob))).toEqual([403, 'suspended'])
  app.clock.now = Date.parse(later)
  const session = await login(app, bob)
  expect(session.status).toBe(200)
  expect((await app.as(session.body.access_token).get('me')).status).toBe(200)
})

test('when a suspension ends, a token works that was refused a moment before', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  const until = new Date(app.clock.now + 60_000).toISOString()
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Pause.', until })
  expect((await bob.get('me')).status).toBe(403)
  expect((await bob.get('me/notices')).status).toBe(200)
  app.clock.now += 60_000
  expect((await bob.get('me')).status).toBe(200)
})

test('it may end on any day, in any time zone', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  const until = async (until: string) =>
    (await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'x', until })).body.until
  expect(await until('2036-02-29T23:30:00-01:00')).toBe('2036-03-01T00:30:00.000Z')
  expect(await until('2036-12-31T00:30+14:00')).toBe('2036-12-30T10:30:00.000Z')
})

test('a warning without a report tells the user why, counts strikes, can be appealed, and changes nothing else', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const { status, body } = await mo.post(`admin/users/${bob.id}/warn`, {
    reason: 'No advertising.',
    note: 'For us alone',
    strikes: 2,
  })
  expect([status, body]).toEqual([
    200,
    { user_id: bob.id, notice_id: expect.any(String), reason: 'No advertising.', strikes: 2 },
  ])
  const { items, ...rest } = (await bob.get('me/notices')).body
  expect(items).toMatchObject([{ id: body.notice_id, action: 'warn', reason: 'No advertising.', appeal: null }])
  expect(JSON.stringify([items, rest])).not.toContain('For us alone')
  expect((await bob.get('me')).status).toBe(200)
  expect((await mo.get(`admin/users/${bob.id}`)).body).toMatchObject({
    standing: 'active',
    strikes: 2,
    proposal: { action: 'warn', days: null },
    decisions: [{ action: 'warn', note: 'For us alone', strikes: 2, report_id: null, decided_by: mo.id }],
  })
  expect((await mo.get(`admin/audit?subject_id=${bob.id}&action=warn`)).body.items).toMatchObject([
    { actor_id: mo.id, metadata: { notice_id: body.notice_id, strikes: 2 } },
  ])
  expect((await bob.post('appeals', { notice_id: body.notice_id, text: 'It was not.' })).status).toBe(201)
  expect((await ada.get('me/notices')).body.items).toEqual([])
  // Moderators cannot warn themselves or an erased account.
  expect(outcome(await mo.post(`admin/users/${mo.id}/warn`, { reason: 'x' }))).toEqual([403, 'forbidden'])
  expect(outcome(await mo.post(`admin/users/${unknown}/warn`, { reason: 'x' }))).toEqual([404, 'not_found'])
})

test('without an end, it lasts until it is lifted', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  for (const until of [undefined, null]) {
    const { body } = await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Scam.', until })
    expect(body).toEqual({ user_id: bob.id, suspended: true, reason: 'Scam.', until: null })
  }
  expect((await bob.get('me')).body.detail).toContain('without end')
  const lifted = await mo.post(`admin/users/${bob.id}/unsuspend`, { reason: 'A mistake.' })
  expect(lifted.status).toBe(200)
  expect(lifted.body).toEqual({ user_id: bob.id, suspended: false, reason: null, until: null })
  expect((await bob.get('me')).status).toBe(200)
  expect((await noticesOf(bob)).map(({ action, reason }) => [action, reason])).toEqual([
    ['unsuspend', 'A mistake.'],
    ['suspend', 'Scam.'],
    ['suspend', 'Scam.'],
  ])
  // Lifting a suspension that does not exist changes nothing and notifies nobody.
  const before = await stateOf(app)
  expect((await mo.post(`admin/users/${bob.id}/unsuspend`)).status).toBe(200)
  expect(await stateOf(app)).toBe(before)
})

test('nobody suspends an admin or themselves, and a moderator cannot suspend a moderator', async () => {
  const app = await testApp()
  const { ada, mo } = await setting(app)
  const [other, admin, root] = [
    await withRole(app, 'moderator'),
    await withRole(app, 'admin'),
    await withRole(app, 'admin'),
  ]
  const reportOf = (person: Person) => ada.post('reports', { user_id: person.id, reason: 'other' })
  const reports = { mo: await reportOf(mo), other: await reportOf(other), admin: await reportOf(admin) }
  const before = await stateOf(app)
  const suspend = (by: Person, { id }: Person) => by.post(`admin/users/${id}/suspend`, { reason: 'No.' })
  const tries = [
    await suspend(mo, admin),
    await suspend(mo, other),
    await suspend(mo, mo),
    await suspend(admin, root),
    await suspend(admin, admin),
    await resolve(mo, reports.admin, { action: 'suspend' }),
    await resolve(mo, reports.other, { action: 'suspend' }),
    await resolve(root, reports.admin, { action: 'suspend' }),
    // Nor can they resolve a report about themselves in any way.
    await resolve(mo, reports.mo, { action: 'suspend' }),
    await resolve(mo, reports.mo, { action: 'dismiss' }),
  ]
  for (const refused of tries) expect(outcome(refused)).toEqual([403, 'forbidden'])
  expect(outcome(await mo.post(`admin/users/${unknown}/suspend`, { reason: 'No.' }))).toEqual([404, 'not_found'])
  expect(await stateOf(app)).toBe(before)
  // An admin may suspend a moderator, and only an admin may lift it.
  expect((await suspend(admin, other)).status).toBe(200)
  expect(outcome(await other.get('admin/reports'))).toEqual([403, 'suspended'])
  expect(outcome(await mo.post(`admin/users/${other.id}/unsuspend`))).toEqual([403, 'forbidden'])
  expect((await root.post(`admin/users/${other.id}/unsuspend`)).status).toBe(200)
  expect((await other.get('admin/reports')).status).toBe(200)
})

test('only admins decide reports about moderators and admins, even to dismiss them', async () => {
  const app = await testApp()
  const { ada, mo } = await setting(app)
  const [other, admin, root] = [
    await withRole(app, 'moderator'),
    await withRole(app, 'admin'),
    await withRole(app, 'admin'),
  ]
  for (const person of [other, admin]) {
    const chatId = (await person.post('chats', { user_id: ada.id })).body.id
    const { id: message_id } = await send(person, chatId, 'hello')
    const [profile, message] = [
      await ada.post('reports', { user_id: person.id, reason: 'other' }),
      await ada.post('reports', { message_id, reason: 'other' }),
    ]
    const before = await stateOf(app)
    for (const report of [profile, message])
      for (const action of ['dismiss', 'warn', 'remove_content', 'suspend'])
        expect(outcome(await resolve(mo, report, { action }))).toEqual([403, 'forbidden'])
    expect(await stateOf(app)).toBe(before)
    expect((await resolve(root, profile, { action: 'warn' })).status).toBe(200)
    expect((await resolve(root, message, { action: 'remove_content' })).status).toBe(200)
    const dismissed = await ada.post('reports', { user_id: person.id, reason: 'spam' })
    expect((await resolve(root, dismissed, { action: 'dismiss' })).status).toBe(200)
  }
})

test('a suspended user can read the reason, appeal once, log out, and nothing else', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'scam' })
  await resolve(mo, report, { action: 'suspend', note: 'Scam.', until: later })
  const [notice] = await noticesOf(bob)
  expect(notice).toMatchObject({ action: 'suspend', ground: 'scam', reason: 'Scam.', until: later, appeal: null })
  for (const [body, status] of [
    [{ notice_id: notice.id }, 422],
    [{ notice_id: notice.id, text: ' ' }, 422],
    [{ notice_id: notice.id, text: 'x'.repeat(2001) }, 422],
    [{ notice_id: 'nonsense', text: 'Why?' }, 422],
    [{ notice_id: unknown, text: 'Why?' }, 404],
  ] as const)
    expect((await bob.post('appeals', body)).status).toBe(status)
  // Somebody else's notice does not count.
  expect((await ada.post('appeals', { notice_id: notice.id, text: 'Why?' })).status).toBe(404)
  const appeals = await Promise.all(
    Array.from({ length: 5 }, () => bob.post('appeals', { notice_id: notice.id, text: ' It was not me. ' })),
  )
  expect(appeals.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  const { body: appeal } = appeals.find(({ status }) => status === 201)!
  expect(appeal).toEqual({
    id: expect.any(String),
    notice_id: notice.id,
    text: 'It was not me.',
    status: 'open',
    created_at: '2026-11-21T12:00:00.000Z',
    resolved_at: null,
    note: null,
  })
  expect((await bob.get('appeals')).body.items).toEqual([appeal])
  expect(await noticesOf(bob)).toMatchObject([{ appeal: { id: appeal.id, status: 'open' }, how_to_appeal: null }])
  expect((await bob.get('me')).status).toBe(403)
  expect((await bob.post('auth/logout')).status).toBe(204)
  expect((await bob.get('me/notices')).status).toBe(401)
})

test('every other route that needs a token refuses a suspended user with 403', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Scam.' })
  const open = new Set([
    'GET /api/v1/me/notices',
    'GET /api/v1/appeals',
    'POST /api/v1/appeals',
    'POST /api/v1/auth/logout',
    // It needs only the token of its link.
    'POST /unsubscribe',
  ])
  let refused = 0
  for (const { method, path } of app.app.routes) {
    const url = path.replace(/:\w+/g, unknown)
    // Each of them takes its own token.
    if (open.has(`${method} ${path}`) || path === '/ws' || path === '/api/v1/auth/refresh') continue
    if ((await app.request(method, url)).status !== 401) continue
    const answer = await app.request(method, url, { headers: { authorization: `Bearer ${bob.token}` } })
    expect([method, path, ...outcome(answer)]).toEqual([method, path, 403, 'suspended'])
    refused++
  }
  expect(refused).toBeGreaterThan(30)
})

test('a user who cannot log in appeals with their credentials, and gets no session', async () => {
  const app = await testApp()
  const { bob, ada, mo } = await setting(app)
  const appeal = (body: object) => app.request('POST', 'auth/appeals', { body: { text: 'It was not me.', ...body } })
  const mine = { email: bob.email, password }
  expect(outcome(await appeal(mine))).toEqual([409, 'conflict'])
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Scam.' })
  app.clock.now += 2 * hours
  const refused: [object, number, string][] = [
    [{ ...mine, password: 'not the password' }, 401, 'invalid_credentials'],
    [{ email: 'nobody@example.org', password }, 401, 'invalid_credentials'],
    [{ email: bob.email }, 422, 'validation_failed'],
    [{ password }, 422, 'validation_failed'],
    [{}, 422, 'validation_failed'],
    [{ ...mine, init_data: 'user=1' }, 422, 'validation_failed'],
    [{ ...mine, text: '' }, 422, 'validation_failed'],
    [{ init_data: 'user=1' }, 503, 'messenger_not_configured'],
    [{ email: ada.email, password }, 409, 'conflict'],
  ]
  for (const [body, status, code] of refused) expect(outcome(await appeal(body))).toEqual([status, code])
  const filed = await appeal(mine)
  expect(filed.status).toBe(201)
  expect(filed.body).toMatchObject({ status: 'open', text: 'It was not me.' })
  expect(filed.headers.get('set-cookie')).toBeNull()
  expect(filed.text).not.toContain('token')
  expect(outcome(await appeal(mine))).toEqual([409, 'conflict'])
  const { items } = (await (await freshly(app, mo)).get('admin/appeals?status=open')).body
  expect(items).toMatchObject([{ user_id: bob.id, notice: { action: 'suspend', reason: 'Scam.' }, waiting_s: 0 }])
})

test('a suspended messenger user appeals with init data', async () => {
  const botToken = '7000000001:a-token-of-the-tests'
  const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
  const mo = await withRole(app, 'moderator')
  const initData = (id: number) => {
    const fields = { auth_date: String(app.clock.now / 1000), user: JSON.stringify({ id, first_name: 'Eve' }) }
    const key = createHmac('sha256', 'WebAppData').update(botToken).digest()
    const checked = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
    const hash = createHmac('sha256', key).update(checked.join('\n')).digest('hex')
    return new URLSearchParams({ ...fields, hash }).toString()
  }
  const { user } = (await app.request('POST', 'auth/messenger', { body: { init_data: initData(42) } })).body
  await mo.post(`admin/users/${user.id}/suspend`, { reason: 'Scam.' })
  const appeal = (id: number) =>
    app.request('POST', 'auth/appeals', { body: { init_data: initData(id), text: 'Please look again.' } })
  expect((await appeal(42)).status).toBe(201)
  // An unknown user does not get an account by it.
  const before = await app.rows('SELECT id FROM users ORDER BY id')
  expect(outcome(await appeal(43))).toEqual([401, 'invalid_credentials'])
  expect(await app.rows('SELECT id FROM users ORDER BY id')).toEqual(before)
})

/** The user with a current token. */
async function freshly(app: TestApp, person: Person) {
  return app.as((await login(app, person)).body.access_token)
}

test('an upheld appeal lifts the suspension, a rejected one does not, and both send a notice', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  for (const decision of ['reject', 'uphold']) {
    await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Scam.', note: 'Internal' })
    const [notice] = await noticesOf(bob)
    await bob.post('appeals', { notice_id: notice.id, text: 'It was not me.' })
    const [queued] = (await mo.get('admin/appeals?status=open')).body.items
    expect(queued.notice).toMatchObject({ id: notice.id, note: 'Internal' })
    for (const body of [{}, { decision: 'maybe', note: 'x' }, { decision, note: '' }])
      expect((await mo.post(`admin/appeals/${queued.id}/resolve`, body)).status).toBe(422)
    const settle = () => mo.post(`admin/appeals/${queued.id}/resolve`, { decision, note: 'We looked again.' })
    const answers = await Promise.all([settle(), settle()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const { body } = answers.find(({ status }) => status === 200)!
    const upheld = decision === 'uphold'
    const status = upheld ? 'upheld' : 'rejected'
    expect(body).toMatchObject({ id: queued.id, status, resolved_by: mo.id, note: 'We looked again.' })
    expect((await bob.get('me')).status).toBe(upheld ? 200 : 403)
    const [told, against] = await noticesOf(bob)
    expect(told).toMatchObject({ action: `appeal_${status}`, reason: 'We looked again.', how_to_appeal: null })
    expect(against).toMatchObject({ id: notice.id, appeal: { status } })
    expect((await bob.get('appeals')).body.items[0]).toMatchObject({ status, note: 'We looked again.' })
    expect((await bob.get('appeals')).text).not.toContain(mo.id)
    expect(JSON.stringify(await noticesOf(bob))).not.toContain('Internal')
    // A decision on an appeal is final.
    expect((await bob.post('appeals', { notice_id: told.id, text: 'Once more.' })).status).toBe(422)
  }
  expect(outcome(await mo.post(`admin/appeals/${unknown}/resolve`, { decision: 'uphold', note: 'x' }))).toEqual([
    404,
    'not_found',
  ])
})

test('the whole of a case has the audit entries of its appeals, and of no other', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const chat = await app.met(ada, bob)
  const review = async () => {
    for (const person of [ada, bob, ada]) await person.post(`chats/${chat}/messages`, { text: 'Tea' })
    return (await bob.post('reviews', { chat_id: chat, rating: 1, anonymous: true, text: 'Rude.' })).body.id
  }
  const message = async () => (await bob.post(`chats/${chat}/messages`, { text: 'Toad' })).body.id
  const cases = []
  for (const target of [
    { message_id: await message() },
    { message_id: await message() },
    { review_id: await review() },
  ]) {
    const id = (await ada.post('reports', { ...target, reason: 'hate' })).body.id
    expect((await mo.post(`admin/reports/${id}/resolve`, { action: 'warn', note: 'No.' })).status).toBe(200)
    const [notice] = await noticesOf(bob)
    const appeal = (await bob.post('appeals', { notice_id: notice.id, text: 'Why?' })).body.id
    const body = { decision: 'reject', note: 'Because.' }
    expect((await mo.post(`admin/appeals/${appeal}/resolve`, body)).status).toBe(200)
    cases.push({ id, appeal, named: 'review_id' in target ? null : bob.id })
  }
  for (const { id, appeal, named } of cases) {
    const { entries } = (await app.services.storage.moderation.wholeCase(id))!
    expect(entries.map(({ action }) => action)).toEqual(['report', 'report_resolved', 'appeal', 'appeal_resolved'])
    expect(entries.slice(2)).toMatchObject([
      { actor_id: named, subject_id: appeal },
      { actor_id: mo.id, subject_id: named, metadata: { appeal_id: appeal, decision: 'reject' } },
    ])
  }
})

test('an upheld appeal lifts only the suspension that it is about', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Spam.' })
  const [first] = await noticesOf(bob)
  const { body: appeal } = await bob.post('appeals', { notice_id: first.id, text: 'It was not me.' })
  app.clock.now += 1000
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Threats.' })
  const resolved = await mo.post(`admin/appeals/${appeal.id}/resolve`, { decision: 'uphold', note: 'Not spam.' })
  expect(resolved.body.status).toBe('upheld')
  const why = { code: 'suspended', reason: 'Threats.', until: null, detail: expect.stringContaining('Threats.') }
  expect((await bob.get('me')).body).toMatchObject(why)
})

test('the audit log tells who did what to whom, and never contains what was written', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const message = await send(bob, chatId, 'Secret insult')
  const report = await ada.post('reports', { message_id: message.id, reason: 'hate', details: 'Secret details' })
  app.clock.now += 1000
  await mo.get(`admin/reports/${report.body.id}`)
  app.clock.now += 1000
  await resolve(mo, report, { action: 'suspend', note: 'Secret note', until: later })
  app.clock.now += 1000
  await mo.post(`admin/users/${bob.id}/unsuspend`, { reason: 'Secret reason' })
  const listed = async (query: string) => (await mo.get(`admin/audit?${query}`)).body.items as any[]
  const all = await listed('limit=100')
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  )
  expect(JSON.stringify(all)).not.toContain('Secret')
  const [unsuspended, suspended, read] = await listed(`actor_id=${mo.id}`)
  expect(unsuspended).toMatchObject({ action: 'unsuspend', subject_id: bob.id })
  expect(suspended).toMatchObject({
    action: 'report_resolved',
    actor_id: mo.id,
    subject_id: bob.id,
    metadata: { report_id: report.body.id, action: 'suspend', until: later },
  })
  expect(read).toMatchObject({ action: 'report_read', subject_id: report.body.id })
  expect((await listed(`subject_id=${bob.id}&action=unsuspend`)).map(({ id }) => id)).toEqual([unsuspended.id])
  expect((await listed(`from=${unsuspended.at}`)).map(({ id }) => id)).toEqual([unsuspended.id])
  const until = await listed(`actor_id=${mo.id}&to=${encodeURIComponent('2026-11-21T13:00:02+01:00')}`)
  expect(until.map(({ id }) => id)).toEqual([suspended.id, read.id])
  const first = (await mo.get('admin/audit?limit=2')).body
  const rest = (await mo.get(`admin/audit?limit=100&cursor=${first.next_cursor}`)).body
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  const noTimes = [
    'from=yesterday',
    'to=2026-11-2',
    'to=2026-02-31T25:61Z',
    'from=2026-99-99T00:00Z',
    'to=2036-02-30T00:00:00Z',
  ]
  for (const query of [...noTimes, 'actor_id=mo', 'limit=0', 'cursor=nonsense'])
    expect((await mo.get(`admin/audit?${query}`)).status).toBe(422)
})

test('the audit log does not tell a moderator who blocked, reported or anonymously reviewed them', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const [other, cleo] = [await withRole(app, 'moderator'), await app.person('Cleo')]
  const chatWithMo = await app.met(cleo, mo)
  const review = (await cleo.post('reviews', { chat_id: chatWithMo, rating: 1, anonymous: true, text: 'Rude.' })).body
  const { id: ownReport } = (await mo.post('reports', { review_id: review.id, reason: 'hate' })).body
  const ofMo = await bob.post('reports', { user_id: mo.id, reason: 'spam' })
  const block = (await ada.post('blocks', { user_id: mo.id })).body
  await ada.delete(`blocks/${block.id}`)
  await ada.post('blocks', { user_id: bob.id })
  await other.get(`admin/reports/${ownReport}`)
  await resolve(other, { body: { id: ownReport } }, { action: 'remove_content' })
  await resolve(other, ofMo, { action: 'dismiss' })
  const [notice] = await noticesOf(cleo)
  const appeal = (await cleo.post('appeals', { notice_id: notice.id, text: 'It was so.' })).body
  const listed = async (reader: Person, query = '') =>
    (await reader.get(`admin/audit?limit=100${query}`)).body.items as any[]
  const actionsOf = (entries: any[]) => entries.map(({ action }) => action)
  // Another moderator sees everything except the author of the review.
  const all = await listed(other)
  for (const action of ['block', 'unblock', 'report', 'report_read', 'report_resolved', 'appeal'])
    expect(actionsOf(all)).toContain(action)
  expect(JSON.stringify(all.filter(({ action }) => /^re(port|view)/.test(action)))).not.toContain(cleo.id)
  expect(actionsOf(all)).not.toContain('review')
  // Mo sees no entry about Mo, whatever the query.
  const seen = await listed(mo)
  expect(actionsOf(seen).filter((action) => /^(report|review|appeal)/.test(action))).toEqual([])
  expect((await mo.get('admin/appeals')).body.items).toEqual([])
  expect((await other.get('admin/appeals')).body.items).toMatchObject([{ id: appeal.id, user_id: null }])
  const judged = (by: Person) => by.post(`admin/appeals/${appeal.id}/resolve`, { decision: 'reject', note: 'No.' })
  expect(outcome(await judged(mo))).toEqual([403, 'forbidden'])
  expect((await judged(other)).status).toBe(200)
  expect(actionsOf(await listed(mo)).filter((action) => action.startsWith('appeal'))).toEqual([])
  expect(seen.filter(({ action }) => /block/.test(action)).map(({ subject_id }) => subject_id)).toEqual([bob.id])
  for (const query of [
    `&subject_id=${mo.id}`,
    `&subject_id=${cleo.id}`,
    `&subject_id=${ownReport}`,
    `&subject_id=${ofMo.body.id}`,
    `&actor_id=${bob.id}`,
    `&actor_id=${ada.id}`,
  ])
    for (const { action, subject_id } of await listed(mo, query))
      expect([query, action, /report/.test(action) || (/block/.test(action) && subject_id === mo.id)]).toEqual([
        query,
        action,
        false,
      ])
  const { id, subject_id } = (await other.get('admin/reports?status=resolved')).body.items[0]
  expect([id, subject_id]).toEqual([ownReport, null])
})

test('the audit log does not tell a moderator whose accounts others open because of a report that concerns them', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const [root, cleo] = [await withRole(app, 'admin'), await app.person('Cleo')]
  const chat = await app.met(cleo, mo)
  const review = (await cleo.post('reviews', { chat_id: chat, rating: 1, anonymous: true, text: 'Rude.' })).body
  await mo.post('reports', { review_id: review.id, reason: 'hate' })
  await bob.post('reports', { user_id: mo.id, reason: 'spam' })
  // The console opens the account with each report; who reads the log could tell by the time which one belongs to which.
  for (const { id } of [cleo, bob, ada]) expect((await root.get(`admin/users/${id}`)).status).toBe(200)
  const opened = async (reader: Person, query = '') =>
    (await reader.get(`admin/audit?action=person_read${query}`)).body.items.map((entry: any) => entry.subject_id)
  expect(await opened(root)).toEqual([ada.id, bob.id, cleo.id])
  expect(await opened(mo)).toEqual([ada.id])
  expect(await opened(mo, `&subject_id=${cleo.id}`)).toEqual([])
  // One's own entries are always there: otherwise opening an account would tell.
  expect((await mo.get(`admin/users/${cleo.id}`)).status).toBe(200)
  expect(await opened(mo)).toEqual([cleo.id, ada.id])
})

test('decisions about an account that is erased meanwhile', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const message = await send(bob, chatId, 'Insult')
  const report = await ada.post('reports', { message_id: message.id, reason: 'hate' })
  await app.rows('UPDATE users SET deleted_at = 1, name = NULL WHERE id = ?', bob.id)
  for (const action of ['warn', 'suspend'])
    expect(outcome(await resolve(mo, report, { action }))).toEqual([409, 'conflict'])
  expect(outcome(await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'x' }))).toEqual([404, 'not_found'])
  expect((await resolve(mo, report, { action: 'remove_content' })).status).toBe(200)
  expect(await app.rows('SELECT * FROM notices')).toEqual([])
})

test('a report can still be read after its evidence is removed', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'hate' })
  await resolve(mo, report, { action: 'dismiss' })
  await app.rows('UPDATE reports SET evidence = NULL')
  app.clock.now += 300 * days
  const { status, body } = await (await freshly(app, mo)).get(`admin/reports/${report.body.id}`)
  expect([status, body.evidence, body.status]).toEqual([200, null, 'resolved'])
})

test('a removed profile is no longer found by its former content', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  for (const person of [ada, bob]) await person.put('me/location', { latitude: 52.5, longitude: 13.4 })
  await bob.put('me/prefs', { drinks: ['Rude'] })
  const found = async () => (await ada.get('search/nearby?lat=52.5&lng=13.4&drinks=Rude')).body.items
  expect(await found()).toHaveLength(1)
  await resolve(mo, await ada.post('reports', { user_id: bob.id, reason: 'hate' }), { action: 'remove_content' })
  expect(await found()).toEqual([])
})

test('the queue contains a report of a review whose author is erased', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const review = (await ada.post('reviews', { chat_id: chatId, rating: 1, text: 'Bad.' })).body
  expect((await ada.delete('me', { password })).status).toBe(204)
  const { body } = await bob.post('reports', { review_id: review.id, reason: 'hate' })
  expect((await mo.get('admin/reports?status=open')).body.items).toMatchObject([{ id: body.id, subject_id: null }])
})

test('a removed message no longer counts as unread', async () => {
  const app = await testApp()
  const { ada, bob, mo, chatId } = await setting(app)
  const message = await send(bob, chatId, 'Insult')
  expect((await ada.get(`chats/${chatId}`)).body.unread_count).toBe(1)
  await resolve(mo, await ada.post('reports', { message_id: message.id, reason: 'hate' }), { action: 'remove_content' })
  expect((await ada.get(`chats/${chatId}`)).body.unread_count).toBe(0)
})

test('a resolution has its end, in the answer and later', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'scam' })
  const { body } = await resolve(mo, report, { action: 'suspend', until: later })
  expect(body.resolution.until).toBe(later)
  expect((await mo.get('admin/reports?status=resolved')).body.items[0].resolution.until).toBe(later)
})

test('a suspension by a report uses the note as its reason', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const report = await ada.post('reports', { user_id: bob.id, reason: 'scam' })
  await resolve(mo, report, { action: 'suspend', note: 'Sold what was not there.' })
  expect((await bob.get('me')).body.detail).toBe('This account is suspended without end: Sold what was not there.')
})

test('only an admin lifts the suspension of a moderator, even by an appeal', async () => {
  const app = await testApp()
  const [mo, other, root] = [
    await withRole(app, 'moderator'),
    await withRole(app, 'moderator'),
    await withRole(app, 'admin'),
  ]
  await root.post(`admin/users/${other.id}/suspend`, { reason: 'Bribes.' })
  const [notice] = await noticesOf(other)
  const { body: appeal } = await other.post('appeals', { notice_id: notice.id, text: 'No.' })
  const uphold = (by: Person) => by.post(`admin/appeals/${appeal.id}/resolve`, { decision: 'uphold', note: 'Right.' })
  expect(outcome(await uphold(mo))).toEqual([403, 'forbidden'])
  expect((await mo.get('admin/appeals?status=open')).body.items).toHaveLength(1)
  expect((await uphold(root)).status).toBe(200)
  expect((await other.get('me')).status).toBe(200)
})

test('an appeal says whether the moderator may resolve it, as the answer to their decision does', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const [mo, root] = [await withRole(app, 'moderator'), await withRole(app, 'admin')]
  const decide = { action: 'warn' }
  /** The appeals that are open, with what they say to this moderator. */
  const may = async (by: Person) =>
    Object.fromEntries(
      (await by.get('admin/appeals?status=open')).body.items.map((item: any) => [item.text, item.may_resolve]),
    )
  const appeal = async (by: Person, text: string) =>
    (await by.post('appeals', { notice_id: (await noticesOf(by))[0].id, text })).body.id as string
  // Mo has decided about Ada, and reported Bob, about whom an admin has decided; a moderator is for admins.
  await mo.post(`admin/users/${ada.id}/warn`, { reason: 'Be kind.' })
  const own = await appeal(ada, 'against Mo')
  await resolve(root, await mo.post('reports', { user_id: bob.id, reason: 'spam' }), decide)
  await appeal(bob, 'reported by Mo')
  const ned = await withRole(app, 'moderator')
  await root.post(`admin/users/${ned.id}/warn`, { reason: 'Be quick.' })
  const staff = await appeal(ned, 'of a moderator')
  const cleo = await app.person('Cleo')
  await root.post(`admin/users/${cleo.id}/warn`, { reason: 'Be short.' })
  const other = await appeal(cleo, 'for Mo')
  expect(await may(mo)).toEqual({
    'against Mo': false,
    'reported by Mo': false,
    'of a moderator': false,
    'for Mo': true,
  })
  // Nobody but Root may decide about a moderator. The one who reported is nobody else.
  expect(await may(root)).toEqual({
    'against Mo': true,
    'reported by Mo': false,
    'of a moderator': true,
    'for Mo': false,
  })
  const answer = async (by: Person, id: string) =>
    (await by.post(`admin/appeals/${id}/resolve`, { decision: 'reject', note: 'No.' })).status
  expect([await answer(mo, own), await answer(mo, staff), await answer(root, other)]).toEqual([403, 403, 403])

  // If nobody else is left, it is for who made the decision.
  await root.post(`admin/users/${ned.id}/role`, { role: 'user' })
  await root.post(`admin/users/${mo.id}/role`, { role: 'user' })
  expect(await may(root)).toEqual({
    'against Mo': true,
    'reported by Mo': true,
    'of a moderator': true,
    'for Mo': true,
  })
  expect(await answer(root, other)).toBe(200)
  expect((await root.get('admin/appeals?status=rejected')).body.items).toMatchObject([
    { text: 'for Mo', may_resolve: false },
  ])
})

test('nobody decides their own appeal', async () => {
  const app = await testApp()
  const { ada } = await setting(app)
  const [mo, root] = [await withRole(app, 'moderator'), await withRole(app, 'admin')]
  await resolve(root, await ada.post('reports', { user_id: mo.id, reason: 'hate' }), { action: 'warn' })
  const [notice] = await noticesOf(mo)
  const { body: appeal } = await mo.post('appeals', { notice_id: notice.id, text: 'No.' })
  const uphold = (by: Person) => by.post(`admin/appeals/${appeal.id}/resolve`, { decision: 'uphold', note: 'Right.' })
  expect(outcome(await uphold(mo))).toEqual([403, 'forbidden'])
  app.clock.now += 90_000
  expect((await root.get('admin/appeals')).body.items).toMatchObject([{ id: appeal.id, waiting_s: 90 }])
  expect((await uphold(root)).status).toBe(200)
})

test('the event of a removed message has its client_id only for its sender, and its photo is removed', async () => {
  const app = await testApp()
  const base = await app.listen()
  const { ada, bob, mo, chatId } = await setting(app)
  const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
  const form = new FormData()
  form.append('file', new Blob([await new Bun.Image(pixel).resize(8, 8, { fit: 'fill' }).png().bytes()]), 'a.png')
  const photo = (await bob.post('media', form)).body.id
  const message = (await bob.post(`chats/${chatId}/messages`, { kind: 'photo', photo, client_id: 'c1' })).body
  const report = await ada.post('reports', { message_id: message.id, reason: 'nudity' })
  await app.rows('DELETE FROM evidence_photos')
  const clients = [connect(base, ada.token), connect(base, bob.token)]
  for (const client of clients) await client.until(ofType('hello'))
  expect((await resolve(mo, report, { action: 'remove_content' })).status).toBe(200)
  const told = await Promise.all(clients.map((client) => client.until(ofType('message_deleted'))))
  expect(told.map(({ data }) => [data.id, data.deleted, data.client_id])).toEqual([
    [message.id, true, null],
    [message.id, true, 'c1'],
  ])
  expect(await app.rows('SELECT id FROM media')).toEqual([])
})

test('a user whose suspension is over has to log in to appeal', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Scam.', until: later })
  app.clock.now = Date.parse(later)
  const answer = await app.request('POST', 'auth/appeals', { body: { email: bob.email, password, text: 'Why?' } })
  expect(outcome(answer)).toEqual([409, 'conflict'])
  expect(await app.rows('SELECT id FROM appeals')).toEqual([])
})

test('a suspension needs a reason, and an end with a time zone', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  for (const body of [
    {},
    { reason: '' },
    { reason: ' ' },
    { reason: 'x'.repeat(1001) },
    { reason: 'x', note: 'x'.repeat(2001) },
    { reason: 'x', until: '2027-01-01T00:00:00' },
  ])
    expect((await mo.post(`admin/users/${bob.id}/suspend`, body)).status).toBe(422)
  expect((await bob.get('me')).status).toBe(200)
  expect(
    (await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'x'.repeat(1000), note: 'x'.repeat(2000) })).status,
  ).toBe(200)
})

test('users see only their own appeals', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  for (const person of [ada, bob]) {
    await mo.post(`admin/users/${person.id}/suspend`, { reason: 'Scam.' })
    const [notice] = await noticesOf(person)
    await person.post('appeals', { notice_id: notice.id, text: `${person.name} says no.` })
  }
  for (const person of [ada, bob])
    expect((await person.get('appeals')).body.items.map(({ text }: any) => text)).toEqual([`${person.name} says no.`])
})

type Who = 'judge' | 'moderator' | 'admin' | 'user' | null

/** The judge, the subject, the others with a role, and the result. */
const cases: [
  what: string,
  judge: Role,
  of: Partial<Record<'subject' | 'party' | 'decider', Who>>,
  others: Role[],
  outcome: CaseRefusal | null,
][] = [
  ['a user decides nothing', 'user', { subject: 'user' }, [], 'no_moderator'],
  ['a moderator about a user', 'moderator', { subject: 'user' }, [], null],
  ['a moderator about nobody who is known', 'moderator', { subject: null }, [], null],
  ['a moderator about themselves', 'moderator', { subject: 'judge' }, ['moderator'], 'own_case'],
  ['a moderator their own report', 'moderator', { subject: 'user', party: 'judge' }, ['moderator'], 'own_case'],
  ['a moderator about a moderator', 'moderator', { subject: 'moderator' }, [], 'for_admins'],
  ['a moderator about an admin', 'moderator', { subject: 'admin' }, [], 'for_admins'],
  ['an admin about a user', 'admin', { subject: 'user' }, [], null],
  ['an admin about a moderator', 'admin', { subject: 'moderator' }, [], null],
  ['an admin about another admin', 'admin', { subject: 'admin' }, [], null],
  ['an admin about themselves', 'admin', { subject: 'judge' }, ['admin'], 'own_case'],
  ['an admin their own report', 'admin', { subject: 'moderator', party: 'judge' }, ['admin'], 'own_case'],
  [
    'an appeal against somebody else’s decision',
    'moderator',
    { subject: 'user', decider: 'moderator' },
    ['moderator'],
    null,
  ],
  ['an appeal against one’s own, alone', 'moderator', { subject: 'user', decider: 'judge' }, [], null],
  ['… with another moderator', 'moderator', { subject: 'user', decider: 'judge' }, ['moderator'], 'decided_before'],
  ['… with an admin', 'moderator', { subject: 'user', decider: 'judge' }, ['admin'], 'decided_before'],
  ['… with users only', 'moderator', { subject: 'user', decider: 'judge' }, ['user'], null],
  ['an admin’s own, with a moderator', 'admin', { subject: 'user', decider: 'judge' }, ['moderator'], 'decided_before'],
  [
    '… about a moderator, with moderators only',
    'admin',
    { subject: 'moderator', decider: 'judge' },
    ['moderator'],
    null,
  ],
  [
    '… about a moderator, with an admin',
    'admin',
    { subject: 'moderator', decider: 'judge' },
    ['admin'],
    'decided_before',
  ],
]

test.each(cases)(
  'who decides what: %s',
  (_, role, { subject = null, party = null, decider = null }, others, outcome) => {
    const status = (id: string, given: Role): ModerationStatus => ({
      ...{ id, role: given, suspended_until: null, suspension_id: null, deleted_at: null },
    })
    const judge = status('judge', role)
    const person = (who: Who) => (who === null ? null : who === 'judge' ? judge : status('subject', who))
    const about = {
      judge_id: judge.id,
      subject_id: person(subject)?.id ?? null,
      parties: party === 'judge' ? [judge.id] : ['somebody'],
      suspends: false,
      decided_by: decider === 'judge' ? judge.id : decider && 'another',
    }
    const colleagues = [judge, ...others.map((given, i) => status(`other ${i}`, given))]
    expect(canDecide(about, { judge, subject: person(subject), colleagues, now: 5 })).toBe(outcome)
    // A colleague who is suspended, concerned or erased could not decide instead.
    for (const unfit of [
      { colleagues: colleagues.map((one) => (one === judge ? one : { ...one, suspended_until: 6 })) },
      { colleagues: colleagues.map((one) => (one === judge ? one : { ...one, deleted_at: 1 })) },
    ])
      expect(canDecide(about, { judge, subject: person(subject), now: 5, ...unfit })).toBe(
        outcome === 'decided_before' ? null : outcome,
      )
    expect(
      canDecide(about, { judge: { ...judge, suspended_until: 6 }, subject: person(subject), colleagues, now: 5 }),
    ).toBe('no_moderator')
  },
)

test('nobody resolves their own reports in any way', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  const [other, root] = [await withRole(app, 'moderator'), await withRole(app, 'admin')]
  for (const [reporter, judge] of [
    [mo, other],
    [root, mo],
  ] as const) {
    const report = await reporter.post('reports', { user_id: bob.id, reason: 'spam' })
    const before = await stateOf(app)
    for (const action of ['dismiss', 'warn', 'remove_content', 'suspend'])
      expect(outcome(await resolve(reporter, report, { action }))).toEqual([403, 'forbidden'])
    expect(await stateOf(app)).toBe(before)
    expect((await resolve(judge, report, { action: 'dismiss' })).status).toBe(200)
  }
})

test('the first decider cannot decide the appeal if somebody else can', async () => {
  const app = await testApp()
  const { ada, bob, mo } = await setting(app)
  const settle = (by: Person, { body }: { body: { id: string } }, decision: string) =>
    by.post(`admin/appeals/${body.id}/resolve`, { decision, note: 'We looked again.' })
  const appealed = async () => {
    app.clock.now += 1000
    const [notice] = await noticesOf(bob)
    return bob.post('appeals', { notice_id: notice.id, text: 'It was not me.' })
  }
  await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Spam.' })
  const alone = await appealed()
  const other = await withRole(app, 'moderator')
  for (const decision of ['uphold', 'reject'])
    expect(outcome(await settle(mo, alone, decision))).toEqual([403, 'forbidden'])
  expect((await settle(other, alone, 'uphold')).status).toBe(200)
  // The same for a report.
  await resolve(other, await ada.post('reports', { user_id: bob.id, reason: 'spam' }), { action: 'warn' })
  const second = await appealed()
  expect(outcome(await settle(other, second, 'reject'))).toEqual([403, 'forbidden'])
  expect((await settle(mo, second, 'reject')).status).toBe(200)
  // Nobody else is left.
  await resolve(other, await ada.post('reports', { user_id: bob.id, reason: 'hate' }), { action: 'warn' })
  const third = await appealed()
  await setRole(app, mo, 'user')
  expect((await settle(other, third, 'reject')).status).toBe(200)
})

test('an appeal of a moderator is for admins, whether they uphold or reject it', async () => {
  const app = await testApp()
  const { mo } = await setting(app)
  const [other, admin, root] = [
    await withRole(app, 'moderator'),
    await withRole(app, 'admin'),
    await withRole(app, 'admin'),
  ]
  await admin.post(`admin/users/${mo.id}/suspend`, { reason: 'Bribes.' })
  const [notice] = await noticesOf(mo)
  const { body: appeal } = await mo.post('appeals', { notice_id: notice.id, text: 'No.' })
  const settle = (by: Person, decision: string) =>
    by.post(`admin/appeals/${appeal.id}/resolve`, { decision, note: 'So it is.' })
  for (const decision of ['uphold', 'reject'])
    for (const by of [other, admin]) expect(outcome(await settle(by, decision))).toEqual([403, 'forbidden'])
  expect((await settle(root, 'reject')).status).toBe(200)
})

test('no list for moderators names the author of an anonymous review, and reading the report is recorded', async () => {
  const app = await testApp()
  const { bob, mo } = await setting(app)
  const cleo = await app.person('Cleo')
  const other = await withRole(app, 'moderator')
  const chat_id = await app.met(cleo, bob)
  const review = (await cleo.post('reviews', { chat_id, rating: 1, anonymous: true, text: 'Insult' })).body
  const report = await bob.post('reports', { review_id: review.id, reason: 'hate' })
  await resolve(other, report, { action: 'remove_content' })
  const [notice] = await noticesOf(cleo)
  const { body: appeal } = await cleo.post('appeals', { notice_id: notice.id, text: 'It was so.' })
  const lists = async () =>
    (await Promise.all(['reports', 'appeals', 'audit?limit=100'].map((path) => mo.get(`admin/${path}`))))
      .map(({ text }) => text)
      .join()
  expect(await lists()).toContain(review.id)
  expect(await lists()).toContain(appeal.id)
  expect(await lists()).not.toContain(cleo.id)
  const settled = await mo.post(`admin/appeals/${appeal.id}/resolve`, { decision: 'reject', note: 'No.' })
  expect(settled.body).toMatchObject({ status: 'rejected', user_id: null, notice: { report_id: report.body.id } })
  expect(await lists()).not.toContain(cleo.id)
  expect((await mo.get(`admin/audit?actor_id=${cleo.id}`)).text).not.toContain(appeal.id)
  expect((await mo.get(`admin/audit?subject_id=${cleo.id}`)).text).not.toContain(appeal.id)
  // The evidence does, and reading it is in the log.
  expect((await mo.get(`admin/reports/${report.body.id}`)).text).toContain(cleo.id)
  expect((await mo.get('admin/audit?action=report_read')).body.items).toMatchObject([
    { actor_id: mo.id, subject_id: report.body.id },
  ])
})
