import { expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLock } from '../../client/src/locks.ts'
import { openOutbox } from '../../client/src/outbox.ts'
import { memoryStorage, openStorage } from '../../client/src/storage.ts'
import { testApp } from '../app.ts'
import { until } from '../until.ts'
import { clientOf, fits, newClient, pair, sharedStorage, textsOf } from './people.ts'

const gif = Uint8Array.fromBase64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')

/** A `fetch` that can be switched off, and remembers what was asked. */
function switched() {
  const at = { isOff: false, sent: [] as string[] }
  const fetch = async (url: string, init?: RequestInit) => {
    if (at.isOff) throw new TypeError('no network')
    at.sent.push(`${init?.method} ${new URL(url).pathname}`)
    return globalThis.fetch(url, init)
  }
  return { at, fetch: fetch }
}

test('what is sent without a network waits over a restart, and goes in order, photos too', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const storage = sharedStorage()
  const { at, fetch } = switched()
  const before = await clientOf(base, ada, { storage, fetch })
  at.isOff = true
  const chat = before.chats.open(id)
  await chat.send({ text: 'one' })
  await chat.send({ photo: new Blob([gif], { type: 'image/gif' }), text: 'a photo' })
  await chat.send({ text: 'three' })
  expect(chat.messages.get().items.map(({ text, state, kind }) => [text, state, kind])).toEqual([
    ['one', 'pending', 'text'],
    ['a photo', 'pending', 'photo'],
    ['three', 'pending', 'text'],
  ])
  before.close()

  const after = newClient(base, { storage })
  const stored = async () => (await bob.get(`chats/${id}/messages`)).body.items.toReversed()
  await until(async () => (await stored()).length === 3, 'all three are sent')
  const messages = await stored()
  expect(textsOf({ items: messages })).toEqual(['one', 'a photo', 'three'])
  expect(messages[1].photo.width).toBe(1)
  await fits(after.chats.open(id).messages, ({ items }) => items.length === 3 && items.every((m) => m.state === 'sent'))
  // Nothing is left of it, the photo neither.
  await until(() => ![...storage.kept.keys()].some((key) => key.includes('photo:')), 'the photo is removed')
  expect(storage.kept.get(`convene:outbox:${ada.id}`)).toBe('[]')
})

test('a message that is sent while the storage cannot be read overwrites none that waits', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const storage = sharedStorage()
  let isBroken = false
  const failing = {
    ...storage,
    getItem: async (key: string) => {
      if (isBroken) throw new Error('the connection is lost')
      return storage.getItem(key)
    },
  }
  const { at, fetch } = switched()
  const client = await clientOf(base, ada, { storage: failing, fetch })
  at.isOff = true
  const chat = client.chats.open(id)
  await chat.send({ text: 'one' })
  isBroken = true
  await chat.send({ text: 'two' })
  expect(textsOf(chat.messages.get())).toEqual(['one', 'two'])
  isBroken = false
  await chat.send({ text: 'three' })
  const waiting = JSON.parse(storage.kept.get(`convene:outbox:${ada.id}`)!) as { text: string }[]
  expect(waiting.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
  at.isOff = false
  client.wake()
  await until(async () => (await bob.get(`chats/${id}/messages`)).body.items.length === 3, 'all three are sent')
})

test('a refused message stays with its problem until it is sent again or discarded, and holds up no other', async () => {
  const app = await testApp()
  const { ada, people, chatId } = await pair(app)
  const chat = ada.chats.open(chatId)
  await chat.load()
  const block = (await people.bob.post('blocks', { user_id: people.ada.id })).body
  const first = await chat.send({ text: 'Hello?' })
  const second = await chat.send({ text: 'Anybody?' })
  const { items } = await fits(
    chat.messages,
    ({ items }) => items.length === 2 && items.every((m) => m.state === 'failed'),
  )
  expect(items.map(({ problem }) => problem?.code)).toEqual(['blocked', 'blocked'])
  await people.bob.delete(`blocks/${block.id}`)
  await chat.discard(second)
  await chat.edit(first, 'Hello again?')
  await fits(chat.messages, (state) => textsOf(state).join() === 'Hello again?' && state.items[0]!.state === 'sent')
  expect(textsOf((await people.bob.get(`chats/${chatId}/messages`)).body)).toEqual(['Hello again?'])
})

