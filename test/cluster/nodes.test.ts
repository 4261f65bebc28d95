import { afterEach, expect, jest, spyOn, test } from 'bun:test'
import { believedMs } from '../../src/features/auth/callers.ts'
import { resyncEveryMs } from '../../src/realtime/hub.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { password, type Person, testApp, type TestApp } from '../app.ts'
import { held, openNodes as openAll, redisTest, sweep } from '../redis.ts'
import { type Client, connect, ofType, presenceOf } from '../socket-client.ts'
import { until } from '../until.ts'
import { granted, haveBothWritten } from '../rows.ts'

const prefixes: string[] = []
afterEach(async () => {
  for (const prefix of prefixes.splice(0)) await sweep(prefix)
})

const openNodes: typeof openAll = async (...parameters) => {
  const nodes = await openAll(...parameters)
  prefixes.push(nodes.prefix)
  return nodes
}

/** Two nodes, and two who have a chat. */
async function pair(...parameters: Parameters<typeof openAll> extends [number, ...infer Rest] ? Rest : never) {
  const nodes = await openNodes(2, ...parameters)
  const [here] = nodes.apps
  const [ada, bob] = [await here.person('Ada'), await here.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  await haveBothWritten(here, chat.id)
  const send = async (text: string) => (await ada.post(`chats/${chat.id}/messages`, { text })).body
  return { ...nodes, ada, bob, chat, send }
}

/** Connects, and is heard of by the other nodes. */
async function join(app: TestApp, base: URL, { id, token }: Person, query = ''): Promise<Client> {
  const client = connect(base, token, query)
  await client.until(ofType('hello'))
  await until(() => app.services.shared!.hears(id), 'the other nodes are heard')
  return client
}

const login = async (app: TestApp, { email }: Person) =>
  (await app.request('POST', 'auth/login', { body: { email, password } })).body
const settled = () => Bun.sleep(150)
const online =
  ({ id }: Person, isOnline: boolean) =>
  (frame: any) =>
    frame.type === 'presence' && frame.data.user_id === id && frame.data.online === isOnline

redisTest('a message that one node takes reaches the sockets on the others, as those on its own', async () => {
  const { apps, bases } = await openNodes(3)
  const [ada, bob] = [await apps[0].person('Ada'), await apps[0].person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  const clients = [await join(apps[0], bases[0], ada)]
  for (const [i, app] of apps.entries()) clients.push(await join(app, bases[i]!, bob))
  const sent = (await ada.post(`chats/${chat.id}/messages`, { text: 'hi', client_id: 'c1' })).body
  for (const [i, client] of clients.entries())
    expect(await client.until(ofType('message'))).toEqual({
      type: 'message',
      seq: 2,
      at: sent.created_at,
      data: i === 0 ? sent : { ...sent, client_id: null },
    })
  for (const client of clients) expect(client.seqs()).toEqual([2])
})

redisTest('whatever happens is told on every node, in the same frames', async () => {
  const { apps, bases, ada, bob, chat, send } = await pair()
  const [eve, mod] = [await apps[0].person('Eve'), await apps[0].person('Mod')]
  await apps[0].services.storage.users.setRole(mod.id, 'admin', granted(mod.id, 0))
  const [near, far] = [await join(apps[0], bases[0], bob), await join(apps[1], bases[1], bob)]
  const message = await send('hello')
  await ada.put(`messages/${message.id}`, { text: 'hello there' })
  await apps[1].as(bob.token).put(`chats/${chat.id}/read`)
  await ada.delete(`messages/${message.id}`)
  await apps[0].met(ada, bob)
  await ada.post('reviews', { chat_id: chat.id, rating: 5 })
  await eve.post('chats', { user_id: bob.id })
  await bob.post('blocks', { user_id: eve.id })
  const report = (await ada.post('reports', { user_id: bob.id, reason: 'spam' })).body
  await mod.post(`admin/reports/${report.id}/resolve`, { action: 'warn', note: 'Against the rules.' })
  const deleted = await ada.delete('me', { password })
  expect(deleted.status).toBe(204)
  for (const client of [near, far]) await client.until((frame) => frame.seq === 10)
  const kept = ({ frames }: Client) => frames.filter(({ seq, type }) => seq !== undefined && type !== 'hello')
  expect(kept(near).map(({ type }) => type)).toEqual([
    'message',
    'message_edited',
    'message_read',
    'message_deleted',
    'review',
    'chat',
    'block',
    'notice',
    'chat',
  ])
  // What has changed since an event is shown on the other node as it is by then.
  const told = ({ frames }: Client) => kept({ frames } as Client).map(({ type, seq, at }) => [type, seq, at])
  expect(told(far)).toEqual(told(near))
})

redisTest('a socket that comes with since finds what was stored by any node, each event once', async () => {
  const { apps, bases, bob, send } = await pair()
  for (let i = 0; i < 3; i++) await send(`missed ${i}`)
  const client = await join(apps[1], bases[1], bob, '&since=1')
  await Promise.all([send('a'), send('b'), send('c')])
  await client.until(({ seq, type }) => type === 'message' && seq === 7)
  await settled()
  expect(client.seqs()).toEqual([2, 3, 4, 5, 6, 7])
})

redisTest('typing reaches the other one on another node, and nobody across a block', async () => {
  const { apps, bases, ada, bob, chat } = await pair()
  const [a, b] = [await join(apps[0], bases[0], ada), await join(apps[1], bases[1], bob)]
  const typing = { type: 'typing', data: { chat_id: chat.id } }
  a.send(typing)
  expect((await b.until(ofType('typing'))).data).toEqual({ chat_id: chat.id, user_id: ada.id })
  await apps[1].as(bob.token).post('blocks', { user_id: ada.id })
  apps[0].clock.now += 2000
  a.send(typing)
  await settled()
  expect(b.frames.filter(ofType('typing'))).toHaveLength(1)
  expect(a.frames.filter(ofType('typing'))).toHaveLength(0)
})

redisTest(
  'nobody hears what does not concern them, and two services on one Redis hear nothing of each other',
  async () => {
    const [one, other] = [await pair(), await openNodes(2)]
    // The same people, as if one service were a copy of the other.
    const eve = await one.apps[0].person('Eve')
    const e = await join(one.apps[1], one.bases[1], eve)
    expect(one.prefix).not.toBe(other.prefix)
    const heard: unknown[] = []
    const { listener } = other.apps[1].services.hub
    other.apps[1].services.shared!.nodes.listen({
      ...listener,
      isHere: () => true,
      stored: (...words) => heard.push(words),
      forget: (...words) => heard.push(words),
      rulesChanged: () => {},
      announced: () => {},
      forgetAll: () => {},
    })
    other.apps[1].services.shared!.nodes.syncPresence(one.bob.id)
    await until(() => other.apps[1].services.shared!.hears(one.bob.id), 'the channel is heard')
    await one.send('hi')
    await one.bob.post('auth/logout')
    await settled()
    expect(heard).toEqual([])
    expect(e.frames.filter(({ type }) => type !== 'hello')).toEqual([])
  },
)

redisTest(
  'a session that ends on one node ends its sockets on the others within a second, and no other ones',
  async () => {
    const { apps, bases, ada } = await pair()
    const phone = await login(apps[0], ada)
    const [here, there] = [await join(apps[1], bases[1], ada), connect(bases[1], phone.access_token)]
    await there.until(ofType('hello'))
    const began = performance.now()
    await apps[0].as(phone.access_token).post('auth/logout')
    expect(await there.closed).toBe(4401)
    expect(performance.now() - began).toBeLessThan(1000)
    expect(there.frames.at(-1)).toMatchObject({ type: 'session_ended', data: { reason: 'logout' } })
    const changed = await apps[0]
      .as((await login(apps[0], ada)).access_token)
      .put('me/password', { current_password: password, new_password: 'thirteen green bottles' })
    expect(changed.status).toBe(204)
    expect(await here.closed).toBe(4401)
    expect(here.frames.at(-1)).toMatchObject({ type: 'session_ended', data: { reason: 'password_changed' } })
  },
)

redisTest('a suspension closes sockets on every node, after telling why', async () => {
  const { apps, bases, ada } = await pair()
  const mod = await apps[0].person('Mod')
  await apps[0].services.storage.users.setRole(mod.id, 'admin', granted(mod.id, 0))
  const client = await join(apps[1], bases[1], ada)
  expect((await apps[1].as(ada.token).get('me')).status).toBe(200)
  await mod.post(`admin/users/${ada.id}/suspend`, { reason: 'Against the rules.', ground: 'spam' })
  expect(await client.closed).toBe(4403)
  expect(client.frames.map(({ type }) => type).slice(-2)).toEqual(['notice', 'session_ended'])
  expect(client.frames.at(-1).data).toEqual({ reason: 'suspended' })
  expect((await apps[1].as(ada.token).get('me')).status).toBe(403)
})

redisTest('a token that another node remembers is refused there as soon as its session ended here', async () => {
  const { apps, ada } = await pair()
  const there = apps[1].as(ada.token)
  await there.get('me')
  const { hits } = apps[1].services.callers.counts()
  expect((await there.get('me')).status).toBe(200)
  expect(apps[1].services.callers.counts().hits).toBe(hits + 1)
  await ada.post('auth/logout')
  await until(async () => (await there.get('me')).status === 401, 'the token is refused', 1000)
})

redisTest('a token is refused half a minute after its session ended on a node that told nobody', async () => {
  const { apps, ada } = await pair()
  const there = apps[1].as(ada.token)
  expect((await there.get('me')).status).toBe(200)
  const [session] = (await there.get('me/sessions')).body.items
  await apps[0].services.storage.sessions.end(ada.id, session.id, apps[0].clock.now)
  apps[0].clock.now += believedMs - 1
  expect((await there.get('me')).status).toBe(200)
  apps[0].clock.now += 1
  expect((await there.get('me')).status).toBe(401)
})

redisTest(
  'what a node stored that died before it told anybody is found by looking, and sockets of ended sessions close',
  async () => {
    const { apps, bases, ada, bob, chat } = await pair()
    const client = await join(apps[1], bases[1], bob)
    const phone = connect(bases[1], (await login(apps[0], ada)).access_token)
    await phone.until(ofType('hello'))
    await settled()
    const { storage } = apps[0].services
    const untold = {
      ...{ id: Bun.randomUUIDv7(), chat_id: chat.id, sender_id: ada.id, kind: 'text' as const, text: 'untold' },
      ...{ photo_id: null, client_id: null, created_at: apps[0].clock.now },
    }
    await storage.chats.append(untold, bob.id, null)
    await storage.sessions.endAll(ada.id, apps[0].clock.now)
    await settled()
    expect(client.seqs()).toEqual([])
    apps[1].services.hub.listener.mayHaveMissed('everybody')
    expect((await client.until(ofType('message'))).data.text).toBe('untold')
    expect(await phone.closed).toBe(4401)
    await apps[0].services.storage.chats.append({ ...untold, id: Bun.randomUUIDv7(), text: 'untold too' }, bob.id, null)
    const late = await login(apps[0], ada)
    await apps[0].as(late.access_token).post(`chats/${chat.id}/messages`, { text: 'told' })
    await client.until(({ data }) => data?.text === 'told')
    expect(client.seqs()).toEqual([2, 3, 4])
  },
)

/** Holds back what that method answers the next time, until it is let go. */
function holdBack<K extends string>(of: Record<K, (...parameters: any[]) => Promise<any>>, method: K) {
  const original = of[method]
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  of[method] = async (...parameters) => {
    of[method] = original
    const answer = await original(...parameters)
    begun.resolve()
    await released.promise
    return answer
  }
  return { begun: begun.promise, letGo: released.resolve }
}

redisTest('what ends a session or changes rights is answered once the other nodes are told', async () => {
  const { apps, ada } = await pair()
  for (const [path, body] of [['auth/consents', { consents: { marketing: true } }], ['auth/logout']] as const) {
    const telling = holdBack(apps[0].services.shared!.nodes, 'forget')
    let answered = false
    const answer = ada.post(path, body).then(({ status }) => {
      answered = true
      return status
    })
    await telling.begun
    await settled()
    expect([path, answered]).toEqual([path, false])
    telling.letGo()
    expect(await answer).toBeOneOf([201, 204])
  }
})

redisTest('what is stored while a node reads what was stored before follows it', async () => {
  const { apps, bases, bob, send } = await pair()
  const client = await join(apps[1], bases[1], bob)
  await settled()
  const reading = holdBack(apps[1].services.storage.chats, 'messages')
  await send('one')
  await reading.begun
  await send('two')
  await settled()
  expect(client.seqs()).toEqual([])
  reading.letGo()
  await client.until(({ data }) => data?.text === 'two')
  expect(client.seqs()).toEqual([2, 3])
})

redisTest('what is stored while a socket catches up reaches it', async () => {
  const { apps, bases, bob, send } = await pair()
  const reading = holdBack(apps[1].services.replay, 'after')
  const client = await join(apps[1], bases[1], bob, '&since=1')
  await reading.begun
  await settled()
  await send('meanwhile')
  await settled()
  reading.letGo()
  await client.until(({ data }) => data?.text === 'meanwhile')
  expect(client.seqs()).toEqual([2])
})

redisTest('what was read for a socket that went is not told again to one that came after it', async () => {
  const { apps, bases, bob, send } = await pair()
  const { hub, replay } = apps[1].services
  const gone = await join(apps[1], bases[1], bob)
  await settled()
  const reading = holdBack(replay, 'afterEach')
  await send('two')
  await reading.begun
  gone.socket.close()
  await until(() => hub.counts().sockets === 0, 'the socket went')
  const client = await join(apps[1], bases[1], bob, '&since=1')
  await client.until(ofType('message'))
  await settled()
  reading.letGo()
  await send('three')
  await client.until(({ data }) => data?.text === 'three')
  expect(client.seqs()).toEqual([2, 3])
})

redisTest('what is told of many users at once is read at once, and reaches each as their own', async () => {
  const { apps, bases, ada } = await pair()
  const people = await Promise.all(Array.from({ length: 20 }, () => apps[0].person()))
  const chats = await Promise.all(people.map(async ({ id }) => (await ada.post('chats', { user_id: id })).body.id))
  const clients = await Promise.all(people.map((person) => join(apps[1], bases[1], person)))
  await settled()
  const { chats: chatStore, events } = apps[1].services.storage
  const [messages, after] = [spyOn(chatStore, 'messages'), spyOn(events, 'afterEach')]
  // Not told, so that all of it is told at one moment.
  for (const [i, chat_id] of chats.entries()) {
    const content = { kind: 'text' as const, text: `to ${i}`, photo_id: null, client_id: null }
    const message = { id: Bun.randomUUIDv7(), chat_id, sender_id: ada.id, ...content, created_at: apps[0].clock.now }
    await chatStore.append(message, people[i]!.id, null)
  }
  for (const { id } of people) apps[1].services.hub.listener.stored(id, 2)
  for (const [i, client] of clients.entries()) expect((await client.until(ofType('message'))).data.text).toBe(`to ${i}`)
  expect([messages.mock.calls.length, after.mock.calls.length]).toEqual([1, 1])
  messages.mockRestore()
  after.mockRestore()
})

redisTest('what is told of soon after a reading is read in a batch, when the next one is due', async () => {
  const { apps, bases, ada, bob, chat } = await pair()
  const eve = await apps[0].person('Eve')
  const ofEve = (await ada.post('chats', { user_id: eve.id })).body
  const [atBob, atEve] = [await join(apps[1], bases[1], bob), await join(apps[1], bases[1], eve)]
  await settled()
  const { hub, storage } = apps[1].services
  const seqs = { bob: 1, eve: 1 }
  /** Stores a message, which nobody tells of but this test. */
  async function store(whom: 'bob' | 'eve') {
    const [{ id }, { id: chat_id }] = whom === 'bob' ? [bob, chat] : [eve, ofEve]
    const content = { kind: 'text' as const, text: 'hi', photo_id: null, client_id: null }
    const message = { id: Bun.randomUUIDv7(), chat_id, sender_id: ada.id, ...content, created_at: apps[0].clock.now }
    await storage.chats.append(message, id, null)
    return ++seqs[whom]
  }
  const isNewest =
    (whom: 'bob' | 'eve') =>
    ({ seq, type }: any) =>
      type === 'message' && seq === seqs[whom]
  async function turns() {
    for (let turn = 0; turn < 3; turn++) await new Promise((done) => setImmediate(done))
  }
  const after = spyOn(storage.events, 'afterEach')
  const readings = () => after.mock.calls.map(([users]) => users.map(({ user_id }) => user_id))
  // On a busy machine the next one may be due before all of it is told.
  for (let attempt = 0; attempt < 20 && !readings().some((users) => users.length === 2); attempt++) {
    hub.listener.stored(bob.id, await store('bob'))
    await atBob.until(isNewest('bob'))
    await Promise.all([store('bob'), store('eve')])
    hub.listener.stored(bob.id, seqs.bob)
    await turns()
    hub.listener.stored(eve.id, seqs.eve)
    await atBob.until(isNewest('bob'))
    await atEve.until(isNewest('eve'))
  }
  expect(readings().at(-1)).toEqual([bob.id, eve.id])
  after.mockRestore()
  expect(atBob.seqs()).toEqual(Array.from({ length: seqs.bob - 1 }, (_, i) => i + 2))
})

redisTest('what cannot be shown to one user keeps nobody from what is read together with it', async () => {
  const { apps, bases, ada, bob, chat } = await pair()
  const eve = await apps[0].person('Eve')
  const [atBob, atEve] = [await join(apps[1], bases[1], bob), await join(apps[1], bases[1], eve)]
  await settled()
  const { hub, storage } = apps[1].services
  const created_at = apps[0].clock.now
  // Not told, so that both are told at one moment.
  const content = { kind: 'text' as const, text: 'hi', photo_id: null, client_id: null, created_at }
  await storage.chats.append({ id: Bun.randomUUIDv7(), chat_id: chat.id, sender_id: ada.id, ...content }, bob.id, null)
  const [user_a, user_b] = [ada.id, eve.id].toSorted() as [string, string]
  await storage.chats.ensure({ id: Bun.randomUUIDv7(), user_a, user_b, created_at })
  const shown = spyOn(storage.chats, 'entries').mockRejectedValue(new Error('it cannot be shown'))
  const after = spyOn(storage.events, 'afterEach')
  for (const [user, seq] of [
    [eve, 1],
    [bob, 2],
  ] as const)
    hub.listener.stored(user.id, seq)
  expect((await atBob.until(ofType('message'))).data.text).toBe('hi')
  expect(await atEve.closed).toBe(1012)
  expect(after.mock.calls[0]![0].map(({ user_id }) => user_id)).toEqual([eve.id, bob.id])
  shown.mockRestore()
  after.mockRestore()
})

redisTest('where storage is away when it is read in a batch, sockets are sent back at once', async () => {
  const { apps, bases, bob, send } = await pair()
  const client = await join(apps[1], bases[1], bob)
  await settled()
  const away = new Refusal('busy', 'The database cannot be reached.')
  const after = spyOn(apps[1].services.storage.events, 'afterEach').mockRejectedValue(away)
  await send('unread')
  expect(await client.closed).toBe(1012)
  expect(after.mock.calls).toHaveLength(1)
  after.mockRestore()
  const again = await join(apps[1], bases[1], bob, '&since=1')
  expect((await again.until(ofType('message'))).data.text).toBe('unread')
})

redisTest('an erasure, and a withdrawn consent, close sockets on every node, each for its own reason', async () => {
  const { apps, bases, ada, bob } = await pair({ environment: { CONSENT_GATE: 'on' } })
  const [a, b] = [await join(apps[1], bases[1], ada), await join(apps[1], bases[1], bob)]
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect([await a.closed, a.frames.at(-1).data]).toEqual([4401, { reason: 'erased' }])
  await bob.post('auth/consents', { consents: { terms: false } })
  expect([await b.closed, await b.closeReason]).toEqual([4401, 'consents_required'])
  expect(b.frames.filter(ofType('session_ended'))).toEqual([])
})

redisTest('a socket that moved to another session stays when the one before ends on another node', async () => {
  const { apps, bases, ada } = await pair()
  const [moved, stays] = [await join(apps[1], bases[1], ada), await join(apps[1], bases[1], ada)]
  const phone = await login(apps[0], ada)
  moved.send({ type: 'auth', cid: 1, data: { token: phone.access_token } })
  expect(await moved.until(({ cid }) => cid === 1)).toMatchObject({ type: 'auth' })
  await ada.post('auth/logout')
  expect(await stays.closed).toBe(4401)
  await settled()
  expect(moved.socket.readyState).toBe(WebSocket.OPEN)
  await apps[0].as(phone.access_token).post('auth/logout')
  expect([await moved.closed, moved.frames.at(-1).data]).toEqual([4401, { reason: 'logout' }])
})

redisTest('typing goes on once a second, by however many nodes it is said', async () => {
  const { apps, bases, ada, bob, chat } = await pair()
  const b = await join(apps[0], bases[0], bob)
  const typists = [await join(apps[0], bases[0], ada), await join(apps[1], bases[1], ada)]
  for (let second = 1; second <= 2; second++) {
    for (const client of typists) client.send({ type: 'typing', data: { chat_id: chat.id } })
    await until(() => b.frames.filter(ofType('typing')).length >= second, 'she types')
    await settled()
    expect(b.frames.filter(ofType('typing'))).toHaveLength(second)
    apps[0].clock.now += 1000
  }
})

redisTest('a new connection to another node is no news, and shows the same in chats', async () => {
  const { apps, bases, ada, bob, chat } = await pair({ calmMs: 400 })
  const b = await join(apps[0], bases[0], bob)
  let client = await join(apps[1], bases[1], ada)
  await b.until(online(ada, true))
  for (const i of [0, 1, 0] as const) {
    client.socket.close()
    await client.closed
    const shown = apps.map((app) => app.as(bob.token).get(`chats/${chat.id}`))
    expect((await Promise.all(shown)).map(({ body }) => body.online)).toEqual([true, true])
    client = await join(apps[i], bases[i]!, ada)
    await settled()
  }
  await Bun.sleep(500)
  expect(b.frames.filter(ofType('presence'))).toHaveLength(1)
  const went = new Date(apps[0].clock.now).toISOString()
  client.socket.close()
  await b.until(online(ada, false))
  apps[0].clock.now += 3_600_000
  const asBob = (await login(apps[0], bob)).access_token
  // The node on which she was not finds it in storage.
  await until(async () => (await apps[1].as(asBob).get(`chats/${chat.id}`)).body.last_seen_at === went, 'it is stored')
  expect((await apps[0].as(asBob).get('chats')).body.items[0]).toMatchObject({ online: false, last_seen_at: went })
})

redisTest('who is online of many peers is asked in one command, and each of them is told once', async () => {
  const { apps, bases, ada, bob } = await pair()
  const others = await Promise.all(Array.from({ length: 30 }, () => apps[0].person()))
  for (const { id } of others) await haveBothWritten(apps[0], (await ada.post('chats', { user_id: id })).body.id)
  const stranger = await apps[0].person()
  await ada.post('chats', { user_id: stranger.id })
  const b = await join(apps[1], bases[1], bob)
  const { nodes } = apps[0].services.shared!
  const [pass, asked] = [spyOn(nodes, 'relay'), spyOn(nodes, 'online')]
  await join(apps[0], bases[0], ada)
  await b.until(online(ada, true))
  await settled()
  expect(pass.mock.calls.map(([userId]) => userId).toSorted()).toEqual([bob, ...others].map(({ id }) => id).toSorted())
  expect(asked.mock.calls.map(([userIds]) => userIds.length)).toEqual([31])
  pass.mockRestore()
  asked.mockRestore()
})

redisTest('presence that is no longer so is not told', async () => {
  const { apps, bases, ada, bob } = await pair()
  const b = await join(apps[0], bases[0], bob)
  await join(apps[1], bases[1], ada)
  await b.until(online(ada, true))
  apps[0].services.hub.listener.cameOrWent(ada.id, false)
  await settled()
  expect(presenceOf(b, ada)).toEqual([true])
})

redisTest('presence is that of all nodes: told at the first socket of all and at the last one', async () => {
  const { apps, bases, ada, bob } = await pair()
  const b = await join(apps[1], bases[1], bob)
  // By then he knows who was there before.
  await settled()
  const first = await join(apps[0], bases[0], ada)
  expect((await first.until(ofType('presence'))).data).toMatchObject({ user_id: bob.id, online: true })
  await b.until(online(ada, true))
  const second = await join(apps[1], bases[1], ada)
  expect((await second.until(ofType('presence'))).data).toMatchObject({ user_id: bob.id, online: true })
  const third = connect(bases[0], ada.token)
  await third.until(ofType('hello'))
  await settled()
  for (const client of [first, third]) {
    client.socket.close()
    await client.closed
  }
  await settled()
  expect(b.frames.filter(ofType('presence'))).toHaveLength(1)
  second.socket.close()
  await b.until(online(ada, false))
  const back = await join(apps[0], bases[0], ada)
  await until(() => b.frames.filter(online(ada, true)).length === 2, 'she is back')
  back.socket.close()
  await until(() => b.frames.filter(online(ada, false)).length === 2, 'she is gone')
})

redisTest('coming and going as fast as it may be leaves presence right', async () => {
  const { apps, bases, ada, bob } = await pair()
  for (let round = 0; round < 20; round++) {
    const client = connect(bases[round % 2]!, ada.token)
    if (round % 3 === 0) await client.until(ofType('hello'))
    else await new Promise((resolve) => (client.socket.onopen = resolve))
    client.socket.close()
    await client.closed
  }
  const elsewhere = async () => (await apps[0].services.shared!.nodes.online([ada.id])).size
  await until(async () => (await elsewhere()) === 0, 'she is gone')
  const stays = connect(bases[1], ada.token)
  await stays.until(ofType('hello'))
  await until(async () => (await elsewhere()) === 1, 'she is there')
  const b = connect(bases[0], bob.token)
  expect((await b.until(ofType('presence'))).data).toMatchObject({ user_id: ada.id, online: true })
})

redisTest('the people of a node that died go offline, but for those who have come to another', async () => {
  const { apps, bases, prefix, ada, bob } = await pair({ pace: { tendMs: 50, aliveMs: 900 } })
  const eve = await apps[0].person('Eve')
  await haveBothWritten(apps[0], (await eve.post('chats', { user_id: bob.id })).body.id)
  const b = await join(apps[0], bases[0], bob)
  for (const person of [ada, eve]) {
    await join(apps[1], bases[1], person)
    await b.until(online(person, true))
  }
  // As a node that is gone at once: it takes back nothing that it told.
  await apps[1].services.shared!.close()
  await apps[1].app.server!.stop(true)
  await join(apps[0], bases[0], eve)
  await b.until(online(ada, false))
  await settled()
  expect([presenceOf(b, ada), presenceOf(b, eve)]).toEqual([[true, false], [true]])
  const back = connect(bases[0], bob.token)
  await back.until(ofType('presence'))
  await settled()
  expect(back.frames.filter(ofType('presence')).map(({ data }) => data.user_id)).toEqual([eve.id])
  // Nothing of it is left.
  const keys = [...(await held(prefix)).keys()].map((key) => key.slice(prefix.length))
  expect(keys.filter((key) => key.startsWith('users:'))).toHaveLength(1)
  expect(keys.filter((key) => key.startsWith('online:')).toSorted()).toEqual(
    [`online:${bob.id}`, `online:${eve.id}`].toSorted(),
  )
})

test('a node that is alone on PostgreSQL finds by looking what a lost answer has kept from it', async () => {
  // Where it looks depends on the engine that is configured; where its rows are, on the one that the tests run on.
  const app = await testApp({ DATABASE_URL: 'postgres://convene@127.0.0.1/convene' })
  jest.useFakeTimers()
  try {
    const base = await app.listen()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    const client = connect(base, bob.token)
    await client.until(ofType('hello'))
    const untold = { kind: 'text' as const, text: 'untold', photo_id: null, client_id: null, created_at: app.clock.now }
    const message = { id: Bun.randomUUIDv7(), chat_id: chat.id, sender_id: ada.id, ...untold }
    await app.services.storage.chats.append(message, bob.id, null)
    jest.advanceTimersByTime(resyncEveryMs)
    expect((await client.until(ofType('message'))).data.text).toBe('untold')
  } finally {
    jest.useRealTimers()
  }
})

test('a node that was not told of it finds by looking who was suspended, and whose session is over', async () => {
  const app = await testApp({ DATABASE_URL: 'postgres://convene@127.0.0.1/convene' })
  jest.useFakeTimers()
  try {
    const base = await app.listen()
    const [ada, bob, eve] = [await app.person('Ada'), await app.person('Bob'), await app.person('Eve')]
    const [a, b, e] = [ada, bob, eve].map(({ token }) => connect(base, token))
    for (const client of [a!, b!, e!]) await client.until(ofType('hello'))
    await app.rows("UPDATE users SET suspended_until = 9e15, suspended_reason = 'spam' WHERE id = ?", ada.id)
    await app.services.storage.sessions.endAll(bob.id, app.clock.now)
    jest.advanceTimersByTime(resyncEveryMs)
    expect(await Promise.all([a!.closed, b!.closed])).toEqual([4403, 4401])
    expect(e!.socket.readyState).toBe(WebSocket.OPEN)
  } finally {
    jest.useRealTimers()
  }
})
