import { expect, setSystemTime, test } from 'bun:test'
import { noContent } from '../../client/src/initial.ts'
import { openMessages } from '../../client/src/messages.ts'
import { createStore } from '../../client/src/store.ts'
import { type Note, shareSocket } from '../../client/src/tabs.ts'
import type { Event, Frame, Message } from '../../client/src/index.ts'
import { hours } from '../../src/lib/time.ts'
import { password, type TestApp, testApp } from '../app.ts'
import { until } from '../until.ts'
import { clientOf, fits, newClient, pair, sharedStorage } from './people.ts'

const me = 'me'
const messageOf = (n: number): Message => ({
  id: `0199a3c4-9a10-7d33-b6c1-${n.toString(16).padStart(12, '0')}`,
  chat_id: 'chat',
  sender_id: n % 2 ? me : 'other',
  kind: 'text',
  ...noContent,
  text: `message ${n}`,
  read: true,
  read_at: '2026-11-21T12:00:00.000Z',
  edited: false,
  edited_at: null,
  caution: null,
  deleted: false,
  created_at: '2026-11-21T12:00:00.000Z',
  client_id: null,
})

test('with 100,000 messages in the store an arriving one changes one row, fast', async () => {
  const count = 100_000
  const all = Array.from({ length: count }, (_, n) => messageOf(n)).toReversed()
  const api = { GET: async () => ({ data: { items: all, next_cursor: null } }) }
  const outbox = { entries: createStore([]), file: () => undefined }
  const { store, load, onEvent } = openMessages({
    api: api as never,
    outbox: outbox as never,
    chatId: 'chat',
    me,
    retry: { minMs: 1, maxMs: 1 },
    cached: async () => [],
    keep() {},
  })
  await load()
  const before = store.get().items
  expect(before).toHaveLength(count)
  const startedAt = performance.now()
  const event = { type: 'message', seq: 1, at: '', data: messageOf(count) } as Event
  onEvent(event)
  const tookMs = performance.now() - startedAt
  const after = store.get().items
  expect(after).toHaveLength(count + 1)
  expect(after.filter((row, i) => row !== before[i])).toEqual([after.at(-1)!])
  console.log(`an arriving message among ${count} took ${tookMs.toFixed(2)} ms`)
})

test('a chat of a storage with 100,000 messages is opened from it alone', async () => {
  const app = await testApp()
  const { people, base, chatId } = await pair(app)
  const storage = sharedStorage()
  const first = await clientOf(base, people.ada, { storage })
  await people.bob.post(`chats/${chatId}/messages`, { text: 'Hello!' })
  await first.chats.open(chatId).load()
  const key = `convene:${people.ada.id}:chat:${chatId}`
  await until(() => storage.kept.has(key), 'it is kept')
  first.close()
  // A thousand other chats with a hundred messages each.
  const hundred = JSON.stringify(Array.from({ length: 100 }, (_, n) => messageOf(n)))
  for (let n = 0; n < 1000; n++) storage.setItem(`convene:${people.ada.id}:chat:${n}`, hundred)

  const offline = async () => {
    throw new TypeError('no network')
  }
  const startedAt = performance.now()
  const second = newClient(base, { storage, fetch: offline })
  const { items } = await fits(second.chats.open(chatId).messages, ({ items }) => items.length > 0)
  console.log(`opening a chat took ${(performance.now() - startedAt).toFixed(1)} ms`)
  expect(items.map(({ text }) => text)).toEqual(['Hello!'])
})

test('older messages come page by page without repeats, and lists stay as they are where nothing changed', async () => {
  const app = await testApp()
  const { people, ada, chatId } = await pair(app)
  for (let n = 0; n < 120; n++) await people.bob.post(`chats/${chatId}/messages`, { text: `${n}` })
  const chat = ada.chats.open(chatId)
  await chat.load()
  expect(chat.messages.get()).toMatchObject({ hasOlder: true, loaded: true })
  const newest = chat.messages.get().items
  await Promise.all([chat.loadOlder(), chat.loadOlder()])
  await chat.loadOlder()
  const { items, hasOlder } = chat.messages.get()
  expect(items.map(({ text }) => text)).toEqual(Array.from({ length: 120 }, (_, n) => `${n}`))
  expect(hasOlder).toBe(false)
  expect(items.slice(-newest.length)).toEqual([...newest])
  await people.bob.post(`chats/${chatId}/messages`, { text: '120' })
  await chat.loadNewer()
  expect(chat.messages.get().items.at(-1)!.text).toBe('120')
  expect(chat.messages.get().items[50]).toBe(items[50]!)
})

