import { expect, setSystemTime, test } from 'bun:test'
import type { Store } from '../../client/src/index.ts'
import { password, testApp } from '../app.ts'
import { until } from '../until.ts'
import { clientOf, fits, newClient, pair, sharedStorage, textsOf } from './people.ts'

test('two people chat: each message, mark and count arrives, and typing and presence do', async () => {
  const app = await testApp()
  const { ada, bob, chatId, people } = await pair(app)
  ada.connect()
  bob.connect()
  await Promise.all([ada, bob].map(({ connection }) => fits(connection, ({ state }) => state === 'online')))
  const [hers, his] = [ada.chats.open(chatId), bob.chats.open(chatId)]
  await Promise.all([hers, his].map(({ messages }) => fits(messages, ({ loaded }) => loaded)))
  await fits(bob.chats.list, ({ loaded }) => loaded)

  const sent = hers.send({ text: 'Coffee?' })
  expect(hers.messages.get().items.map(({ text, state }) => [text, state])).toEqual([['Coffee?', 'pending']])
  const { key } = hers.messages.get().items[0]!
  expect(await sent).toBe(key)
  const shown = await fits(hers.messages, ({ items }) => items[0]!.state === 'sent', 'it is sent')
  expect(shown.items[0]!.key).toBe(key)
  await fits(his.messages, (state) => textsOf(state).includes('Coffee?'))
  await fits(bob.chats.list, ({ unreadTotal, items }) => unreadTotal === 1 && items[0]?.unread_count === 1)

  await his.markRead()
  await fits(bob.chats.list, ({ unreadTotal }) => unreadTotal === 0)
  await fits(hers.messages, ({ items }) => items[0]!.read)

  his.typing()
  await fits(hers.isTyping, (is) => is, 'she sees him type')
  await his.send({ text: 'Tea!' })
  await fits(hers.isTyping, (is) => !is)
  await fits(hers.messages, (state) => textsOf(state).join() === 'Coffee?,Tea!')
  expect(ada.chats.list.get().items).toEqual([])
  await fits(ada.presence(people.bob.id), ({ online }) => online)
})

test('somebody is seen typing after their clock was set back', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  ada.connect()
  bob.connect()
  await Promise.all([ada, bob].map(({ connection }) => fits(connection, ({ state }) => state === 'online')))
  const [hers, his] = [ada.chats.open(chatId), bob.chats.open(chatId)]
  await Promise.all([hers, his].map(({ messages }) => fits(messages, ({ loaded }) => loaded)))
  try {
    setSystemTime(Date.now() + 30_000)
    his.typing()
    await fits(hers.isTyping, (is) => is)
    await his.send({ text: 'Tea!' })
    await fits(hers.isTyping, (is) => !is)
    setSystemTime()
    app.clock.now += 2000
    his.typing()
    await fits(hers.isTyping, (is) => is)
  } finally {
    setSystemTime()
  }
})

test('a notice of the moderators arrives by its type, and no longer once nobody listens', async () => {
  const app = await testApp()
  const { bob, people } = await pair(app)
  await app.rows("UPDATE users SET role = 'moderator' WHERE id = ?", people.ada.id)
  app.forget(people.ada.id)
  bob.connect()
  await fits(bob.connection, ({ state }) => state === 'online')
  const seen: string[] = []
  const stop = bob.on('notice', ({ action, reason }) => void seen.push(`${action} ${reason}`))
  const all: string[] = []
  bob.on('*', (_, { type }) => void all.push(type))
  const warn = (reason: string) => people.ada.post(`admin/users/${people.bob.id}/warn`, { reason })
  expect((await warn('Be kind')).status).toBeLessThan(300)
  await until(() => seen.length === 1, 'the notice is there')
  stop()
  await warn('Again')
  await until(() => all.filter((type) => type === 'notice').length === 2, 'the second one is there')
  expect(seen).toEqual(['warn Be kind'])
})

test('what is read without a network is told once there is one, and a mark during another is not lost', async () => {
  const app = await testApp()
  const { base, chatId, people } = await pair(app)
  let isOff = false
  let held: Promise<void> | null = null
  let told = 0
  const client = await clientOf(base, people.ada, {
    async fetch(url, init) {
      if (isOff) throw new TypeError('no network')
      const answer = await fetch(url, init)
      if (url.endsWith('/read')) {
        await held
        told++
      }
      return answer
    },
  })
  const chat = client.chats.open(chatId)
  const unread = async () => (await people.ada.get('chats')).body.unread_total
  const arrives = async (text: string) => {
    await people.bob.post(`chats/${chatId}/messages`, { text })
    await fits(chat.messages, ({ items }) => items.at(-1)?.text === text)
  }
  client.connect()
  await fits(client.connection, ({ state }) => state === 'online')
  await fits(chat.info, (info) => info !== null)
  await arrives('one')
  isOff = true
  await chat.markRead()
  expect(await unread()).toBe(1)
  isOff = false
  await until(() => told === 1, 'it is told')
  expect(await unread()).toBe(0)

  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  await arrives('two')
  const first = chat.markRead()
  await until(async () => (await unread()) === 0, 'the answer is held back')
  await arrives('three')
  await chat.markRead()
  expect(await unread()).toBe(1)
  resolve()
  await first
  // The first call may have joined one that was just ending.
  await until(async () => (await unread()) === 0, 'the second mark is told')
  await fits(chat.info, (info) => info?.unread_count === 0)
})

