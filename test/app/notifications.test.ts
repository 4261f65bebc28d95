import { describe, expect, test } from 'bun:test'
import { TryLater, Undeliverable } from '../../src/outbox/carrier.ts'
import { channelKinds } from '../../src/outbox/push.ts'
import { days, minutes, seconds } from '../../src/lib/time.ts'
import { type Person, start, type TestApp, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { deliver, deviceOf, devices, register } from '../devices.ts'
import { connect } from '../socket-client.ts'

const after = 15 * seconds
const secret = 'the text that nobody else may see'

async function open(environment: Record<string, string> = {}) {
  const way = devices()
  const app = await testApp(environment, { providers: way.providers })
  return { app, way }
}

async function pair(app: TestApp) {
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  return { ada, bob, chat: await app.met(ada, bob) }
}

const say = async (from: Person, chat: string, text = secret): Promise<string> =>
  (await from.post(`chats/${chat}/messages`, { text })).body.id

/** Advances the clock until a notification of now is due, and delivers it. */
async function due(app: TestApp) {
  app.clock.now += after
  await deliver(app)
}

type Situation = {
  app: TestApp
  ada: Person
  bob: Person
  chat: string
  message: string
  base: URL
  cleanUp: (() => unknown)[]
}
/**
 * What happens after the message, and what is seen of it if that comes before the delivery. `afterwards` is what follows where a
 * device shows it already; nothing if left out.
 */
type Case = {
  name: string
  does(situation: Situation): Promise<unknown>
  seen: string | null
  afterwards?: 'taken back'
}

const put = (person: Person, body: object) => person.put('me/notifications', body)
const moderator = async (app: TestApp) => {
  const moderator = await app.person()
  await app.rows("UPDATE users SET role = 'admin' WHERE id = ?", moderator.id)
  app.forget(moderator.id)
  return moderator
}
const suspend = async (app: TestApp, { id }: Person) =>
  (await moderator(app)).post(`admin/users/${id}/suspend`, { reason: 'spam' })
// The clock of the tests starts at 12:00 in UTC.
const noon = { from: '11:00', to: '13:00', time_zone: 'Etc/UTC' }

const cases: Case[] = [
  { name: 'nothing else happens', does: async () => {}, seen: 'Ada sent a message' },
  { name: 'the preview is none', does: ({ bob }) => put(bob, { preview: 'none' }), seen: 'New message' },
  { name: 'the preview is full', does: ({ bob }) => put(bob, { preview: 'full' }), seen: secret },
  {
    name: 'the preview is full and the message edited',
    async does({ ada, bob, message }) {
      await put(bob, { preview: 'full' })
      await ada.put(`messages/${message}`, { text: 'said better' })
    },
    seen: 'said better',
  },
  {
    name: 'it was read',
    does: ({ bob, chat }) => bob.put(`chats/${chat}/read`, {}),
    seen: null,
    afterwards: 'taken back',
  },
  {
    name: 'it was deleted',
    does: ({ ada, message }) => ada.delete(`messages/${message}`),
    seen: null,
    afterwards: 'taken back',
  },
  {
    name: 'a moderator removed it',
    async does({ app, bob, message }) {
      const { body } = await bob.post('reports', { message_id: message, reason: 'spam' })
      const judge = await moderator(app)
      return judge.post(`admin/reports/${body.id}/resolve`, { action: 'remove_content', note: 'spam' })
    },
    seen: null,
    afterwards: 'taken back',
  },
  {
    name: 'the reader blocked',
    does: ({ ada, bob }) => bob.post('blocks', { user_id: ada.id }),
    seen: null,
    afterwards: 'taken back',
  },
  {
    name: 'the sender blocked',
    does: ({ ada, bob }) => ada.post('blocks', { user_id: bob.id }),
    seen: null,
    afterwards: 'taken back',
  },
  { name: 'the sender is suspended', does: ({ app, ada }) => suspend(app, ada), seen: null, afterwards: 'taken back' },
  { name: 'the reader is suspended', does: ({ app, bob }) => suspend(app, bob), seen: null, afterwards: 'taken back' },
  {
    name: 'the sender is erased',
    does: ({ ada }) => ada.delete('me', { password: 'twelve green bottles' }),
    seen: null,
    afterwards: 'taken back',
  },
  {
    name: 'the reader is erased',
    does: ({ bob }) => bob.delete('me', { password: 'twelve green bottles' }),
    seen: null,
  },
  {
    name: 'the chat is muted',
    does: ({ bob, chat }) => bob.put(`chats/${chat}/mute`, { until: 'forever' }),
    seen: null,
  },
  {
    name: 'a mute is over',
    does: ({ app, bob, chat }) =>
      bob.put(`chats/${chat}/mute`, { until: new Date(app.clock.now + 5 * seconds).toISOString() }),
    seen: 'Ada sent a message',
  },
  { name: 'it is quiet', does: ({ bob }) => put(bob, { quiet: noon }), seen: null },
  {
    name: 'it is quiet at another time',
    does: ({ bob }) => put(bob, { quiet: { ...noon, time_zone: 'Asia/Tokyo' } }),
    seen: 'Ada sent a message',
  },
  { name: 'messages are not wanted', does: ({ bob }) => put(bob, { messages: false }), seen: null },
  { name: 'the session ended', does: ({ bob }) => bob.post('auth/logout'), seen: null },
  {
    name: 'a socket is open',
    async does({ bob, base, cleanUp }) {
      const socket = connect(base, bob.token)
      await socket.until(({ type }) => type === 'hello')
      cleanUp.push(() => socket.socket.close())
    },
    seen: null,
  },
  {
    name: 'a socket is in the background',
    async does({ bob, base, cleanUp }) {
      const socket = connect(base, bob.token)
      await socket.until(({ type }) => type === 'hello')
      socket.send({ type: 'focus', data: { foreground: false } })
      await socket.pong()
      cleanUp.push(() => socket.socket.close())
    },
    seen: 'Ada sent a message',
  },
]

async function situationOf(way: ReturnType<typeof devices>, app: TestApp): Promise<Situation> {
  const { ada, bob, chat } = await pair(app)
  for (const kind of channelKinds) await register(app, bob, kind)
  await register(app, ada, 'fcm')
  const base = await app.listen()
  const message = await say(ada, chat)
  await deliver(app)
  expect(way.sent).toEqual([])
  return { app, ada, bob, chat, message, base, cleanUp: [] }
}

const everyKind = channelKinds.toSorted()

/** The notifications about the chat that were sent. A suspension and a report send some too. */
function sentOf(way: ReturnType<typeof devices>, chat: string) {
  const ofChat = way.take().filter((one) => ('show' in one ? one.show.tag : one.takeBack) === `chat_${chat}`)
  return {
    ofChat,
    shown: ofChat.flatMap((one) => ('show' in one ? [one.show] : [])),
    kinds: ofChat.map(({ kind }) => kind).toSorted(),
  }
}

async function expectSeen(way: ReturnType<typeof devices>, { app, chat }: Situation, seen: string | null) {
  const { ofChat, shown, kinds } = sentOf(way, chat)
  expect(kinds).toEqual(seen === null ? [] : everyKind)
  for (const { body, tag, chat_id, kind } of shown) {
    expect(body).toBe(seen!)
    expect({ tag, chat_id, kind }).toEqual({ tag: `chat_${chat}`, chat_id: chat, kind: 'message' })
  }
  if (seen !== secret) expect(JSON.stringify(ofChat)).not.toContain(secret)
  // Nothing is left in the outbox, and nothing comes later.
  expect(await app.rows("SELECT id FROM outbox WHERE kind <> 'mail'")).toEqual([])
}

describe('what devices of every kind show of a message', () => {
  for (const { name, does, seen, afterwards } of cases) {
    test(`${name}, before it is due: ${seen ?? 'nothing'}`, async () => {
      const { app, way } = await open()
      const situation = await situationOf(way, app)
      await does(situation)
      await due(app)
      await expectSeen(way, situation, seen)
      for (const clean of situation.cleanUp) clean()
    })

    test(`${name}, while the providers are down: ${seen ?? 'nothing'}`, async () => {
      const { app, way } = await open()
      const situation = await situationOf(way, app)
      way.answer(() => {
        throw new Error('the provider is down')
      })
      await due(app)
      expect(way.take()).toEqual([])
      await does(situation)
      way.answer(() => {})
      app.clock.now += minutes
      await deliver(app)
      await expectSeen(way, situation, seen)
      for (const clean of situation.cleanUp) clean()
    })

    test(`${name}, when it is shown: ${afterwards ?? 'nothing more'}`, async () => {
      const { app, way } = await open()
      const situation = await situationOf(way, app)
      await due(app)
      expect(sentOf(way, situation.chat).kinds).toEqual(everyKind)
      await does(situation)
      await due(app)
      const { ofChat, kinds } = sentOf(way, situation.chat)
      expect(kinds).toEqual(afterwards === 'taken back' ? everyKind : [])
      for (const one of ofChat) expect(one).toMatchObject({ takeBack: `chat_${situation.chat}` })
      expect(await app.rows("SELECT id FROM outbox WHERE kind <> 'mail'")).toEqual([])
      for (const clean of situation.cleanUp) clean()
    })
  }
})

test.each([
  ['are retried', new Error('the provider is down')],
  ['are refused for good', new Undeliverable('the push service answered 403')],
])('a device whose deliveries %s is shown as failing until one succeeds', async (_, failure) => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  const id = await register(app, bob, 'fcm')
  way.answer(() => {
    throw failure
  })
  await say(ada, chat)
  await due(app)
  const [failing] = (await bob.get('me/channels')).body.items
  expect(failing).toMatchObject({ id, last_delivered_at: null })
  expect(failing.failing_since).not.toBeNull()
  way.answer(() => {})
  await say(ada, chat)
  app.clock.now += minutes
  await deliver(app)
  const [channel] = (await bob.get('me/channels')).body.items
  expect(channel).toMatchObject({ failing_since: null })
  expect(channel.last_delivered_at).not.toBeNull()
})

