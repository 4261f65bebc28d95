import { sign } from '@tma.js/init-data-node'
import { afterEach, describe, expect, test } from 'bun:test'
import pino from 'pino'
import { Webhook as Verifier } from 'standardwebhooks'
import { TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import type { Parcel } from '../../src/outbox/store.ts'
import { webhookCarrier } from '../../src/outbox/webhook/carrier.ts'
import { consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { hashOfToken } from '../../src/outbox/mail/links.ts'
import { granted } from '../rows.ts'
import { until } from '../until.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const [secret, otherSecret] = [3, 4].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [
  string,
  string,
]
const hours = 3_600_000

type Got = { id: string; type: string; timestamp: string; data: Record<string, unknown> }
type Behaviour = (got: Got) => Response | Promise<Response>

/** The operator's receiver, which verifies each webhook with each secret, using the library of Standard Webhooks. */
function receiver(secrets = [secret]) {
  const got: Got[] = []
  const raw: { body: string; headers: Record<string, string> }[] = []
  let behave: Behaviour = () => new Response(null, { status: 204 })
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text()
      const headers = request.headers.toJSON() as Record<string, string>
      for (const secret of secrets) new Verifier(secret).verify(body, headers)
      const webhook = JSON.parse(body) as Got
      expect(webhook.id).toBe(headers['webhook-id']!)
      raw.push({ body, headers })
      const answer = await behave(webhook)
      if (answer.ok) got.push(webhook)
      return answer
    },
  })
  closing.push(() => server.stop(true))
  return {
    url: `http://127.0.0.1:${server.port}/convene?key=a-secret-of-the-url`,
    got,
    raw,
    behave(as: Behaviour) {
      behave = as
    },
  }
}

const status = (code: number, headers?: Record<string, string>) => () => new Response('no', { status: code, headers })

async function open(environment: Record<string, string> = {}, to = receiver()) {
  const app = await testApp({ WEBHOOK_URL: to.url, WEBHOOK_SECRET: secret, ...environment })
  // Receivers refuse old signatures.
  app.clock.now = Date.now()
  return { app, to }
}

/** Delivers everything that is due, and what follows from it. */
async function deliver({ nodes }: TestApp) {
  for (const { services } of nodes) {
    services.delivery.wake('webhook')
    await services.delivery.idle()
  }
}

const parcel: Parcel<'webhook'> = {
  id: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11',
  kind: 'webhook',
  user_id: null,
  payload: { about: 'user.updated', data: { user_id: 'ada', fields: ['name'] } },
  created_at: Date.UTC(2026, 10, 22, 12),
  due_at: 0,
  attempts: 0,
  last_error: null,
}

function carrierOf(url: string, given: { secrets?: string[]; timeoutMs?: number } = {}) {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const carrier = webhookCarrier({ url, secrets: [secret], log, timeoutMs: 20_000, ...given })
  return { carrier, logged: () => lines.join('') }
}

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: Error) => error,
  )