/** Somebody with a message in each of 55 chats, more than a page of the list has. The oldest is the first. */
async function busy(app: TestApp) {
  const ada = await app.person('Ada')
  const others = []
  for (let n = 0; n < 55; n++) {
    const other = await app.person(`P${n}`)
    const chatId = await app.met(ada, other)
    app.clock.now += 1000
    await other.post(`chats/${chatId}/messages`, { text: 'Hello' })
    others.push({ ...other, chatId })
  }
  return { ada, others }
}

test('a list that is read again keeps its later pages, and an open chat its name', async () => {
  const app = await testApp()
  const base = await app.listen()
  const { ada, others } = await busy(app)
  const client = await clientOf(base, ada)
  const { list, open } = client.chats
  await list.load()
  expect(list.get()).toMatchObject({ hasMore: true, unreadTotal: 55 })
  const oldest = others[0]!
  const chat = open(oldest.chatId)
  // It is not in the first page, so it is read by itself.
  chat.info.subscribe(() => {})
  chat.messages.subscribe(() => {})
  await fits(chat.info, (info) => info !== null)
  await list.load()
  expect([list.get().items.length, chat.info.get()?.user.name]).toEqual([50, 'P0'])
  await list.loadMore()
  expect(list.get()).toMatchObject({ hasMore: false })
  expect((await ada.put(`chats/${oldest.chatId}/mute`, { until: 'forever' })).status).toBe(200)
  await list.load()
  expect([list.get().items.length, list.get().hasMore]).toEqual([55, false])
  await fits(chat.info, (info) => info?.muted_until !== null)
})

test('the number of unread messages counts chats beyond the loaded part of the list once', async () => {
  const app = await testApp()
  const base = await app.listen()
  const { ada, others } = await busy(app)
  const client = await clientOf(base, ada)
  const { list, open } = client.chats
  client.connect()
  await list.load()
  expect(list.get()).toMatchObject({ hasMore: true, unreadTotal: 55 })
  const [oldest, next] = others.map(({ chatId }) => open(chatId))
  for (const { info } of [oldest!, next!]) {
    info.subscribe(() => {})
    await fits(info, (chat) => chat?.unread_count === 1)
  }
  await oldest!.load()
  await oldest!.markRead()
  expect(list.get().unreadTotal).toBe(54)
  await fits(client.connection, ({ state }) => state === 'online')
  app.clock.now += 1000
  await others[1]!.post(`chats/${next!.id}/messages`, { text: 'Are you there?' })
  await fits(list, ({ items }) => items[0]!.id === next!.id)
  expect(list.get().unreadTotal).toBe(55)
  // She reads another one on another device.
  expect((await ada.put(`chats/${others[2]!.chatId}/read`, {})).status).toBe(200)
  await fits(list, ({ unreadTotal }) => unreadTotal === 54)
  expect((await ada.get('chats')).body.unread_total).toBe(54)
})

test('after a gap everything that is looked at is read again, and the client says so', async () => {
  const app = await testApp()
  const { ada, people, chatId } = await pair(app)
  const chat = ada.chats.open(chatId)
  chat.messages.subscribe(() => {})
  ada.connect()
  await fits(ada.connection, ({ state }) => state === 'online')
  await people.bob.post(`chats/${chatId}/messages`, { text: 'one' })
  await fits(chat.messages, ({ items }) => items.length === 1)
  ada.disconnect()
  await people.bob.post(`chats/${chatId}/messages`, { text: 'two' })
  // The events are forgotten before she comes back.
  await app.rows('DELETE FROM events WHERE user_id = ?', people.ada.id)
  const gap = new Promise<{ seq: number }>((resolve) => ada.on('gap', resolve))
  const frames: unknown[] = []
  ada.on('*', (_data, frame) => void frames.push(frame))
  ada.connect()
  expect((await gap).seq).toBeGreaterThan(0)
  await fits(chat.messages, ({ items }) => items.length === 2, 'both are there')
  // A gap is not a frame.
  expect(frames.length).toBeGreaterThan(0)
  expect(frames).not.toContain(undefined)
})