test('a device is not shown as failing because its provider asks everybody to wait', async () => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'fcm')
  way.answer(() => {
    throw new TryLater('FCM answered 429 (QUOTA_EXCEEDED)', minutes, true)
  })
  await say(ada, chat)
  await due(app)
  expect((await bob.get('me/channels')).body.items).toMatchObject([{ failing_since: null }])
  way.answer(() => {})
  app.clock.now += minutes
  await deliver(app)
  expect(way.take()).toMatchObject([{ show: { kind: 'message' } }])
})

test('the sender to iPhones gets the time when the app has registered the device last', async () => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  const device = deviceOf('apns')
  for (const status of [201, 200]) {
    app.clock.now += minutes
    expect((await bob.post('me/channels', device)).status).toBe(status)
  }
  const since = app.clock.now
  await say(ada, chat)
  await due(app)
  expect(way.take()).toMatchObject([{ kind: 'apns', target: { since } }])
})

test('more messages update the notification, reading withdraws it, and the next one shows a new one', async () => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'telegram')
  await say(ada, chat)
  await say(ada, chat)
  await due(app)
  const [first, ...none] = way.take()
  expect(none).toEqual([])
  expect(first).toMatchObject({ replaces: null, show: { unread: 2 } })
  await say(ada, chat)
  await due(app)
  expect(way.take()).toMatchObject([{ replaces: 'telegram-1', show: { unread: 3 } }])
  await bob.put(`chats/${chat}/read`, {})
  await deliver(app)
  expect(way.take()).toMatchObject([{ replaces: 'telegram-2', takeBack: `chat_${chat}` }])
  await bob.put(`chats/${chat}/read`, {})
  await due(app)
  expect(way.take()).toEqual([])
  await say(ada, chat)
  await due(app)
  expect(way.take()).toMatchObject([{ replaces: null, show: { unread: 1 } }])
})