describe('a webhook', () => {
  test('is signed by Standard Webhooks, and each attempt differs only in the time of its signature', async () => {
    const to = receiver()
    const { carrier } = carrierOf(to.url)
    await carrier.deliver(parcel)
    await carrier.deliver(parcel)
    expect(to.got).toEqual([
      {
        id: parcel.id,
        type: 'user.updated',
        timestamp: '2026-11-22T12:00:00.000Z',
        data: { user_id: 'ada', fields: ['name'] },
      },
      to.got[0]!,
    ])
    expect(to.raw[0]!.body).toBe(to.raw[1]!.body)
    expect(to.raw[0]!.headers['content-type']).toBe('application/json')
    expect(() => new Verifier(otherSecret).verify(to.raw[0]!.body, to.raw[0]!.headers)).toThrow()
  })

  test('has both signatures while the secret is being changed', async () => {
    const to = receiver([secret, otherSecret])
    await carrierOf(to.url, { secrets: [otherSecret, secret] }).carrier.deliver(parcel)
    expect(to.got).toHaveLength(1)
    expect(to.raw[0]!.headers['webhook-signature']!.split(' ')).toHaveLength(2)
  })

  test('is retried after anything but a 2xx, and 410 is final and logged', async () => {
    const to = receiver()
    const { carrier, logged } = carrierOf(to.url)
    for (const code of [500, 400, 404, 301, 304]) {
      to.behave(status(code, { location: 'http://127.0.0.1:1/' }))
      const failure = await failureOf(carrier.deliver(parcel))
      expect([code, failure.message]).toEqual([code, `the receiver answered ${code}`])
      expect(failure).not.toBeInstanceOf(Undeliverable)
    }
    for (const [wait, ms] of [
      ['120', 120_000],
      ['864000', hours],
      ['0', 1000],
    ] as const) {
      to.behave(status(503, { 'retry-after': wait }))
      const failure = (await failureOf(carrier.deliver(parcel))) as TryLater
      expect([failure instanceof TryLater, failure.afterMs]).toEqual([true, ms])
    }
    to.behave(status(429, { 'retry-after': 'soon' }))
    expect(await failureOf(carrier.deliver(parcel))).not.toBeInstanceOf(TryLater)
    expect(logged()).toBe('')
    to.behave(status(410))
    expect(await failureOf(carrier.deliver(parcel))).toBeInstanceOf(Undeliverable)
    expect(logged()).toContain('410 Gone')
    expect(logged()).not.toContain('a-secret-of-the-url')
    expect(to.got).toEqual([])
  })

  test('waits for a slow receiver, but not for one that never answers or never ends', async () => {
    const to = receiver()
    const { promise: never, resolve: end } = Promise.withResolvers<Response>()
    closing.push(() => end(new Response()))
    to.behave(async () => {
      await Bun.sleep(150)
      return new Response('thanks')
    })
    await carrierOf(to.url).carrier.deliver(parcel)
    expect(to.got).toHaveLength(1)
    // The body of its answer does not matter.
    to.behave(() => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(9)) })))
    await carrierOf(to.url).carrier.deliver(parcel)
    to.behave(() => never)
    const failures = [
      await failureOf(carrierOf(to.url, { timeoutMs: 100 }).carrier.deliver(parcel)),
      await failureOf(carrierOf('http://127.0.0.1:1/?key=a-secret-of-the-url').carrier.deliver(parcel)),
    ]
    expect(failures.map(({ message }) => message)).toEqual([
      'the receiver did not answer in time',
      expect.stringContaining('no connection'),
    ])
    for (const failure of failures) {
      expect(failure).not.toBeInstanceOf(Undeliverable)
      expect(Bun.inspect(failure)).not.toContain('a-secret-of-the-url')
    }
  })
})

