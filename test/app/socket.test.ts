import { expect, jest, test } from 'bun:test'
import { connect as tcpConnect } from 'node:net'
import { limitTable } from '../../src/lib/rate-limits.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import type { Chat, Message, Problem, Session } from '../answers.ts'
import { type Person, testApp, type TestApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'
import { type Client, connect, joined, ofType } from '../socket-client.ts'
import { until } from '../until.ts'

async function pair(environment: Record<string, string> = {}) {
  const app = await testApp(environment)
  const base = await app.listen()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post<Chat>('chats', { user_id: bob.id })).body
  const send = async (text: string) => (await ada.post<Message>(`chats/${chat.id}/messages`, { text })).body
  return { app, base, ada, bob, chat, send }
}

const socketsOf = (app: TestApp) => app.nodes.reduce((sum, { services }) => sum + services.hub.counts().sockets, 0)

test('the first frame is hello, and a message reaches all devices of both, with the client_id only for its sender', async () => {
  const { base, ada, bob, chat } = await pair()
  const clients = [connect(base, ada.token), connect(base, bob.token), connect(base, bob.token)]
  for (const client of clients) await client.until(ofType('hello'))
  expect(clients[1]!.frames[0]).toMatchObject({ type: 'hello', data: { seq: 1, resume: 'fresh', heartbeat_s: 30 } })
  expect(clients[1]!.frames[0].data.connection_id).toBeString()
  const sent = (await ada.post<Message>(`chats/${chat.id}/messages`, { text: 'hi', client_id: 'c1' })).body
  for (const [i, client] of clients.entries()) {
    const frame = await client.until(ofType('message'))
    expect(frame).toEqual({
      type: 'message',
      seq: 2,
      at: sent.created_at,
      data: i === 0 ? sent : { ...sent, client_id: null },
    })
  }
  await bob.put(`chats/${chat.id}/read`)
  const read = await clients[0]!.until(ofType('message_read'))
  expect(read.data).toMatchObject({ chat_id: chat.id, reader_id: bob.id, count: 1, last_read_message_id: sent.id })
  await ada.put(`messages/${sent.id}`, { text: 'hello' })
  expect((await clients[1]!.until(ofType('message_edited'))).data).toMatchObject({
    id: sent.id,
    text: 'hello',
    edited: true,
  })
  await ada.delete(`messages/${sent.id}`)
  expect((await clients[1]!.until(ofType('message_deleted'))).data).toMatchObject({
    id: sent.id,
    text: null,
    deleted: true,
  })
  expect(clients[1]!.seqs()).toEqual([2, 3, 4, 5])
})

test('a new chat reaches both members, each with the other’s profile', async () => {
  const { app, base, bob } = await pair()
  const eve = await app.person('Eve')
  const clients = [connect(base, eve.token), connect(base, bob.token)]
  for (const client of clients) await client.until(ofType('hello'))
  const chat = (await eve.post<Chat>('chats', { user_id: bob.id })).body
  expect((await clients[0]!.until(ofType('chat'))).data).toMatchObject({ id: chat.id, user: { id: bob.id } })
  expect((await clients[1]!.until(ofType('chat'))).data).toMatchObject({ id: chat.id, user: { id: eve.id } })
})

test('the upgrade answers 401 without a valid token, 403 to a foreign page, and 422 to an invalid since', async () => {
  const { base, ada } = await pair({ CORS_ORIGINS: 'https://app.example.org' })
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const status = async (query: string, headers = {}) =>
    (await fetch(new URL(`/ws${query}`, base), { headers: { ...upgrade, ...headers } })).status
  expect(await status('')).toBe(401)
  expect(await status('?token=nonsense')).toBe(401)
  expect(await status('', { cookie: `app_at=${ada.token}` })).toBe(401)
  expect(await status('', { authorization: `Bearer ${ada.token}` })).toBe(401)
  expect(await status(`?token=${ada.refresh}`)).toBe(401)
  expect(await status(`?token=${ada.token}`, { origin: 'https://evil.example' })).toBe(403)
  expect(await status(`?token=${ada.token}`, { origin: 'null' })).toBe(403)
  for (const since of ['-1', 'x', '1.5', '1e3', ''])
    expect(await status(`?token=${ada.token}&since=${since}`)).toBe(422)
  const allowed = connect(base, ada.token, '', { origin: 'https://app.example.org' })
  await allowed.until(ofType('hello'))
})