test('a deleted message is withdrawn from devices, and an edit shows only with the next message', async () => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'fcm')
  await put(bob, { preview: 'full' })
  const first = await say(ada, chat, 'one')
  const second = await say(ada, chat, 'two')
  await due(app)
  expect(way.take()).toMatchObject([{ show: { body: 'two' } }])
  await ada.put(`messages/${second}`, { text: 'two, corrected' })
  await due(app)
  expect(way.take()).toEqual([])
  await ada.delete(`messages/${second}`)
  await deliver(app)
  expect(way.take()).toMatchObject([{ show: { body: 'one', unread: 1 } }])
  await ada.delete(`messages/${first}`)
  await deliver(app)
  expect(way.take()).toMatchObject([{ takeBack: `chat_${chat}` }])
})

test('a message that comes while the previous one is being sent is not lost', async () => {
  const { app, way } = await open({ NOTIFY_AFTER_S: '0' })
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'fcm')
  const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  way.answer(async () => {
    asked.resolve()
    await goOn.promise
  })
  await say(ada, chat)
  await asked.promise
  await say(ada, chat)
  goOn.resolve()
  await deliver(app)
  await deliver(app)
  expect(way.shown().map(({ unread }) => unread)).toEqual([1, 2])
})

/** Runs `during` once, while the node decides whether a notification is sent. */
function whileDeciding({ services }: TestApp, during: () => Promise<unknown>) {
  const { notifications } = services.storage
  const { shownFor } = notifications
  notifications.shownFor = async (...asked) => {
    notifications.shownFor = shownFor
    await during()
    return shownFor(...asked)
  }
}