/** Causes every event that has a webhook. */
async function everything(app: TestApp) {
  const messenger = app.config.messengerBotToken!
  const init_data = sign({ user: { id: 990_001, first_name: 'Mess' } } as never, messenger, new Date(app.clock.now))
  const register = (body: Record<string, unknown>) =>
    app.request('POST', 'auth/register', { body: { password, consents, ...body } })
  const registered = await register({ email: 'secret-address@example.org', name: 'Secret Name', bio: 'A secret bio' })
  const phoned = await register({ phone: '+4915112345678', name: 'Phoned' })
  await app.request('POST', 'auth/messenger', { body: { init_data } })
  await app.request('POST', 'auth/messenger', { body: { init_data } })
  const [ada, phone] = [registered, phoned].map(({ body }) => ({
    id: body.user.id as string,
    ...app.as(body.access_token),
  })) as [Person, Person]
  const [bob, mo, reporter] = [await app.person('Bob'), await app.person('Mo'), await app.person('Reporter')]
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  app.forget(mo.id)
  await ada.put('me', { name: 'Another Secret', city: 'Secretville', bio: 'A secret bio' })
  await ada.put('me', { name: 'Another Secret' }) // changes nothing
  await ada.put('me/prefs', { drinks: ['secret tea'] })
  await bob.put('me/location', { lat: 52.123456, lng: 13.654321 })
  const chat = (await ada.post('chats', { user_id: bob.id })).body.id
  const message = (await ada.post(`chats/${chat}/messages`, { text: 'A secret text' })).body.id
  await bob.post(`chats/${chat}/messages`, { text: 'An answer' })
  const review = (await bob.post('reviews', { chat_id: chat, rating: 1, anonymous: true, text: 'A secret review' }))
    .body.id
  const file = async (body: object) =>
    (await reporter.post('reports', { reason: 'spam', details: 'Secret details', ...body })).body.id as string
  const report = await file({ user_id: ada.id })
  await file({ user_id: ada.id }) // the same again
  const ofReview = (await ada.post('reports', { review_id: review, reason: 'spam' })).body.id
  await bob.post('reports', { message_id: message, reason: 'spam' })
  await reporter.post('blocks', { user_id: ada.id })
  await reporter.post('blocks', { user_id: ada.id })
  const resolve = (id: string, body: object) =>
    mo.post(`admin/reports/${id}/resolve`, { note: 'A secret note', ...body })
  await resolve(report, { action: 'suspend', until: new Date(app.clock.now + hours).toISOString() })
  await resolve(report, { action: 'dismiss' }) // is resolved already
  await mo.post(`admin/users/${ada.id}/unsuspend`, {})
  await mo.post(`admin/users/${phone.id}/suspend`, { reason: 'A secret reason' })
  await resolve(ofReview, { action: 'remove_content' })
  const notice = async (person: Person) => (await person.get('me/notices')).body.items.at(-1).id
  const appeal = { notice_id: await notice(ada), text: 'A secret appeal' }
  await ada.post('appeals', appeal)
  await ada.post('appeals', appeal)
  await bob.post('appeals', { notice_id: await notice(bob), text: 'A secret appeal' })
  await ada.delete('me', { password })
  return { ada, bob, phone, reporter, mo, report, ofReview, review, message, chat }
}

const wholeCast = { MESSENGER_BOT_TOKEN: '1:messenger-of-the-tests' }