test('a client that is closed asks for nothing more, not even what it was asking for', async () => {
  const app = await testApp()
  const { base, chatId, people } = await pair(app)
  let asked = 0
  let fail: () => void = () => {}
  const client = await clientOf(base, people.ada, {
    fetch(url, init) {
      if (!url.includes('/chats')) return fetch(url, init)
      asked++
      return new Promise((_, reject) => {
        const before = fail
        fail = () => (before(), reject(new TypeError('no network')))
      })
    },
  })
  client.chats.list.subscribe(() => {})
  client.chats.open(chatId).messages.subscribe(() => {})
  await until(() => asked === 2, 'both are asked for')
  client.close()
  fail()
  // Twice the longest wait between two tries.
  await Bun.sleep(200)
  expect(asked).toBe(2)
})

test('a listener that throws is reported, and keeps neither events nor states from the others', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  const reported: unknown[] = []
  const before = globalThis.reportError
  globalThis.reportError = (error) => void reported.push(error)
  try {
    const seen: string[] = []
    const broken = () => {
      throw new Error('a defect of the app')
    }
    bob.on('message', broken)
    bob.on('*', broken)
    bob.connection.subscribe(broken)
    bob.on('message', ({ id }) => void seen.push(id))
    bob.connect()
    await fits(bob.connection, ({ state }) => state === 'online')
    await ada.chats.open(chatId).send({ text: 'Hello' })
    await until(() => seen.length === 1, 'the message is told')
    expect(reported.length).toBeGreaterThan(3)
  } finally {
    // Closing tells the broken listener once more.
    bob.close()
    globalThis.reportError = before
  }
})

test('whoever has come online since their chat was read stays online when they write', async () => {
  const app = await testApp()
  const { ada, bob, chatId, people } = await pair(app)
  for (const { post } of [people.ada, people.bob]) await post(`chats/${chatId}/messages`, { text: 'Hello' })
  ada.connect()
  await fits(ada.connection, ({ state }) => state === 'online')
  const chat = ada.chats.open(chatId)
  chat.info.subscribe(() => {})
  await until(() => chat.info.get()?.online === false, 'the chat is read')
  const presence = ada.presence(people.bob.id)
  bob.connect()
  await fits(presence, ({ online }) => online)
  await bob.chats.open(chatId).send({ text: 'Here I am.' })
  await until(() => chat.info.get()?.last_message?.text === 'Here I am.', 'it arrives')
  expect(presence.get().online).toBe(true)
})

test('who comes online or goes while the chats are read is shown as they are, and not as the answer has them', async () => {
  const app = await testApp({}, { calmMs: 1 })
  const { base, bob, chatId, people } = await pair(app)
  for (const { post } of [people.ada, people.bob]) await post(`chats/${chatId}/messages`, { text: 'Hello' })
  let answered = Promise.withResolvers<void>()
  let asked = Promise.withResolvers<void>()
  const ada = await clientOf(base, people.ada, {
    async fetch(url, init) {
      const answer = await fetch(url, init)
      if (!url.includes('/chats?')) return answer
      asked.resolve()
      await answered.promise
      return answer
    },
  })
  const isOnline = () => [ada.presence(people.bob.id).get().online, ada.chats.list.get().items[0]?.online]
  ada.connect()
  await fits(ada.connection, ({ state }) => state === 'online')
  for (const [change, shown] of [
    [() => bob.connect(), true],
    [() => bob.disconnect(), false],
  ] as const) {
    asked = Promise.withResolvers()
    answered = Promise.withResolvers()
    const loaded = ada.chats.list.load()
    await asked.promise
    change()
    await fits(ada.presence(people.bob.id), ({ online }) => online === shown)
    answered.resolve()
    await loaded
    expect(isOnline()).toEqual([shown, shown])
  }
})

test('a message that was held, and comes among older ones, is marked as read too', async () => {
  const app = await testApp()
  const { bob, chatId, people } = await pair(app)
  const root = await app.person('Root')
  await app.rows("UPDATE users SET role = 'admin' WHERE id = ?", root.id)
  app.forget(root.id)
  const rule = {
    on: true,
    name: 'B',
    applies_to: ['message'],
    match: { type: 'words', words: ['banana'] },
    action: 'hold',
  }
  expect((await root.post('admin/rules', rule)).status).toBe(201)
  bob.connect()
  await fits(bob.connection, ({ state }) => state === 'online')
  const his = bob.chats.open(chatId)
  await fits(his.messages, ({ loaded }) => loaded)
  for (const text of ['a banana', 'an apple']) {
    app.clock.now += 60_000
    expect((await people.ada.post(`chats/${chatId}/messages`, { text })).status).toBe(201)
  }
  await fits(his.messages, (state) => textsOf(state).join() === 'an apple')
  await his.markRead()
  const [report] = (await root.get('admin/reports?kind=held')).body.items
  expect((await root.post(`admin/reports/${report.id}/resolve`, { action: 'release', note: 'Fine.' })).status).toBe(200)
  await fits(his.messages, (state) => textsOf(state).join() === 'a banana,an apple')
  await fits(his.info, (chat) => chat?.unread_count === 1)
  await his.markRead()
  expect(
    (await people.bob.get(`chats/${chatId}/messages`)).body.items.map(({ read }: { read: boolean }) => read),
  ).toEqual([true, true])
})