test('an edit shows at once, keeps its text where it is refused, and shows the old one when it is discarded', async () => {
  const app = await testApp()
  const { ada, people, chatId } = await pair(app)
  const chat = ada.chats.open(chatId)
  await chat.load()
  await chat.send({ text: 'Cofee' })
  const { id } = (await fits(chat.messages, ({ items }) => items[0]?.state === 'sent')).items[0]!
  const edited = chat.edit(id, 'Coffee')
  expect(chat.messages.get().items[0]).toMatchObject({ text: 'Coffee', state: 'pending' })
  await edited
  await fits(chat.messages, ({ items }) => items[0]!.state === 'sent' && items[0]!.text === 'Coffee', 'it is edited')

  await people.bob.post('blocks', { user_id: people.ada.id })
  await chat.edit(id, 'Tea')
  const { items } = await fits(chat.messages, ({ items }) => items[0]!.state === 'failed')
  expect(items[0]).toMatchObject({ text: 'Tea', problem: { code: 'blocked' } })
  await chat.discard(id)
  expect(chat.messages.get().items[0]).toMatchObject({ text: 'Coffee', state: 'sent', problem: null })

  await chat.remove(id)
  await fits(chat.messages, ({ items }) => items[0]!.deleted && items[0]!.state === 'sent', 'it is deleted')
})

test('a message is edited and removed before it is sent', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const { at, fetch } = switched()
  const client = await clientOf(base, ada, { fetch })
  at.isOff = true
  const chat = client.chats.open(id)
  const first = await chat.send({ text: 'one' })
  const second = await chat.send({ text: 'two' })
  await chat.edit(first, 'one, better')
  await chat.remove(second)
  expect(chat.messages.get().items.map(({ text, deleted }) => [text, deleted])).toEqual([
    ['one, better', false],
    [null, true],
  ])
  at.isOff = false
  client.wake()
  const stored = async () => (await bob.get(`chats/${id}/messages`)).body.items.toReversed()
  await until(
    async () => (await stored())[1]?.deleted && (await stored())[0]?.text === 'one, better',
    'both changes arrive',
  )
})

test('a message that was sent meanwhile is edited and removed by the id that it had while it waited', async () => {
  const app = await testApp()
  const { ada, people, chatId } = await pair(app)
  const chat = ada.chats.open(chatId)
  await chat.load()
  const [edited, removed] = [await chat.send({ text: 'One' }), await chat.send({ text: 'Two' })]
  await fits(chat.messages, ({ items }) => items.length === 2 && items.every(({ state }) => state === 'sent'))
  await chat.edit(edited, 'One, edited')
  await chat.remove(removed)
  const stored = async () => (await people.bob.get(`chats/${chatId}/messages`)).body.items.toReversed()
  await until(async () => (await stored())[1].deleted, 'both changes arrive')
  expect((await stored()).map(({ text, deleted }: any) => [text, deleted])).toEqual([
    ['One, edited', false],
    [null, true],
  ])
  await fits(chat.messages, (state) => textsOf(state)[0] === 'One, edited' && state.items[1]!.deleted)
})

test('a request that hangs is repeated as soon as the network may be back', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  let hangs = true
  const fetch = (url: string, init?: RequestInit) =>
    hangs && init?.method === 'POST' && url.endsWith('/messages')
      ? new Promise<Response>((_, reject) => init.signal!.addEventListener('abort', () => reject(new Error('aborted'))))
      : globalThis.fetch(url, init)
  const client = await clientOf(base, ada, { fetch })
  await client.chats.open(id).send({ text: 'Hello' })
  await Bun.sleep(1200)
  hangs = false
  client.wake()
  await until(async () => (await bob.get(`chats/${id}/messages`)).body.items.length === 1, 'it is sent')
})