describe('each event', () => {
  test('is sent once, in order for each user, and nothing is sent that was refused or had no effect', async () => {
    const { app, to } = await open(wholeCast)
    const { ada, bob, phone, report, ofReview } = await everything(app)
    await deliver(app)
    const count = (type: string) => to.got.filter((webhook) => webhook.type === type).length
    expect(
      Object.fromEntries([...new Set(to.got.map(({ type }) => type))].sort().map((type) => [type, count(type)])),
    ).toEqual({
      'appeal.created': 2,
      'block.created': 1,
      'report.created': 3,
      'report.resolved': 2,
      'user.created': 3,
      'user.erased': 1,
      'user.suspended': 2,
      'user.unsuspended': 1,
      'user.updated': 2,
    })
    const of = (id: string) => to.got.filter(({ data }) => data.user_id === id || data.report_id === report)
    expect(of(ada.id).map(({ type }) => type)).toEqual([
      'user.created',
      'user.updated',
      'user.updated',
      'report.created',
      'report.created',
      'block.created',
      'report.resolved',
      'user.suspended',
      'user.unsuspended',
      'appeal.created',
      'user.erased',
    ])
    const dataOf = (type: string) => to.got.filter((webhook) => webhook.type === type).map(({ data }) => data)
    expect(dataOf('user.updated')).toEqual([
      { user_id: ada.id, fields: ['name', 'city'] },
      { user_id: ada.id, fields: ['drinks'] },
    ])
    expect(dataOf('user.created')).toContainEqual({ user_id: phone.id, by: 'phone' })
    expect(dataOf('user.suspended')).toEqual(
      expect.arrayContaining([
        { user_id: ada.id, until: new Date(app.clock.now + hours).toISOString() },
        { user_id: phone.id, until: null },
      ]),
    )
    // Neither the report about an anonymous review nor its decision names the author.
    expect(dataOf('report.created')).toContainEqual({
      report_id: ofReview,
      user_id: null,
      target: 'review',
      reason: 'spam',
    })
    expect(dataOf('report.resolved')).toContainEqual({ report_id: ofReview, action: 'remove_content' })
    expect(dataOf('appeal.created').map(({ user_id }) => user_id)).toEqual(expect.arrayContaining([ada.id, null]))
    expect(JSON.stringify(to.got)).not.toContain(bob.id)
  })

  test('contains no text, position or address, and does not name who reported, reviewed or blocked', async () => {
    const { app, to } = await open(wholeCast)
    const { reporter, mo, bob, review, message, chat } = await everything(app)
    await deliver(app)
    const allowed: Record<string, string[]> = {
      'user.created': ['user_id', 'by'],
      'user.updated': ['user_id', 'fields'],
      'user.erased': ['user_id'],
      'user.suspended': ['user_id', 'until'],
      'user.unsuspended': ['user_id'],
      'report.created': ['report_id', 'user_id', 'target', 'reason'],
      'report.resolved': ['report_id', 'action'],
      'appeal.created': ['appeal_id', 'notice_id', 'user_id'],
      'block.created': ['block_id', 'user_id'],
    }
    const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
    for (const { type, data, ...rest } of to.got) {
      expect(Object.keys(rest)).toEqual(['id', 'timestamp'])
      expect([type, Object.keys(data)]).toEqual([type, allowed[type]!])
      for (const [field, value] of Object.entries(data))
        if (field.endsWith('_id') && value !== null)
          expect([type, field, value]).toEqual([type, field, expect.stringMatching(uuid)])
    }
    expect(to.got.length).toBeGreaterThan(15)
    const said = to.raw.map(({ body }) => body).join()
    for (const word of [
      'ecret',
      '@',
      'example.org',
      '4915112345678',
      '990001',
      '52.1',
      '13.6',
      'lat',
      'Phoned',
      'Mess',
    ])
      expect([word, said.includes(word)]).toEqual([word, false])
    for (const id of [reporter.id, mo.id, bob.id, review, message, chat]) expect(said).not.toContain(id)
  })

  test('that others cause for an account is sent too: its role, its address, a profile that a moderator emptied', async () => {
    const { app, to } = await open()
    const [ada, bob, admin] = [await app.person('Ada'), await app.person('Bob'), await app.person('Admin')]
    const { users, emails } = app.services.storage
    await users.setRole(admin.id, 'admin', granted(admin.id, app.clock.now))
    app.forget(admin.id)
    for (const role of ['moderator', 'moderator', 'user'])
      expect((await admin.post(`admin/users/${ada.id}/role`, { role })).status).toBe(200)

    const link = {
      user_id: ada.id,
      email: 'secret-new@example.org',
      expires_at: app.clock.now + hours,
      unverified_at: null,
    }
    const hash = (token: string) => hashOfToken(token.repeat(43))
    await emails.issue(ada.id, [{ ...link, kind: 'change', hash: hash('c') }], [])
    await emails.issue(ada.id, [{ ...link, kind: 'undo', hash: hash('u'), email: 'secret-old@example.org' }], [])
    const use = (path: string, token: string) =>
      app.request('POST', `auth/email/${path}`, { body: { token: token.repeat(43) } })
    expect((await use('verify', 'c')).status).toBe(200)
    expect((await use('verify', 'c')).status).toBe(401)
    expect((await use('undo', 'u')).status).toBe(200)

    const report = (await bob.post('reports', { user_id: ada.id, reason: 'spam' })).body.id
    const resolved = await admin.post(`admin/reports/${report}/resolve`, { action: 'remove_content', note: 'spam' })
    expect(resolved.status).toBe(200)
    await deliver(app)
    const told = to.got.filter(({ type }) => type === 'user.updated')
    expect(told.map(({ data }) => data)).toEqual(
      [
        ['role'],
        ['role'],
        ['email'],
        ['email'],
        ['name', 'city', 'bio', 'photo', 'drinks', 'activities', 'purposes'],
      ].map((fields) => ({ user_id: ada.id, fields })),
    )
    expect(JSON.stringify(to.got)).not.toContain('secret')
  })

  test('tells that an account has lost its address to another one', async () => {
    const { app, to } = await open()
    const ada = await app.person('Ada')
    // It was asked long ago to verify its address.
    await app.rows('UPDATE users SET email_asked_at = 1 WHERE id = ?', ada.id)
    const body = { email: ada.email, password, name: 'Eve', consents }
    expect((await app.request('POST', 'auth/register', { body })).status).toBe(201)
    await deliver(app)
    const told = to.got.filter(({ type }) => type === 'user.updated')
    expect(told.map(({ data }) => data)).toEqual([{ user_id: ada.id, fields: ['email'] }])
  })

  test('tells that a link for a new password has verified the address, once', async () => {
    const { app, to } = await open()
    const ada = await app.person('Ada')
    for (const email of [null, ada.email, ada.email]) {
      const { token, stored } = app.services.emailLinks.forOperator(ada.id)
      await app.services.storage.emails.issue(ada.id, [{ ...stored, email }], [])
      const reset = await app.request('POST', 'auth/password/reset', { body: { token, password } })
      expect(reset.status).toBe(204)
    }
    await deliver(app)
    const told = to.got.filter(({ type }) => type === 'user.updated')
    expect(told.map(({ data }) => data)).toEqual([{ user_id: ada.id, fields: ['email_verified'] }])
  })

  test('is not stored if no receiver is set', async () => {
    const app = await testApp(wholeCast)
    await everything(app)
    expect(await app.services.storage.outbox.list('webhook', 9)).toEqual([])
  })
})