test('a chat that is opened before its part has loaded is another object for somebody else who signs in', async () => {
  const app = await testApp()
  const { people, base, chatId } = await pair(app)
  const storage = sharedStorage()
  await clientOf(base, people.ada, { storage })
  const client = newClient(base, { storage })
  const hers = client.chats.open(chatId)
  hers.messages.subscribe(() => {})
  await fits(hers.messages, ({ loaded }) => loaded)
  expect(client.chats.open(chatId)).toBe(hers)
  await client.signIn({ email: people.bob.email, password })
  const his = client.chats.open(chatId)
  expect(his).not.toBe(hers)
  expect(his.messages.subscribe).not.toBe(hers.messages.subscribe)
})

test('a listener of the session already reaches the chats of whoever has signed in', async () => {
  const app = await testApp()
  const { people, base, chatId, bob } = await pair(app)
  const client = newClient(base)
  client.session.subscribe(() => {
    if (client.session.get().state !== 'signed-in') return
    void client.chats.list.load()
    void client.chats.open(chatId).send({ text: 'I am here.' })
  })
  // The client itself listens only after this listener, once its part for chats has loaded.
  await client.chats.open(chatId).load()
  await client.signIn({ email: people.ada.email, password })
  await fits(client.chats.list, ({ items }) => items.length === 1)
  const chat = bob.chats.open(chatId)
  await until(async () => {
    await chat.load()
    return chat.messages.get().items.some(({ text }) => text === 'I am here.')
  }, 'the message is sent')
})

test('a chat, a list and a presence that are asked for before they are loaded come alive, and stay the same objects', async () => {
  const app = await testApp()
  const { people, base, chatId } = await pair(app)
  await people.bob.post(`chats/${chatId}/messages`, { text: 'Hello!' })
  const storage = sharedStorage()
  await clientOf(base, people.ada, { storage })
  const client = newClient(base, { storage })
  const chat = client.chats.open(chatId)
  const presence = client.presence(people.bob.id)
  expect([chat.messages.get().items, chat.info.get(), presence.get().online]).toEqual([[], null, false])
  let told = 0
  const stop = chat.messages.subscribe(() => told++)
  chat.messages.subscribe(() => told++)()
  const sent = chat.send({ text: 'Hi!' })
  await fits(chat.messages, ({ items }) => items.length === 2 && items.every(({ state }) => state === 'sent'))
  expect(chat.messages.get().items.map(({ text, client_id }) => [text, client_id === null])).toEqual([
    ['Hello!', true],
    ['Hi!', false],
  ])
  expect(chat.messages.get().items[1]!.client_id).toBe(await sent)
  expect(client.chats.open(chatId)).toBe(chat)
  expect(client.presence(people.bob.id)).toBe(presence)
  stop()
  const before = told
  await chat.send({ text: 'Bye!' })
  await fits(chat.messages, ({ items }) => items.length === 3)
  expect(told).toBe(before)
})

test('whoever signs out leaves nothing on the device, of earlier pages neither', async () => {
  const app = await testApp()
  const { people, base, chatId } = await pair(app)
  const carol = await app.person('Carol')
  const other = await app.met(people.ada, carol)
  await people.bob.post(`chats/${chatId}/messages`, { text: 'a secret of Bob' })
  await carol.post(`chats/${other}/messages`, { text: 'a secret of Carol' })
  const storage = sharedStorage()
  const first = await clientOf(base, people.ada, { storage })
  await Promise.all([chatId, other].map((id) => first.chats.open(id).load()))
  await first.chats.list.load()
  await until(() => [...storage.kept.values()].join().includes('of Carol'), 'it is kept')
  await until(() => [...storage.kept.values()].join().includes('of Bob'), 'it is kept')
  first.close()
  const second = newClient(base, { storage })
  await second.signOut()
  expect([...storage.kept]).toEqual([])
})