const decidesAlone = oneNodeTest('it delays the reads of the one node that decides')

decidesAlone('a message that comes while the previous one is decided about is announced when it is due', async () => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'fcm')
  await say(ada, chat)
  whileDeciding(app, async () => {
    await say(ada, chat)
    await bob.put(`chats/${chat}/mute`, { until: 'forever' })
  })
  await due(app)
  expect(way.take()).toEqual([])
  await bob.put(`chats/${chat}/mute`, { until: null })
  await due(app)
  expect(way.take()).toMatchObject([{ show: { kind: 'message', unread: 2 } }])
})

decidesAlone('a node that stalls while it decides leaves the notification to the one that took over', async () => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'fcm')
  await say(ada, chat)
  whileDeciding(app, async () => {
    const now = (app.clock.now += 2 * minutes)
    const taken = await app.services.storage.outbox.lease('notification', 'other', now, now + 2 * minutes, 9)
    expect(taken.length).toBe(1)
  })
  await due(app)
  expect(way.take()).toEqual([])
  // The other one has died: what it had is delivered after its lease.
  app.clock.now += 2 * minutes
  await deliver(app)
  expect(way.take()).toMatchObject([{ show: { kind: 'message' } }])
})

for (const happens of ['read', 'deleted', 'blocked'] as const)
  test(`a message that is ${happens} while it is being sent is taken back`, async () => {
    const { app, way } = await open()
    const { ada, bob, chat } = await pair(app)
    await register(app, bob, 'fcm')
    const message = await say(ada, chat)
    way.answer(async () => {
      way.answer(() => {})
      if (happens === 'read') await bob.put(`chats/${chat}/read`, {})
      if (happens === 'deleted') await ada.delete(`messages/${message}`)
      if (happens === 'blocked') await ada.post('blocks', { user_id: bob.id })
    })
    await due(app)
    await due(app)
    expect(way.take()).toMatchObject([{ show: { kind: 'message' } }, { takeBack: `chat_${chat}` }])
    expect(await app.rows("SELECT id FROM outbox WHERE kind <> 'mail'")).toEqual([])
  })