test('a send whose answer is lost is repeated, and stored once', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  let posts = 0
  const fetch = async (url: string, init?: RequestInit) => {
    const response = await globalThis.fetch(url, init)
    if (url.endsWith('/messages') && init?.method === 'POST' && posts++ < 3) throw new TypeError('the answer is lost')
    return response
  }
  const client = await clientOf(base, ada, { fetch: fetch })
  const chat = client.chats.open(id)
  await chat.send({ text: 'once' })
  await until(() => posts === 4, 'it is sent four times')
  await fits(chat.messages, ({ items }) => items.length === 1 && items[0]!.state === 'sent')
  expect((await bob.get(`chats/${id}/messages`)).body.items).toHaveLength(1)
})

test('signing out removes what waits; somebody else who signs in sends nothing of it', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const storage = sharedStorage()
  const { at, fetch } = switched()
  const client = await clientOf(base, ada, { storage, fetch })
  await client.chats.open(id).load()
  at.isOff = true
  await client.chats.open(id).send({ text: 'never' })
  await client.signOut()
  expect([...storage.kept.keys()]).toEqual([])
  at.isOff = false
  await client.signIn({ email: bob.email, password: 'twelve green bottles' })
  await client.chats.open(id).send({ text: 'Bob’s' })
  await until(async () => (await bob.get(`chats/${id}/messages`)).body.items.length > 0, 'his is sent')
  expect(textsOf((await bob.get(`chats/${id}/messages`)).body)).toEqual(['Bob’s'])
})

test('a message and an edit are shown without a break while the server’s answer is being stored', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const kept = sharedStorage()
  // As slow as the storage of a phone.
  const storage = {
    ...kept,
    async getItem(key: string) {
      const value = kept.getItem(key)
      await Bun.sleep(20)
      return value
    },
    async setItem(key: string, value: string) {
      await Bun.sleep(20)
      kept.setItem(key, value)
    },
  }
  const client = await clientOf(base, ada, { storage })
  const { messages, ...chat } = client.chats.open(id)
  const shown: string[] = []
  messages.subscribe(() => {
    const { text, state } = messages.get().items.at(-1) ?? { text: 'nothing', state: '' }
    if (shown.at(-1) !== `${text} ${state}`) shown.push(`${text} ${state}`)
  })
  await chat.load()
  shown.length = 0
  await chat.send({ text: 'Hello' })
  const isStored = () => kept.kept.get(`convene:outbox:${ada.id}`) === '[]'
  await until(isStored, 'the message is sent')
  await chat.edit(messages.get().items[0]!.id, 'Hello!')
  await until(isStored, 'the edit is sent')
  await fits(messages, ({ items }) => items[0]!.state === 'sent')
  expect(shown).toEqual(['Hello pending', 'Hello sent', 'Hello! pending', 'Hello! sent'])
})

test('an edit of a message that is not loaded shows it nowhere else', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const { body: old } = await ada.post(`chats/${id}/messages`, { text: 'old' })
  for (let n = 0; n < 50; n++) await bob.post(`chats/${id}/messages`, { text: `${n}` })
  const client = await clientOf(base, ada)
  const chat = client.chats.open(id)
  await chat.load()
  // As another tab does that has loaded it.
  await chat.edit(old.id, 'old, but better')
  await until(async () => (await ada.get(`chats/${id}/messages?limit=100`)).body.items.at(-1).edited, 'it is edited')
  await chat.send({ text: 'the end' })
  await fits(chat.messages, ({ items }) => items.at(-1)?.text === 'the end' && items.at(-1)?.state === 'sent')
  expect(textsOf(chat.messages.get()).slice(-2)).toEqual(['49', 'the end'])
  await chat.loadOlder()
  expect(textsOf(chat.messages.get())[0]).toBe('old, but better')
})