test('whoever signs out in one tab leaves nothing of what another tab has stored', async () => {
  const app = await testApp()
  const { people, base, chatId } = await pair(app)
  const carol = await app.person('Carol')
  const other = await app.met(people.ada, carol)
  await people.bob.post(`chats/${chatId}/messages`, { text: 'a secret of Bob' })
  await carol.post(`chats/${other}/messages`, { text: 'a secret of Carol' })
  const storage = sharedStorage()
  const first = await clientOf(base, people.ada, { storage })
  const second = newClient(base, { storage })
  await Promise.all([first.chats.open(chatId).load(), second.chats.open(other).load()])
  for (const secret of ['of Bob', 'of Carol'])
    await until(() => [...storage.kept.values()].join().includes(secret), 'it is kept')
  await first.signOut()
  expect([...storage.kept]).toEqual([])
})

test('what is stored of a chat is its newest state, also after several events in a moment', async () => {
  const app = await testApp()
  const { people, base, chatId } = await pair(app)
  const storage = sharedStorage()
  const ada = await clientOf(base, people.ada, { storage })
  ada.connect()
  const chat = ada.chats.open(chatId)
  await chat.load()
  await fits(ada.connection, ({ state }) => state === 'online')
  const { id } = (await people.bob.post(`chats/${chatId}/messages`, { text: 'a secret of Bob' })).body
  await people.bob.delete(`messages/${id}`)
  await fits(chat.messages, ({ items }) => items.some((one) => one.id === id && one.deleted))
  await people.bob.post(`chats/${chatId}/messages`, { text: 'the last word' })
  await until(() => [...storage.kept.values()].join().includes('the last word'), 'it is stored')
  expect([...storage.kept.values()].join()).not.toContain('a secret')
})

test('what was read half a day ago is read again, because links to photos end', async () => {
  const app = await testApp()
  const { people, base, chatId } = await pair(app)
  const asked: string[] = []
  const ada = await clientOf(base, people.ada, {
    fetch: (url, init) => {
      asked.push(url)
      return globalThis.fetch(url, init)
    },
  })
  const chat = ada.chats.open(chatId)
  chat.messages.subscribe(() => {})
  await fits(chat.messages, ({ loaded }) => loaded)
  asked.length = 0
  ada.wake()
  expect(asked).toEqual([])
  setSystemTime(Date.now() + 13 * hours)
  try {
    ada.wake()
    await until(() => asked.some((url) => url.includes(`/chats/${chatId}/messages`)), 'they are read again')
  } finally {
    setSystemTime()
  }
})

test('a message that was held back takes its own place among newer ones; small differences of clocks change no order', async () => {
  const at = (n: number, seconds = n * 60) => ({
    ...messageOf(n),
    created_at: new Date(Date.UTC(2026, 10, 21) + seconds * 1000).toISOString(),
  })
  const api = { GET: async () => ({ data: { items: [at(3), at(1)], next_cursor: null } }) }
  const { store, load, onEvent } = openMessages({
    api: api as never,
    outbox: { entries: createStore([]), file: () => undefined } as never,
    chatId: 'chat',
    me,
    retry: { minMs: 1, maxMs: 1 },
    cached: async () => [],
    keep() {},
  })
  await load()
  for (const message of [at(2), at(4), at(5, 239)]) onEvent({ type: 'message', seq: 1, at: '', data: message } as Event)
  expect(store.get().items.map(({ text }) => text)).toEqual([1, 2, 3, 4, 5].map((n) => `message ${n}`))
})