test('a listener that is passed twice is told until both are stopped', async () => {
  const app = await testApp()
  const { ada, bob, chatId } = await pair(app)
  ada.connect()
  await fits(ada.connection, ({ state }) => state === 'online')
  let told = 0
  const listener = () => void told++
  const stops = [ada.on('message', listener), ada.on('message', listener)]
  const chat = bob.chats.open(chatId)
  for (const expected of [2, 3, 3]) {
    const arrived = new Promise((resolve) => ada.on('message', resolve))
    await chat.send({ text: 'Hello' })
    await arrived
    expect(told).toBe(expected)
    stops.pop()?.()
  }
})

test('a client that is closed before its part for the socket has loaded opens none', async () => {
  const app = await testApp()
  const { base, people } = await pair(app)
  const storage = sharedStorage()
  await clientOf(base, people.ada, { storage })
  let sockets = 0
  class Counted extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols)
      sockets++
    }
  }
  const closed = newClient(base, { storage, WebSocket: Counted })
  closed.connect()
  closed.close()
  const other = newClient(base, { storage, WebSocket: Counted })
  other.connect()
  await fits(other.connection, ({ state }) => state === 'online')
  expect(sockets).toBe(1)
  expect(closed.connection.get().state).toBe('disconnected')
})

test('both members see who is online as soon as the second one has written', async () => {
  const app = await testApp()
  const base = await app.listen()
  const people = [await app.person('Ada'), await app.person('Bob')] as const
  const [ada, bob] = [await clientOf(base, people[0]), await clientOf(base, people[1])]
  for (const client of [ada, bob]) {
    client.chats.list.subscribe(() => {})
    client.connect()
    await fits(client.connection, ({ state }) => state === 'online')
  }
  const hers = await ada.chats.start(people[1].id)
  await hers.send({ text: 'Coffee?' })
  await fits(bob.chats.list, ({ items }) => items[0]?.last_message?.text === 'Coffee?')
  expect(ada.presence(people[1].id).get().online).toBe(false)
  await bob.chats.open(hers.id).send({ text: 'Tea!' })
  await fits(ada.presence(people[1].id), ({ online }) => online, 'Ada sees Bob')
  await fits(bob.presence(people[0].id), ({ online }) => online, 'Bob sees Ada')
})

test('whoever is blocked is shown by name only, on all devices at once', async () => {
  const app = await testApp()
  const { base, ada, bob, people, chatId } = await pair(app)
  await people.bob.put('me', { bio: 'Climbs' })
  const phone = await clientOf(base, people.ada)
  for (const client of [bob, ada, phone]) {
    client.chats.list.subscribe(() => {})
    client.connect()
    await fits(client.chats.list, ({ items }) => items.length === 1)
  }
  await bob.chats.open(chatId).send({ text: 'Hello?' })
  for (const client of [ada, phone]) {
    await fits(client.chats.list, ({ items }) => items[0]?.last_message?.text === 'Hello?' && items[0].unread_count > 0)
    expect(client.chats.list.get().items[0]?.user.bio).toBe('Climbs')
    await fits(client.presence(people.bob.id), ({ online }) => online)
  }
  await ada.api.POST('/api/v1/blocks', { body: { user_id: people.bob.id } })
  for (const client of [ada, phone]) {
    await fits(client.chats.list, ({ items }) => items[0]?.user.bio === null)
    expect(client.chats.list.get().items).toMatchObject([{ online: false, unread_count: 0, user: { name: 'Bob' } }])
    expect(client.presence(people.bob.id).get().online).toBe(false)
  }
})

test('while nobody is signed in, what is shown asks the server for nothing', async () => {
  const app = await testApp()
  const { base, people, chatId } = await pair(app)
  const asked: string[] = []
  const client = newClient(base, {
    fetch(url, init) {
      asked.push(url)
      return fetch(url, init)
    },
  })
  const chat = client.chats.open(chatId)
  for (const store of [client.chats.list, chat.messages, chat.info]) (store as Store<unknown>).subscribe(() => {})
  await chat.discard('nothing')
  client.wake()
  await Bun.sleep(100)
  expect(asked).toEqual([])
  expect(client.chats.list.get()).toMatchObject({ loading: false, problem: null })
  await client.signIn({ email: people.ada.email, password })
  await fits(client.chats.list, ({ items }) => items.length === 1)
})