describe('a receiver that fails', () => {
  test('gets missed webhooks in order for each user, and those of others do not wait', async () => {
    const { app, to } = await open()
    const [ada, bob] = [await app.person(), await app.person()]
    to.behave(({ data }) => new Response(null, { status: data.user_id === ada.id ? 500 : 200 }))
    await ada.put('me', { city: 'Lisbon' })
    await ada.put('me', { city: 'Porto', bio: 'x' })
    await bob.put('me', { city: 'Lisbon' })
    await deliver(app)
    expect(to.got.map(({ data }) => data.user_id)).toEqual([bob.id])
    // The second one was not tried before the first.
    expect(to.raw.map(({ body }) => JSON.parse(body).data)).toHaveLength(2)
    const [first, second] = await app.services.storage.outbox.list('webhook', 9)
    expect([first!.attempts, first!.last_error, second!.attempts]).toEqual([1, 'the receiver answered 500', 0])
    to.behave(() => new Response())
    app.clock.now += 20_000
    await deliver(app)
    expect(to.got.slice(1).map(({ data }) => data.fields)).toEqual([['city'], ['city', 'bio']])
    const text = await app.services.metrics.text()
    expect(text).toContain('convene_outbox_deliveries_total{kind="webhook",outcome="sent"} 3')
    expect(text).toContain('convene_outbox_deliveries_total{kind="webhook",outcome="failed"} 1')
    expect(text).toContain('convene_outbox_waiting{kind="webhook"} 0')
  })

  test('for three days loses the webhook, which is counted, and one that is gone loses it at once', async () => {
    // It verifies nothing, because its clock is not that of the test.
    const { app, to } = await open({}, receiver([]))
    const ada = await app.person()
    to.behave(status(500))
    await ada.put('me', { city: 'Lisbon' })
    const { outbox } = app.services.storage
    const began = app.clock.now
    let attempts = 0
    for (; (await outbox.list('webhook', 1)).length > 0 && attempts < 400; attempts++) {
      app.clock.now = Math.max(app.clock.now, (await outbox.list('webhook', 1))[0]!.due_at)
      await deliver(app)
    }
    expect(app.clock.now - began).toBeLessThanOrEqual(72 * hours)
    expect(app.clock.now - began).toBeGreaterThan(70 * hours)
    app.clock.now = Date.now()
    to.behave(status(410))
    await ada.put('me', { city: 'Porto' })
    await deliver(app)
    expect(await outbox.list('webhook', 1)).toEqual([])
    expect(app.logged()).toContain('410 Gone')
    expect(app.logged()).not.toContain('a-secret-of-the-url')
    expect(app.logged()).not.toContain(secret)
    expect(await app.services.metrics.text()).toContain(
      'convene_outbox_deliveries_total{kind="webhook",outcome="given_up"} 2',
    )
    expect(to.got).toEqual([])
  })

  test('is retried by the clock alone, after a restart', async () => {
    const { app, to } = await open()
    const ada = await app.person()
    await ada.put('me', { city: 'Lisbon' })
    for (const { services } of app.nodes) services.delivery.start()
    await until(() => to.got.length === 1, 'the webhook has come')
  })
})