test('a new chat, a review, a notice and a report notify the users concerned', async () => {
  const { app, way } = await open()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const admin = await moderator(app)
  for (const one of [ada, bob, admin]) await register(app, one, 'fcm')

  const chat = (await ada.post('chats', { user_id: bob.id })).body.id
  await due(app)
  expect(way.take()).toMatchObject([{ show: { kind: 'chat', body: 'Ada opened a chat with you', chat_id: chat } }])

  await app.rows('UPDATE chats SET wrote_a = TRUE, wrote_b = TRUE WHERE id = ?', chat)
  await ada.post('reviews', { chat_id: chat, rating: 5, anonymous: true, text: secret })
  await due(app)
  expect(way.take()).toMatchObject([{ show: { kind: 'review', body: 'You have a new review', chat_id: null } }])

  await ada.post('reports', { user_id: bob.id, reason: 'spam', details: secret })
  await due(app)
  const [report, ...none] = way.take()
  expect(none).toEqual([])
  expect(report).toMatchObject({ show: { kind: 'report', title: 'Convene', tag: 'reports' } })
  expect((report as any).show.body).toBe('Open reports: 1. The oldest is 1 min old.')
  // At most once in five minutes.
  await ada.post('reports', { user_id: bob.id, reason: 'scam' })
  await bob.post('reports', { user_id: ada.id, reason: 'scam' })
  await due(app)
  expect(way.take()).toEqual([])
  app.clock.now += 5 * minutes
  await deliver(app)
  expect(way.take()).toMatchObject([{ show: { kind: 'report' } }])
  // The same report again is no news, unless it is now about a child.
  app.clock.now += 5 * minutes
  for (const reason of ['scam', 'underage']) {
    await bob.post('reports', { user_id: ada.id, reason })
    await due(app)
    const told = way.take().flatMap((asked) => ('show' in asked ? asked.show.kind : []))
    expect(told.toSorted()).toEqual(reason === 'scam' ? [] : ['notice', 'report'])
  }

  await put(bob, { messages: false, chats: false, reviews: false, quiet: noon })
  await admin.post(`admin/users/${bob.id}/suspend`, { reason: secret })
  await due(app)
  // The order of simultaneous items depends on the engine.
  const told = way.take().toSorted((a, b) => Number('show' in a) - Number('show' in b))
  expect(told).toMatchObject([
    { takeBack: `chat_${chat}` },
    { show: { kind: 'notice', body: 'There is a decision about your account' } },
  ])
})

test('texts are in the language of the recipient', async () => {
  const { app, way } = await open()
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'fcm')
  await bob.put('me/prefs', { language: 'ru-RU' })
  await say(ada, chat)
  await due(app)
  expect(way.shown()).toMatchObject([{ language: 'ru', body: 'Ada: новое сообщение' }])
})

test('a user without the consents or a verified address gets no notification', async () => {
  const { app, way } = await open({ CONSENT_GATE: 'on' })
  const { ada, bob, chat } = await pair(app)
  await register(app, bob, 'fcm')
  await say(ada, chat)
  await bob.post('auth/consents', { consents: { terms: false } })
  await due(app)
  expect(way.sent).toEqual([])
})

