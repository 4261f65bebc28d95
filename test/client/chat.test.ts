import { expect, test } from 'bun:test'
import { testApp } from '../app.ts'
import { until } from '../until.ts'
import { clientOf, fits, pair, textsOf } from './people.ts'

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