test('a message that has to wait is sent in time, whatever happens to those in other chats', async () => {
  const sent: string[] = []
  let isReady = false
  const waits: Record<string, string | undefined> = { busy: '0.05', busier: '3600' }
  const api = {
    async POST(_: string, { params, body }: { params: { path: { id: string } }; body: { client_id: string } }) {
      const { id } = params.path
      const wait = waits[id]
      if (wait) {
        if (id === 'busy') waits[id] = undefined
        return { error: { status: 503 }, response: new Response('', { headers: { 'retry-after': wait } }) }
      }
      sent.push(id)
      return { data: { id: body.client_id, chat_id: id }, response: new Response() }
    },
  }
  const outbox = openOutbox({
    api: api as never,
    storage: openStorage(memoryStorage(), ''),
    lock: openLock(null, 'has to wait'),
    key: 'outbox',
    retry: { minMs: 1, maxMs: 2 },
    isReady: () => isReady,
    changed() {},
  })
  for (const chat of ['busy', 'busier', 'other'])
    await outbox.add({ id: chat, op: 'send', chat, text: 'Hello', at: '' })
  // Their own attempts end: nobody is signed in.
  await new Promise((resolve) => setTimeout(resolve))
  isReady = true
  void outbox.drain()
  await until(() => sent.length === 2, 'two are sent')
  expect(sent).toEqual(['other', 'busy'])
  expect(outbox.entries.get().map(({ chat }) => chat)).toContain('busier')
  outbox.close()
})

test('a server that names a date to wait for is asked again after the usual pauses', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const askedAt: number[] = []
  const fetch = async (url: string, init?: RequestInit) => {
    if (init?.method !== 'POST' || !url.endsWith('/messages') || askedAt.push(performance.now()) > 5)
      return globalThis.fetch(url, init)
    return new Response('', { status: 503, headers: { 'retry-after': 'Sun, 22 Nov 2026 12:00:00 GMT' } })
  }
  const client = await clientOf(base, ada, { fetch, retry: { minMs: 50, maxMs: 60 } })
  await client.chats.open(id).send({ text: 'Hello' })
  await until(() => askedAt.length === 6, 'it is sent')
  // Signing in and sending ask at once, too.
  for (const i of [3, 4, 5]) expect(askedAt[i]! - askedAt[i - 1]!).toBeGreaterThan(45)
})

test('a page that a network shows instead of the server’s answer takes no message', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  let pages = 2
  const fetch = async (url: string, init?: RequestInit) =>
    init?.method === 'POST' && url.endsWith('/messages') && pages-- > 0
      ? new Response('<h1>Welcome to our hotel</h1>', { headers: { 'content-type': 'text/html' } })
      : globalThis.fetch(url, init)
  const client = await clientOf(base, ada, { fetch })
  const chat = client.chats.open(id)
  await chat.send({ text: 'Hello' })
  await until(async () => (await bob.get(`chats/${id}/messages`)).body.items.length === 1, 'it is sent')
  await fits(chat.messages, ({ items }) => items.length === 1 && items[0]!.state === 'sent')
})

test('a message waits while a proxy does not find the server', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  let pages = 2
  const client = await clientOf(base, ada, {
    fetch: async (url, init) =>
      init?.method === 'POST' && url.endsWith('/messages') && pages-- > 0
        ? new Response('404 page not found', { status: 404 })
        : globalThis.fetch(url, init),
  })
  const chat = client.chats.open(id)
  const states = new Set<string>()
  chat.messages.subscribe(() => chat.messages.get().items.forEach(({ state }) => states.add(state)))
  await chat.send({ text: 'Hello' })
  await fits(chat.messages, ({ items }) => items[0]?.state === 'sent')
  expect([...states]).toEqual(['pending', 'sent'])
})