describe('channels', () => {
  test('the same device keeps its channel, and belongs to one account only', async () => {
    const { app } = await open()
    const [ada, bob] = [await app.person(), await app.person()]
    const device = deviceOf('webpush')
    const { body: channel, status } = await ada.post('me/channels', device, { 'user-agent': 'Firefox' })
    expect(status).toBe(201)
    expect(channel).toEqual({
      id: channel.id,
      kind: 'webpush',
      label: 'Firefox',
      created_at: new Date(start).toISOString(),
      last_delivered_at: null,
      failing_since: null,
    })
    expect(await ada.post('me/channels', device)).toMatchObject({ status: 200, body: { id: channel.id } })
    expect((await bob.post('me/channels', device)).status).toBe(201)
    expect((await ada.get('me/channels')).body).toEqual({ items: [], next_cursor: null })
    expect((await bob.get('me/channels')).body.items.length).toBe(1)
  })

  test('a token of Apple in capitals is the same device', async () => {
    const { app } = await open()
    const [ada, bob] = [await app.person(), await app.person()]
    const token = 'ab01'.repeat(16)
    const { body: channel } = await ada.post('me/channels', { kind: 'apns', token })
    const again = await ada.post('me/channels', { kind: 'apns', token: token.toUpperCase() })
    expect(again).toMatchObject({ status: 200, body: { id: channel.id } })
    expect((await bob.post('me/channels', { kind: 'apns', token: token.toUpperCase() })).status).toBe(201)
    expect((await ada.get('me/channels')).body.items).toEqual([])
  })

  test('of many registered at once, ten are accepted', async () => {
    const { app } = await open()
    const ada = await app.person()
    const answers = await Promise.all(Array.from({ length: 14 }, () => ada.post('me/channels', deviceOf('fcm'))))
    expect(answers.filter(({ status }) => status === 201).length).toBe(10)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect((await ada.get('me/channels')).body.items.length).toBe(10)
  })

  test('somebody else’s channel is not found', async () => {
    const { app, way } = await open()
    const [ada, bob] = [await app.person(), await app.person()]
    const id = await register(app, ada, 'fcm')
    expect((await bob.delete(`me/channels/${id}`)).status).toBe(404)
    expect((await bob.post(`me/channels/${id}/test`)).status).toBe(404)
    await deliver(app)
    expect(way.sent).toEqual([])
    expect((await ada.delete(`me/channels/${id}`)).status).toBe(204)
    expect((await ada.delete(`me/channels/${id}`)).status).toBe(404)
  })

  test('a test is sent at once, three times an hour', async () => {
    const { app, way } = await open({ RATE_LIMIT: 'on' })
    const ada = await app.person()
    const id = await register(app, ada, 'apns')
    await put(ada, { quiet: noon })
    for (let i = 0; i < 3; i++) expect((await ada.post(`me/channels/${id}/test`)).status).toBe(202)
    expect((await ada.post(`me/channels/${id}/test`)).status).toBe(429)
    await deliver(app)
    expect(way.shown().length).toBeGreaterThan(0)
    expect(way.shown()[0]).toMatchObject({ kind: 'test', tag: 'test' })
  })

  test('a device that the server cannot send to is refused', async () => {
    const { app } = await open()
    const ada = await app.person()
    const { keys } = (deviceOf('webpush') as any).subscription
    for (const [body, path] of [
      [{ kind: 'webpush', subscription: { endpoint: 'http://push.example/1', keys } }, '/subscription'],
      [{ kind: 'webpush' }, undefined],
      [{ kind: 'fcm', token: '' }, undefined],
      [{ kind: 'apns', token: 'with space in it' }, undefined],
      // Apple's token as base64, which it would not find.
      [{ kind: 'apns', token: 'dQw4w9WgXcQAPA91bHun4MxP5egoKMwt' }, '/token'],
      [{ kind: 'pigeon' }, undefined],
    ] as const) {
      const answer = await ada.post('me/channels', body)
      expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
      if (path) expect(answer.body.errors[0].path).toBe(path)
    }
    expect(await ada.post('me/channels', { kind: 'telegram' })).toMatchObject({ status: 409 })
  })

  test('a server tells which providers are not configured, and stores nothing if nobody has a device', async () => {
    const app = await testApp()
    const { ada, bob, chat } = await pair(app)
    for (const kind of ['fcm', 'apns', 'telegram'] as const)
      expect(await ada.post('me/channels', deviceOf(kind))).toMatchObject({
        status: 503,
        body: { code: 'provider_not_configured' },
      })
    expect((await app.request('GET', 'notifications/keys')).body).toEqual({
      webpush: expect.any(String),
      fcm: false,
      apns: false,
      telegram: null,
    })
    await say(ada, chat)
    await bob.put(`chats/${chat}/read`, {})
    expect(await app.rows('SELECT id FROM outbox')).toEqual([])
  })

  test('the keys are public', async () => {
    const { app } = await open()
    expect((await app.request('GET', 'notifications/keys')).body).toEqual({
      webpush: 'the-public-key',
      fcm: true,
      apns: true,
      telegram: 'convene_bot',
    })
  })

  test('a session’s channels are removed however it ends', async () => {
    const { app } = await open()
    const password = 'twelve green bottles'
    const sessionOf = async ({ email }: Person) => {
      const { body } = await app.request('POST', 'auth/login', { body: { email, password } })
      return { ...app.as(body.access_token), refresh: body.refresh_token as string }
    }
    const stored = async (user: Person) => (await app.rows('SELECT id FROM channels WHERE user_id = ?', user.id)).length
    const ends: ((session: Awaited<ReturnType<typeof sessionOf>>, own: Person) => Promise<unknown>)[] = [
      (session) => session.post('auth/logout'),
      (_, own) => own.delete('me/sessions'),
      (_, own) => own.put('me/password', { current_password: password, new_password: 'thirteen green bottles' }),
      async (session) => {
        await app.request('POST', 'auth/refresh', { body: { refresh_token: session.refresh } })
        app.clock.now += minutes
        await app.request('POST', 'auth/refresh', { body: { refresh_token: session.refresh } })
      },
    ]
    for (const end of ends) {
      const ada = await app.person()
      const session = await sessionOf(ada)
      expect((await session.post('me/channels', deviceOf('fcm'))).status).toBe(201)
      expect(await stored(ada)).toBe(1)
      await end(session, ada)
      expect(await stored(ada)).toBe(0)
    }
    const old = await app.person()
    await register(app, old, 'fcm')
    app.clock.now += 91 * days
    expect(await app.services.retention.channels()).toBe(1)
    expect(await stored(old)).toBe(0)
  })
})