test('a chat whose newest message is not loaded is not marked in circles: the message is loaded, and marked', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const marks: string[] = []
  const fetch = async (url: string, init?: RequestInit) => {
    if (url.endsWith('/read')) marks.push(String(init?.body))
    return globalThis.fetch(url, init)
  }
  await bob.post(`chats/${id}/messages`, { text: 'old' })
  // Without a connection, no event tells of the next message.
  const client = await clientOf(base, ada, { fetch })
  const { list, open } = client.chats
  const chat = open(id)
  const mark = () => {
    if (chat.messages.get().loaded && chat.info.get()?.unread_count) void chat.markRead()
  }
  chat.messages.subscribe(mark)
  chat.info.subscribe(mark)
  await list.load()
  const isRead = async () => (await ada.get('chats')).body.unread_total === 0
  await until(isRead, 'the old one is marked')
  await bob.post(`chats/${id}/messages`, { text: 'new' })
  await list.load()
  await fits(chat.messages, ({ items }) => items.at(-1)?.text === 'new', 'the new one is loaded')
  await until(isRead, 'the new one is marked')
  await fits(chat.info, (info) => info?.unread_count === 0)
  expect(marks).toEqual(chat.messages.get().items.map(({ id }) => JSON.stringify({ up_to: id })))
})

test('a chat that could not be read is read again when the client wakes', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  let asked = 0
  const fetch = async (url: string, init?: RequestInit) =>
    url.endsWith(`/chats/${id}`) && asked++ === 0 ? new Response('', { status: 502 }) : globalThis.fetch(url, init)
  const client = await clientOf(base, ada, { fetch })
  const { info } = client.chats.open(id)
  const stop = info.subscribe(() => {})
  await until(() => asked === 1, 'it was asked for')
  await Bun.sleep(20)
  expect(info.get()).toBeNull()
  client.wake()
  await until(() => info.get()?.user.name === 'Bob', 'it is read')
  stop()
})

test('nobody is shown as online while there is no connection', async () => {
  const app = await testApp()
  const { ada, bob, people } = await pair(app)
  for (const client of [ada, bob]) client.connect()
  const presence = ada.presence(people.bob.id)
  await fits(presence, ({ online }) => online)
  ada.disconnect()
  expect(presence.get().online).toBe(false)
  // What is read over HTTP would be old soon, too.
  await ada.chats.list.load()
  expect(presence.get().online).toBe(false)
  ada.connect()
  await fits(presence, ({ online }) => online)
})

test('a tab that cannot read the events it has missed tries again less and less often, and at once when it wakes', async () => {
  const askedAt: number[] = []
  const missed = { seq: 2, type: 'notice', at: '', data: {} } as unknown as Frame
  let isDown = true
  const api = {
    async GET() {
      askedAt.push(performance.now())
      if (askedAt.length === 1) return { response: new Response('', { headers: { 'retry-after': '0.2' } }) }
      if (isDown) throw new TypeError('no network')
      return { data: { items: [missed], next_cursor: null } }
    },
  }
  const notes = new Set<(note: Note) => void>()
  const told: unknown[] = []
  const known = { seq: 1 }
  const connection = shareSocket({
    api,
    name: '',
    tab: 'this',
    known,
    retry: { minMs: 50, maxMs: 10_000 },
    state: createStore(null),
    tabs: {
      // Another tab leads.
      locks: { request: () => new Promise(() => {}) },
      post() {},
      listen: (listener: (note: Note) => void) => {
        notes.add(listener)
        return () => notes.delete(listener)
      },
    },
    onFrame: (frame: Frame) => told.push(frame.seq),
    onOnline() {},
  } as never)
  const state = { state: 'online', reason: null, leads: true } as const
  for (const tell of notes) tell({ say: 'lead', from: 'other', of: '', seq: 2, state, online: [] })
  await until(() => askedAt.length >= 4, 'it tries again')
  expect(askedAt[1]! - askedAt[0]!).toBeGreaterThanOrEqual(245)
  for (const i of [2, 3]) expect(askedAt[i]! - askedAt[i - 1]!).toBeGreaterThanOrEqual(45)
  isDown = false
  const before = askedAt.length
  connection.wake()
  expect(askedAt.length).toBe(before + 1)
  await until(() => told.length > 0, 'the event is there')
  expect(told).toEqual([2])
  connection.close()
})