test('a photo that a proxy finds too large fails as one that the server does', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const client = await clientOf(base, ada, {
    fetch: async (url, init) =>
      init?.method === 'POST' && url.endsWith('/media')
        ? new Response('<h1>413 Request Entity Too Large</h1>', { status: 413 })
        : globalThis.fetch(url, init),
  })
  const chat = client.chats.open(await app.met(ada, bob))
  await chat.send({ photo: new File([gif], 'large.gif', { type: 'image/gif' }) })
  const { items } = await fits(chat.messages, ({ items }) => items[0]?.state === 'failed')
  expect(items[0]!.problem).toMatchObject({ code: 'payload_too_large', status: 413 })
})

test('an outbox whose stored form is damaged still sends', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const storage = sharedStorage()
  storage.setItem(`convene:outbox:${ada.id}`, '[{"id":"a1","op":"se')
  const client = await clientOf(base, ada, { storage })
  await client.chats.open(id).send({ text: 'Hello' })
  await until(async () => (await bob.get(`chats/${id}/messages`)).body.items.length === 1, 'it is sent')
})

test('messages that are sent in a row stay shown while the storage is slow to read', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const kept = sharedStorage()
  const getItem = async (key: string) => {
    const value = kept.getItem(key)
    await Bun.sleep(20)
    return value
  }
  const { at, fetch } = switched()
  const client = await clientOf(base, ada, { fetch, storage: { ...kept, getItem } })
  at.isOff = true
  const { messages, send } = client.chats.open(id)
  const counts: number[] = []
  messages.subscribe(() => counts.push(messages.get().items.length))
  for (const text of ['one', 'two', 'three', 'four']) await send({ text })
  expect(counts.at(-1)).toBe(4)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
})

test.each(['confirmed too late', 'refused'])(
  'a write of the outbox that is %s loses no message of any tab',
  async (how) => {
    const app = await testApp()
    const base = await app.listen()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const id = await app.met(ada, bob)
    const storage = sharedStorage()
    let isFailing = false
    const failing = {
      ...storage,
      setItem(key: string, value: string) {
        if (!isFailing || how !== 'refused') storage.setItem(key, value)
        if (isFailing) throw new Error('The storage does not answer.')
      },
    }
    const { at, fetch } = switched()
    const first = await clientOf(base, ada, { storage: failing, fetch })
    const second = newClient(base, { storage, fetch })
    await second.chats.open(id).load()
    at.isOff = true
    isFailing = true
    await first.chats.open(id).send({ text: 'one' })
    isFailing = false
    await second.chats.open(id).send({ text: 'two' })
    await first.chats.open(id).send({ text: 'three' })
    const waiting = JSON.parse(storage.kept.get(`convene:outbox:${ada.id}`)!) as { text: string }[]
    expect(waiting.map(({ text }) => text).toSorted()).toEqual(['one', 'three', 'two'])
    at.isOff = false
    first.wake()
    const stored = async () => (await bob.get(`chats/${id}/messages`)).body
    await until(async () => (await stored()).items.length >= 3, 'all are sent')
    expect(textsOf(await stored()).toSorted()).toEqual(['one', 'three', 'two'])
  },
)

/** A photo in a file of the device. */
async function photoFile() {
  const file = Bun.file(join(tmpdir(), `${crypto.randomUUID()}.gif`))
  await Bun.write(file, gif)
  return file
}

test('a photo whose file cannot be read is refused, and holds up no other message', async () => {
  const app = await testApp()
  const { ada, people, chatId } = await pair(app)
  const chat = ada.chats.open(chatId)
  await chat.load()
  const file = await photoFile()
  await file.delete()
  await chat.send({ photo: file, text: 'a photo' })
  await chat.send({ text: 'a text' })
  const { items } = await fits(chat.messages, ({ items }) => items.some(({ state }) => state === 'failed'))
  expect(items.find(({ state }) => state === 'failed')).toMatchObject({
    text: 'a photo',
    problem: { title: 'Photo lost' },
  })
  const stored = async () => (await people.bob.get(`chats/${chatId}/messages`)).body
  await until(async () => (await stored()).items.length === 1, 'the other one is sent')
  expect(textsOf(await stored())).toEqual(['a text'])
})