describe('preferences', () => {
  test('absent fields keep their values, and quiet hours are validated', async () => {
    const { app } = await open()
    const ada = await app.person()
    const usual = { messages: true, chats: true, reviews: true, digest: 'off', preview: 'name', quiet: null }
    expect((await ada.get('me/notifications')).body).toEqual(usual)
    const quiet = { from: '22:00', to: '08:00', time_zone: 'Europe/Berlin' }
    expect(await put(ada, { quiet, preview: 'none' })).toMatchObject({ status: 200 })
    expect((await put(ada, { reviews: false })).body).toEqual({ ...usual, preview: 'none', reviews: false, quiet })
    expect((await put(ada, { quiet: null })).body.quiet).toBeNull()
    for (const [bad, path] of [
      [{ ...quiet, time_zone: 'Europe/Atlantis' }, '/quiet/time_zone'],
      [{ ...quiet, time_zone: '+02:00' }, '/quiet/time_zone'],
      [{ ...quiet, from: '24:00' }, '/quiet/from'],
      [{ ...quiet, to: '8:00' }, '/quiet/to'],
      [{ ...quiet, to: '22:00' }, '/quiet/to'],
    ] as const)
      expect(await put(ada, { quiet: bad })).toMatchObject({ status: 422, body: { errors: [{ path }] } })
    expect((await put(ada, { preview: 'everything' })).status).toBe(422)
    expect((await put(ada, { digest: 'hourly' })).status).toBe(422)
  })

  test('of two changes at once both are kept, and none brings back a digest that was ended', async () => {
    const { app } = await open()
    const ada = await app.person()
    for (let round = 0; round < 5; round++) {
      await put(ada, { messages: true, chats: true, digest: 'daily' })
      await Promise.all([
        put(ada, { messages: false }),
        app.services.storage.notifications.endDigest(ada.id),
        put(ada, { chats: false }),
      ])
      expect((await ada.get('me/notifications')).body).toMatchObject({ messages: false, chats: false, digest: 'off' })
    }
  })

  test('a chat is muted only for its member, until that time', async () => {
    const { app } = await open()
    const { ada, bob, chat } = await pair(app)
    const until = new Date(app.clock.now + 5 * minutes).toISOString()
    expect((await bob.put(`chats/${chat}/mute`, { until })).body).toMatchObject({ id: chat, muted_until: until })
    expect((await ada.get(`chats/${chat}`)).body.muted_until).toBeNull()
    expect((await bob.get('chats')).body.items[0].muted_until).toBe(until)
    app.clock.now += 5 * minutes
    expect((await bob.get('chats')).body.items[0].muted_until).toBeNull()
    expect((await bob.put(`chats/${chat}/mute`, { until: 'forever' })).body.muted_until).toBe(
      '9999-12-31T00:00:00.000Z',
    )
    expect((await bob.put(`chats/${chat}/mute`, { until: null })).body.muted_until).toBeNull()
    for (const bad of ['2020-01-01T00:00:00Z', 'tomorrow', '2027-02-30T00:00:00Z', 5, undefined])
      expect((await bob.put(`chats/${chat}/mute`, { until: bad })).status).toBe(422)
    expect((await (await app.person()).put(`chats/${chat}/mute`, { until: null })).status).toBe(403)
  })
})