test('a user who opens too many sockets is told when to return, and others are not limited', async () => {
  const { base, ada, bob } = await pair({ RATE_LIMIT: 'on' })
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const { points } = limitTable.socket
  for (let i = 0; i < points; i++) await connect(base, ada.token).until(ofType('hello'))
  const response = await fetch(new URL(`/ws?token=${ada.token}`, base), { headers: upgrade })
  const text = await response.text()
  expectProblem(
    { status: response.status, headers: response.headers, text, body: JSON.parse(text) },
    429,
    'rate_limited',
  )
  expect(Number(response.headers.get('retry-after'))).toBeWithin(1, 61)
  await connect(base, bob.token).until(ofType('hello'))
})

test('with RATE_LIMIT=off any number of sockets can open', async () => {
  const { base, ada } = await pair({ RATE_LIMIT: 'off' })
  for (let i = 0; i <= limitTable.socket.points; i++) await connect(base, ada.token).until(ofType('hello'))
})

test('a request without an upgrade, or to another version, answers 426 to a caller with a token', async () => {
  const { base, ada } = await pair()
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' }
  for (const headers of [{}, { ...upgrade, 'sec-websocket-version': '8' }, upgrade] as Record<string, string>[]) {
    expect((await fetch(new URL('/ws', base), { headers })).status).toBe(401)
    const response = await fetch(new URL(`/ws?token=${ada.token}`, base), { headers })
    const text = await response.text()
    expectProblem(
      { status: response.status, headers: response.headers, text, body: JSON.parse(text) },
      426,
      'bad_request',
    )
    expect(response.headers.get('upgrade')).toBe('websocket')
    expect(response.headers.get('sec-websocket-version')).toBe('13')
  }
})