test('a photo whose file goes after it was stored is sent all the same', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const { at, fetch } = switched()
  const client = await clientOf(base, ada, { fetch })
  at.isOff = true
  const file = await photoFile()
  await client.chats.open(id).send({ photo: file })
  await file.delete()
  at.isOff = false
  client.wake()
  await until(async () => (await bob.get(`chats/${id}/messages`)).body.items[0]?.photo?.width === 1, 'it is sent')
})

test('a photo whose module cannot be loaded for a moment is sent once, and holds up no other chat', async () => {
  const sent: string[] = []
  const api = {
    async POST(path: string, { body }: { body: { client_id: string } }) {
      if (path !== '/api/v1/media') sent.push(body.client_id)
      return { data: { id: 'x', chat_id: 'chat' }, response: new Response() }
    },
  }
  let failures = 2
  const outbox = openOutbox({
    api: api as never,
    storage: openStorage(memoryStorage(), ''),
    lock: openLock(null, 'without the module'),
    key: 'outbox',
    retry: { minMs: 1, maxMs: 2 },
    isReady: () => true,
    changed() {},
    async photos() {
      if (failures-- > 0) throw new TypeError('Failed to fetch dynamically imported module')
      return import('../../client/src/photo.ts')
    },
  })
  await outbox.add({ id: 'a', op: 'send', chat: 'chat', at: '' }, new Blob([gif], { type: 'image/gif' }))
  await outbox.add({ id: 'b', op: 'send', chat: 'other', text: 'Hello', at: '' })
  await until(() => sent.length > 1, 'both are sent')
  await Bun.sleep(20)
  expect([sent, outbox.entries.get()]).toEqual([['b', 'a'], []])
  outbox.close()
})

test('a refused edit makes way for a newer edit and for a deletion', async () => {
  const app = await testApp()
  const { ada, people, chatId } = await pair(app)
  const chat = ada.chats.open(chatId)
  await chat.load()
  for (const text of ['one', 'two']) await chat.send({ text })
  const { items } = await fits(chat.messages, ({ items }) => items.filter((m) => m.state === 'sent').length === 2)
  const [one, two] = items.map(({ id }) => id) as [string, string]
  const refused = 'x'.repeat(100_000)
  await Promise.all([chat.edit(one, refused), chat.edit(one, 'one, edited'), chat.edit(two, refused), chat.remove(two)])
  const stored = async () => (await people.bob.get(`chats/${chatId}/messages`)).body.items.toReversed()
  await until(async () => (await stored())[1].deleted, 'both changes arrive')
  expect((await stored())[0].text).toBe('one, edited')
  await fits(chat.messages, ({ items }) => items.every(({ state }) => state === 'sent'))
  expect(textsOf(chat.messages.get())).toEqual(['one, edited', null])
})

test('nothing of a photo stays whose message is removed before it is refused', async () => {
  const app = await testApp()
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const id = await app.met(ada, bob)
  const storage = sharedStorage()
  const { at, fetch } = switched()
  const client = await clientOf(base, ada, { storage, fetch })
  at.isOff = true
  const chat = client.chats.open(id)
  await chat.remove(await chat.send({ photo: new Blob([gif], { type: 'image/gif' }) }))
  const hasPhoto = () => [...storage.kept.keys()].some((key) => key.includes('photo:'))
  expect(hasPhoto()).toBe(true)
  await bob.post('blocks', { user_id: ada.id })
  at.isOff = false
  client.wake()
  await until(() => storage.kept.get(`convene:outbox:${ada.id}`) === '[]' && !hasPhoto(), 'both are gone')
})