test('the answer to an upgrade has a request id, like any other', async () => {
  const { base, ada } = await pair()
  const socket = tcpConnect(Number(base.port), base.hostname)
  socket.write(
    `GET /ws?token=${ada.token} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  const head = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString('latin1'))))
  socket.destroy()
  expect(head).toStartWith('HTTP/1.1 101 ')
  expect(head).toMatch(/\r\nx-request-id: [0-9a-z-]{8,}\r\n/i)
})

test('with the consent gate, no socket opens before the consents are given', async () => {
  const { app, base, ada } = await pair({ CONSENT_GATE: 'on' })
  await app.services.consents.record(ada.id, { terms: false }, { address: '', user_agent: null, language: null })
  app.forget(ada.id)
  const headers = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const refused = await fetch(new URL(`/ws?token=${ada.token}`, base), { headers })
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'consents_required'])
  await ada.post('auth/consents', { consents: { terms: true } })
  const open = connect(base, ada.token)
  await open.until(ofType('hello'))
  // An open socket closes too if it would be refused now.
  await ada.post('auth/consents', { consents: { marketing: false } })
  await ada.post('auth/consents', { consents: { privacy: false } })
  expect(await open.closed).toBe(4401)
  // The session continues.
  expect(await open.closeReason).toBe('consents_required')
  expect(open.frames.filter(ofType('session_ended'))).toEqual([])
})

oneNodeTest('it breaks one node')(
  'whoever may not have a socket any more when it opens loses it, and is told why',
  async () => {
    const { app, base, ada } = await pair({ CONSENT_GATE: 'on' })
    const { callers } = app.services
    const { byToken } = callers
    /** Opens a socket whose owner is refused between the upgrade and its opening. */
    async function refused(second: () => Promise<unknown>) {
      let looks = 0
      callers.byToken = async (token) => {
        if (++looks === 2) await second()
        return byToken(token)
      }
      const code = await connect(base, ada.token).closed
      callers.byToken = byToken
      return code
    }
    const withdrawn = () => ada.post('auth/consents', { consents: { terms: false } })
    expect(await refused(withdrawn)).toBe(4401)
    await ada.post('auth/consents', { consents: { terms: true } })
    // The same as if the database is away: nobody has to sign in again for that.
    expect(await refused(() => Promise.reject(new Refusal('busy', 'Later.')))).toBe(1012)
    expect(await refused(() => Promise.reject(new Refusal('suspended', 'For spam.')))).toBe(4403)
    expect(await refused(() => ada.post('auth/logout'))).toBe(4401)
  },
)

test('since replays missed events with their present content, in order, and then live ones', async () => {
  const { base, ada, bob, send } = await pair()
  const gone = await send('to be deleted')
  await send('kept')
  await ada.delete(`messages/${gone.id}`)
  const client = connect(base, bob.token, '&since=1')
  expect((await client.until(ofType('hello'))).data).toMatchObject({ resume: 'ok', seq: 4 })
  await client.until(({ seq, type }) => type !== 'hello' && seq === 4)
  await send('live')
  await client.until(({ data }) => data?.text === 'live')
  expect(client.seqs()).toEqual([2, 3, 4, 5])
  expect(client.frames.find(({ seq }) => seq === 2).data).toMatchObject({ id: gone.id, deleted: true, text: null })
  expect(JSON.stringify(client.frames)).not.toContain('to be deleted')
})

test('a since that is too far ahead or too old gets a gap and only live events', async () => {
  const { app, base, bob, send } = await pair()
  for (let i = 0; i < 5; i++) await send(`${i}`)
  const ahead = connect(base, bob.token, '&since=99')
  expect((await ahead.until(ofType('hello'))).data).toMatchObject({ resume: 'gap', seq: 6 })
  await app.services.storage.events.purge(app.clock.now + 1)
  const old = connect(base, bob.token, '&since=2')
  expect((await old.until(ofType('hello'))).data).toMatchObject({ resume: 'gap', seq: 6 })
  const upToDate = connect(base, bob.token, '&since=6')
  expect((await upToDate.until(ofType('hello'))).data).toMatchObject({ resume: 'ok', seq: 6 })
  await send('next')
  for (const client of [ahead, old, upToDate]) {
    await client.until(({ seq, type }) => type === 'message' && seq === 7)
    expect(client.seqs()).toEqual([7])
  }
  expect((await bob.get('sync?since=2')).body).toMatchObject({ resume: 'gap', items: [] })
  for (const since of ['1000000000000000', '9007199254740993', '9'.repeat(400)]) {
    const far = connect(base, bob.token, `&since=${since}`)
    expect((await far.until(ofType('hello'))).data).toMatchObject({ resume: 'gap', seq: 7 })
    expect((await bob.get(`sync?since=${since}`)).body).toMatchObject({ resume: 'gap', seq: 7, items: [] })
  }
})

test('a page of events names the newest of them, also if it was stored while the page was read', async () => {
  const { bob, send } = await pair()
  let isWriting = true
  const writes = Promise.all(Array.from({ length: 40 }, (_, i) => send(`${i}`))).finally(() => (isWriting = false))
  while (isWriting) {
    const { items, seq } = (await bob.get('sync?limit=100')).body
    expect(items.at(-1).seq).toBeLessThanOrEqual(seq)
    // Otherwise the reads, which are all in memory on SQLite, would leave the writes no turn.
    await Bun.sleep(0)
  }
  await writes
})

test('events that are written together reach a socket in order, however long each takes to be published', async () => {
  const { app, base, ada, bob, chat, send } = await pair()
  const others = await Promise.all(Array.from({ length: 5 }, () => app.person()))
  const chats = await Promise.all(
    others.map(async (other) => (await other.post<Chat>('chats', { user_id: bob.id })).body),
  )
  for (const other of others) await app.met(other, bob)
  const { seq } = (await bob.get('sync?since=0')).body
  const client = connect(base, bob.token)
  await client.until(ofType('hello'))
  // A review is published later than a message of the same moment, and a chat later than both.
  const eve = await app.person('Eve')
  await Promise.all([
    eve.post<Chat>('chats', { user_id: bob.id }),
    ...others.map((other, i) => other.post('reviews', { chat_id: chats[i]!.id, rating: 5 })),
    ...others.map((other, i) => other.post(`chats/${chats[i]!.id}/messages`, { text: `${i}` })),
    ada.post<Message>(`chats/${chat.id}/messages`, { text: 'hi' }),
  ])
  await client.until((frame) => frame.seq === seq + 12)
  await send('after')
  await client.until(({ data }) => data?.text === 'after')
  expect(client.seqs()).toEqual(Array.from({ length: 13 }, (_, i) => seq + 1 + i))
})

/** Stores a message that is not published, as by a node that dies right after the commit. */
function storeUntold(app: TestApp, chat: Chat, by: Pick<Person, 'id'>, to: Pick<Person, 'id'>) {
  const untold = {
    ...{ id: Bun.randomUUIDv7(), chat_id: chat.id, sender_id: by.id, kind: 'text' as const, text: 'untold' },
    ...{ photo_id: null, client_id: null, created_at: app.clock.now },
  }
  return app.services.storage.chats.append(untold, to.id, null)
}

test('an event that was never published is sent before the next one', async () => {
  const { app, base, ada, bob, chat, send } = await pair()
  const client = connect(base, bob.token)
  await client.until(ofType('hello'))
  await storeUntold(app, chat, ada, bob)
  await send('told')
  await client.until(({ data }) => data?.text === 'told')
  expect(client.frames.flatMap(({ seq, data }) => (data.text ? [[seq, data.text]] : []))).toEqual([
    [2, 'untold'],
    [3, 'told'],
  ])
})

test('the notice of a suspension is sent before the sockets close, also behind an event that was never published', async () => {
  const { app, base, ada, bob, chat } = await pair()
  const mo = await app.person('Mo')
  await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
  const client = connect(base, bob.token)
  await client.until(ofType('hello'))
  await storeUntold(app, chat, ada, bob)
  expect((await mo.post(`admin/users/${bob.id}/suspend`, { reason: 'Spam.' })).status).toBe(200)
  expect(await client.closed).toBe(4403)
  expect(client.frames.slice(1).map(({ type }) => type)).toEqual(['message', 'notice', 'session_ended'])
})

test('a client that reconnects while others write gets every event exactly once, wherever the connection breaks', async () => {
  const { base, ada, bob, chat } = await pair()
  const total = 400
  let writing = true
  const writer = (async () => {
    for (let i = 0; i < total; i += 8) {
      await Promise.all(
        Array.from({ length: 8 }, (_, j) => ada.post<Message>(`chats/${chat.id}/messages`, { text: `${i + j}` })),
      )
      await Bun.sleep(1)
    }
    writing = false
  })()
  const got: any[] = []
  let since = 1
  for (let round = 0; since < total + 1; round++) {
    const client = connect(base, bob.token, `&since=${since}`)
    const enough = writing ? since + (round % 7) * 5 : total + 1
    // Each round breaks off before hello, during the replay, or among live events.
    if (round % 3 !== 0 || !writing)
      await client
        .until((frame) => frame.type === 'message' && frame.seq >= Math.min(enough, total + 1))
        .catch(() => {})
    client.socket.terminate()
    await client.closed
    const events = client.frames.filter(ofType('message'))
    got.push(...events)
    since = events.at(-1)?.seq ?? since
  }
  await writer
  expect(got.map(({ seq }) => seq)).toEqual(Array.from({ length: total }, (_, i) => i + 2))
  expect(new Set(got.map(({ data }) => data.text)).size).toBe(total)
  const synced = (await bob.get('sync?since=1&limit=100')).body
  expect(synced.items).toEqual(got.slice(0, 100).map(({ type, seq, at, data }) => ({ type, seq, at, data })))
})

oneNodeTest('it breaks one node')('typing that could not be looked at is no news of a stranger', async () => {
  const { app, base, ada, chat } = await pair()
  const a = connect(base, ada.token)
  await a.until(ofType('hello'))
  app.services.chats.typingTo = () => Promise.reject(new Refusal('busy', 'Later.'))
  a.send({ type: 'typing', cid: 1, data: { chat_id: chat.id } })
  expect(await a.until(ofType('error'))).toMatchObject({ cid: 1, data: { code: 'busy', detail: 'Later.' } })
})

test('typing is sent only to the other member, once a second, and to nobody across a block or from a stranger', async () => {
  const { app, base, ada, bob, chat } = await pair()
  const eve = await app.person('Eve')
  const [a, b, e] = [connect(base, ada.token), connect(base, bob.token), connect(base, eve.token)]
  for (const client of [a, b, e]) await client.until(ofType('hello'))
  await joined(app, bob, b)
  for (let i = 0; i < 5; i++) a.send({ type: 'typing', data: { chat_id: i % 2 ? chat.id : chat.id.toUpperCase() } })
  e.send({ type: 'typing', cid: 'q', data: { chat_id: chat.id } })
  expect((await b.until(ofType('typing'))).data).toEqual({ chat_id: chat.id, user_id: ada.id })
  expect(await e.until(ofType('error'))).toMatchObject({ cid: 'q', data: { code: 'not_a_member' } })
  // A second later one more is forwarded, the second in total.
  app.clock.now += 1000
  a.send({ type: 'typing', data: { chat_id: chat.id } })
  const again = new Date(app.clock.now).toISOString()
  await b.until(({ type, at }) => type === 'typing' && at === again)
  expect(b.frames.filter(ofType('typing'))).toHaveLength(2)
  expect(b.frames.find(ofType('typing')).seq).toBeUndefined()
  expect([...a.frames, ...e.frames].filter(ofType('typing'))).toHaveLength(0)
  await bob.post('blocks', { user_id: ada.id })
  const ofEve = (await eve.post<Chat>('chats', { user_id: bob.id })).body
  app.clock.now += 2000
  a.send({ type: 'typing', data: { chat_id: chat.id } })
  await a.pong()
  e.send({ type: 'typing', data: { chat_id: ofEve.id } })
  await b.until(({ type, data }) => type === 'typing' && data.user_id === eve.id)
  expect(b.frames.filter(({ type, data }) => type === 'typing' && data.user_id === ada.id)).toHaveLength(2)
})

test('ping is answered with its cid, and an invalid frame is refused without closing the socket', async () => {
  const { base, ada } = await pair()
  const client = connect(base, ada.token)
  for (const frame of [
    'not json',
    '[]',
    '7',
    'null',
    '{"type":"shout"}',
    '{"type":"typing"}',
    '{"type":"typing","data":{"chat_id":"x"}}',
  ])
    await client.until(ofType('hello')).then(() => client.send(frame))
  client.socket.send(new Uint8Array([1, 2, 3]))
  client.send({ type: 'ping', cid: 'c7' })
  expect((await client.until(ofType('pong'))).cid).toBe('c7')
  for (const cid of [7, -1.5, '', '😀'.repeat(64)]) {
    client.send({ type: 'ping', cid })
    await client.until((frame) => frame.type === 'pong' && frame.cid === cid)
  }
  expect(client.frames.filter(ofType('error')).map(({ data }) => data.code)).toEqual([
    'malformed_body',
    'malformed_body',
    'malformed_body',
    'malformed_body',
    'validation_failed',
    'validation_failed',
    'validation_failed',
    'unsupported_media_type',
  ])
})

test('too many frames, or one too large, close only that socket', async () => {
  const { base, ada } = await pair()
  const [flood, large, wide, calm] = Array.from({ length: 4 }, () => connect(base, ada.token)) as [
    Client,
    Client,
    Client,
    Client,
  ]
  for (const client of [flood, large, wide, calm]) await client.until(ofType('hello'))
  for (let i = 0; i < 20_000 && flood.socket.readyState === WebSocket.OPEN; i++) flood.send('{"type":"ping"}')
  large.send('x'.repeat(16 * 1024 + 1))
  // Bytes count, and this letter takes two.
  wide.send('é'.repeat(8 * 1024 + 1))
  expect(await flood.closed).toBe(4429)
  expect(await large.closed).toBe(4413)
  expect(await wide.closed).toBe(4413)
  calm.send({ type: 'ping' })
  await calm.until(ofType('pong'))
})

test('logout, a password change elsewhere and an ended token close sockets with 4401', async () => {
  const { app, base, ada, bob } = await pair()
  const first = connect(base, ada.token)
  const other = (
    await app.request<Session>('POST', 'auth/login', { body: { email: ada.email, password: 'twelve green bottles' } })
  ).body
  const second = connect(base, other.access_token)
  const bobs = connect(base, bob.token)
  for (const client of [first, second, bobs]) await client.until(ofType('hello'))
  await ada.put('me/password', { current_password: 'twelve green bottles', new_password: 'thirteen blue bottles' })
  expect(await second.closed).toBe(4401)
  expect(second.frames.at(-1)).toMatchObject({ type: 'session_ended', data: { reason: 'password_changed' } })
  await ada.post('auth/logout')
  expect(await first.closed).toBe(4401)
  expect(first.frames.at(-1)).toMatchObject({ type: 'session_ended', data: { reason: 'logout' } })
  expect(bobs.socket.readyState).toBe(WebSocket.OPEN)
  app.clock.now += 16 * 60_000
  for (const { services } of app.nodes) services.hub.endExpired()
  expect(await bobs.closed).toBe(4401)
  expect(await bobs.closeReason).toBe('token_expired')
  expect(bobs.frames.filter(ofType('session_ended'))).toEqual([])
})

oneNodeTest('each node counts its own')('the twenty-first socket of a user closes the oldest', async () => {
  const { base, ada } = await pair()
  const clients = []
  for (let i = 0; i < 21; i++) {
    clients.push(connect(base, ada.token))
    await clients[i]!.until(ofType('hello'))
  }
  expect(await clients[0]!.closed).toBe(4409)
  for (const client of clients.slice(1)) await client.pong()
})

test('a client that does not read is cut off before it costs memory, its events wait, and others see no delay', async () => {
  const { app, base, ada, bob, chat } = await pair()
  const reader = connect(base, bob.token)
  await reader.until(ofType('hello'))
  const stalled = tcpConnect(Number(base.port), '127.0.0.1')
  stalled.write(
    `GET /ws?token=${bob.token} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  await new Promise((resolve) => stalled.once('data', resolve))
  stalled.pause()
  const sockets = () => socketsOf(app)
  await until(() => sockets() === 2, 'both sockets are open')
  const text = 'x'.repeat(4000)
  let sent = 0
  while (sockets() === 2 && sent < 5000) {
    await Promise.all(Array.from({ length: 50 }, () => ada.post<Message>(`chats/${chat.id}/messages`, { text })))
    sent += 50
  }
  expect(sockets()).toBe(1)
  await reader.until(({ type, seq }) => type === 'message' && seq === sent + 1)
  expect(reader.seqs()).toEqual(Array.from({ length: sent }, (_, i) => i + 2))
  expect((await bob.get('sync?since=1&limit=1')).body.seq).toBe(sent + 1)
  stalled.destroy()
})

oneNodeTest('it stops the timers of the process')(
  'a socket is closed by itself once its token has ended, and not before',
  async () => {
    jest.useFakeTimers()
    try {
      const { app, base, ada } = await pair()
      const client = connect(base, ada.token)
      await client.until(ofType('hello'))
      app.clock.now += 15 * 60_000 - 1
      jest.advanceTimersByTime(10_000)
      expect(socketsOf(app)).toBe(1)
      app.clock.now += 1
      jest.advanceTimersByTime(10_000)
      expect(await client.closed).toBe(4401)
    } finally {
      jest.useRealTimers()
    }
  },
)

test('a socket that was cut off and does not even read that is released', async () => {
  const { app, base, ada, bob, chat } = await pair()
  const stalled = tcpConnect(Number(base.port), '127.0.0.1')
  stalled.write(
    `GET /ws?token=${bob.token} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
  await new Promise((resolve) => stalled.once('data', resolve))
  stalled.pause()
  await until(() => socketsOf(app) === 1, 'the socket is open')
  const { server } = app.nodes.find(({ services }) => services.hub.counts().sockets === 1)!.app
  const text = 'x'.repeat(4000)
  while (socketsOf(app) === 1)
    await Promise.all(Array.from({ length: 50 }, () => ada.post<Message>(`chats/${chat.id}/messages`, { text })))
  await until(() => server!.pendingWebSockets === 0, 'the socket is let go of')
  stalled.destroy()
})

oneNodeTest('it says what other nodes say')(
  'what is told while the topic reads what it may have missed reaches a socket once',
  async () => {
    const { app, base, bob, send } = await pair()
    const { hub, replay } = app.services
    const client = connect(base, bob.token)
    await client.until(ofType('hello'))
    await send('before')
    await client.until(({ data }) => data?.text === 'before')
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const afterEach = replay.afterEach
    replay.afterEach = async (users) => {
      begun.resolve()
      await released.promise
      return afterEach(users)
    }
    // The state that a read finds between the commit and its publication.
    hub.listener.stored(bob.id, 3)
    await begun.promise
    await send('once')
    released.resolve()
    await client.until(({ data }) => data?.text === 'once')
    await send('after')
    await client.until(({ data }) => data?.text === 'after')
    expect(client.seqs()).toEqual([2, 3, 4])
  },
)

oneNodeTest('it says what other nodes say')(
  'more than one reading holds, of what another node has stored, all reaches a socket',
  async () => {
    const { app, base, ada, bob, chat } = await pair()
    const client = connect(base, bob.token)
    await client.until(ofType('hello'))
    const content = { kind: 'text' as const, photo_id: null, client_id: null, created_at: app.clock.now }
    for (let i = 0; i < 601; i++) {
      const message = { id: Bun.randomUUIDv7(), chat_id: chat.id, sender_id: ada.id, text: `${i}`, ...content }
      await app.services.storage.chats.append(message, bob.id, null)
    }
    app.services.hub.listener.stored(bob.id, 602)
    await client.until(({ seq, type }) => type === 'message' && seq === 602)
    expect(client.seqs()).toEqual(Array.from({ length: 601 }, (_, i) => i + 2))
  },
)

oneNodeTest('it holds its own storage back')(
  'what was read for a socket that went is not told again to one that came after',
  async () => {
    const { app, base, ada, bob, chat, send } = await pair()
    const { hub, replay, storage } = app.services
    const gone = connect(base, bob.token)
    await gone.until(ofType('hello'))
    const content = { kind: 'text' as const, text: 'untold', photo_id: null, client_id: null }
    const message = { id: Bun.randomUUIDv7(), chat_id: chat.id, sender_id: ada.id, ...content }
    await storage.chats.append({ ...message, created_at: app.clock.now }, bob.id, null)
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { after } = replay
    replay.after = async (...parameters) => {
      replay.after = after
      const frames = await after(...parameters)
      begun.resolve()
      await released.promise
      return frames
    }
    await send('told')
    await begun.promise
    gone.socket.close()
    await until(() => hub.counts().sockets === 0, 'the socket went')
    const client = connect(base, bob.token, '&since=1')
    await client.until(({ seq, type }) => type === 'message' && seq === 3)
    await client.pong()
    released.resolve()
    await send('after')
    await client.until(({ data }) => data?.text === 'after')
    expect(client.seqs()).toEqual([2, 3, 4])
  },
)

test('typing is forwarded again a full second later, and after the clock was set back', async () => {
  const { app, base, ada, bob, chat } = await pair()
  const [a, b] = [connect(base, ada.token), connect(base, bob.token)]
  for (const client of [a, b]) await client.until(ofType('hello'))
  await joined(app, bob, b)
  const began = app.clock.now
  const seen = () => b.frames.filter(ofType('typing')).map(({ at }) => Date.parse(at) - began)
  for (const [ms, goesOn] of [
    [0, true],
    [999, false],
    [1000, true],
    [-59_000, true],
  ] as const) {
    app.clock.now = began + ms
    a.send({ type: 'typing', data: { chat_id: chat.id } })
    // A frame that must not be forwarded would be seen before the next one.
    if (goesOn) await until(() => seen().at(-1) === ms, `typing of ${ms} ms goes on`)
    else await a.pong()
  }
  expect(seen()).toEqual([0, 1000, -59_000])
})

test('sync has the end of its last page', async () => {
  const { bob, send } = await pair()
  for (let i = 0; i < 3; i++) await send(`${i}`)
  const first = (await bob.get('sync?since=1&limit=2')).body
  expect(first.items.map(({ seq }: any) => seq)).toEqual([2, 3])
  const last = (await bob.get(`sync?since=1&limit=2&cursor=${first.next_cursor}`)).body
  expect([last.items.map(({ seq }: any) => seq), last.next_cursor, last.seq]).toEqual([[4], null, 4])
  expect((await bob.get('sync?since=1&limit=3')).body.next_cursor).toBeNull()
})

test('an event whose content is gone for good keeps its number, and says so', async () => {
  const { app, base, ada, bob, chat } = await pair()
  await app.met(ada, bob)
  const { id } = (await ada.post('reviews', { chat_id: chat.id, rating: 1 })).body
  await app.rows('DELETE FROM reviews WHERE id = ?', id)
  const client = connect(base, bob.token, '&since=1')
  expect((await client.until(({ seq, type }) => type === 'review' && seq === 2)).data).toEqual({ id, deleted: true })
  expect((await bob.get('sync?since=1')).body.items[0]).toMatchObject({ seq: 2, data: { id, deleted: true } })
})

oneNodeTest('it tells by itself')(
  'an event that nobody has put into words is read for whoever came meanwhile',
  async () => {
    const { app, base, ada, bob, chat } = await pair()
    const { hub, storage } = app.services
    const client = connect(base, bob.token)
    await client.until(ofType('hello'))
    const content = { kind: 'text' as const, text: 'hi', photo_id: null, client_id: null, created_at: app.clock.now }
    await storage.chats.append(
      { id: Bun.randomUUIDv7(), chat_id: chat.id, sender_id: ada.id, ...content },
      bob.id,
      null,
    )
    hub.push.event('message', app.clock.now, [{ user_id: bob.id, seq: 2 }], () => undefined)
    expect((await client.until(ofType('message'))).data).toMatchObject({ text: 'hi' })
  },
)

oneNodeTest('it opens one by itself')('who does not read what they missed is cut off after a while', async () => {
  const { app, bob, send } = await pair()
  await send('unread')
  jest.useFakeTimers()
  try {
    const codes: number[] = []
    let sent = 0
    const socket = {
      ...{ data: { id: 'stalled' }, send: () => ++sent, subscribe() {}, terminate() {} },
      close: (code: number) => void codes.push(code),
      // It reads only hello.
      getBufferedAmount: () => (sent > 1 ? 1024 * 1024 : 0),
    }
    const owner = { user_id: bob.id, session_id: 'one', token_expires_at: Number.MAX_SAFE_INTEGER }
    void app.services.hub.open(socket, owner, 1)
    const turn = () => new Promise(setImmediate)
    while (sent < 2) await turn()
    for (let i = 0; i < 20; i++) await turn()
    jest.advanceTimersByTime(19_999)
    await turn()
    expect(codes).toEqual([])
    jest.advanceTimersByTime(1)
    await turn()
    expect(codes).toEqual([4408])
    expect(app.services.hub.counts().sockets).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})

oneNodeTest('it ends the session between two steps of one')(
  'a session that ends while its socket opens leaves none open',
  async () => {
    const { app, base, ada } = await pair()
    const { callers } = app.services
    const { byToken } = callers
    callers.byToken = async (...parameters) => {
      callers.byToken = byToken
      const caller = await byToken(...parameters)
      await app.rows('UPDATE sessions SET ended_at = 1 WHERE user_id = ?', ada.id)
      callers.forgetHere(ada.id)
      return caller
    }
    expect(await connect(base, ada.token).closed).toBe(4401)
  },
)

test('a session that is ended elsewhere, or by a stolen refresh token, closes its sockets with 4401', async () => {
  const { app, base, ada, bob } = await pair()
  const elsewhere = async () => {
    const session = await app.services.auth.begin(ada.id, { address: '', user_agent: null, language: null })
    const client = connect(base, session.access_token)
    await client.until(ofType('hello'))
    return { session, client }
  }
  const refresh = (refresh_token: string) => app.request<Problem>('POST', 'auth/refresh', { body: { refresh_token } })
  const bobs = connect(base, bob.token)
  await bobs.until(ofType('hello'))

  const one = await elsewhere()
  const { items } = (await ada.get('me/sessions')).body
  await ada.delete(`me/sessions/${items.find(({ current }: any) => !current).id}`)
  expect(await one.client.closed).toBe(4401)

  const others = await elsewhere()
  await ada.delete('me/sessions')
  expect(await others.client.closed).toBe(4401)

  const stolen = await elsewhere()
  await refresh(stolen.session.refresh_token)
  app.clock.now += 11_000
  expect((await refresh(stolen.session.refresh_token)).body.code).toBe('refresh_reused')
  expect(await stolen.client.closed).toBe(4401)

  expect(bobs.socket.readyState).toBe(WebSocket.OPEN)
}, 10_000)

test('without the consent gate, a user who withdraws a consent stays connected', async () => {
  const { base, ada } = await pair()
  const client = connect(base, ada.token)
  await client.until(ofType('hello'))
  await ada.post('auth/consents', { consents: { terms: false } })
  await client.pong()
})

test('an anonymous review is pushed as it is listed: without author and chat, and with only the day', async () => {
  const { app, base, ada, bob, chat } = await pair()
  const client = connect(base, bob.token)
  await client.until(ofType('hello'))
  app.clock.now += 654_321
  await app.met(ada, bob)
  const { body } = await ada.post('reviews', { chat_id: chat.id, rating: 2, anonymous: true })
  const day = '2026-11-21T00:00:00.000Z'
  expect(await client.until(ofType('review'))).toEqual({
    type: 'review',
    seq: 2,
    at: day,
    data: { ...body, reviewer_id: null, chat_id: null, created_at: day },
  })
})

test('a block is pushed only to the devices of the blocker', async () => {
  const { app, base, ada, bob } = await pair()
  const clients = [connect(base, ada.token), connect(base, ada.token), connect(base, bob.token)]
  for (const client of clients) await client.until(ofType('hello'))
  const { body } = await ada.post('blocks', { user_id: bob.id })
  for (const client of clients.slice(0, 2)) expect((await client.until(ofType('block'))).data).toEqual(body)
  await (await app.person('Eve')).post<Chat>('chats', { user_id: bob.id })
  await clients[2]!.until(ofType('chat'))
  expect(clients[2]!.frames.filter(ofType('block'))).toEqual([])
})
