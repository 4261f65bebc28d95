import { expect, jest, spyOn, test } from 'bun:test'
import { type Socket as TcpSocket, connect as tcpConnect } from 'node:net'
import type { Socket } from '../../src/realtime/connection.ts'
import { socketHandlers } from '../../src/realtime/socket.ts'
import type { Chat } from '../answers.ts'
import { type Person, testApp, type TestApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { connect, joined, ofType } from '../socket-client.ts'
import { until } from '../until.ts'

// The cost of sockets that do not read, ask for much, or send much.

async function pair(options: Parameters<typeof testApp>[1] = {}) {
  const app = await testApp({}, options)
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post<Chat>('chats', { user_id: bob.id })).body
  return { app, ada, bob, chat }
}

const socketsOf = ({ nodes }: TestApp) => nodes.reduce((sum, { services }) => sum + services.hub.counts().sockets, 0)

/** A frame in the form of a client: masked, here with zeros. */
function clientFrame(opcode: number, payload: string): Buffer {
  const body = Buffer.from(payload)
  const head =
    body.length < 126
      ? Buffer.from([0x80 | opcode, 0x80 | body.length])
      : Buffer.from([0x80 | opcode, 0xfe, body.length >> 8, body.length & 255])
  return Buffer.concat([head, Buffer.alloc(4), body])
}
const [text, close, ping, pong] = [1, 8, 9, 10]

/** The frames that a manual socket reads from now on. */
function framesOf(tcp: TcpSocket) {
  const frames: { opcode: number; payload: Buffer }[] = []
  let rest = Buffer.alloc(0)
  tcp.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    for (;;) {
      if (rest.length < 2) return
      const short = rest[1]! & 127
      if (short > 126) throw new Error('a frame as long as none of ours')
      const from = short < 126 ? 2 : 4
      const end = from + (short < 126 ? short : rest.length < 4 ? 1e9 : rest.readUInt16BE(2))
      if (rest.length < end) return
      frames.push({ opcode: rest[0]! & 15, payload: rest.subarray(from, end) })
      rest = rest.subarray(end)
    }
  })
  return frames
}

/** A manual socket, which reads nothing after its upgrade. */
async function openUnread(base: URL, { token }: Person): Promise<TcpSocket> {
  const tcp = tcpConnect(Number(base.port), '127.0.0.1')
  tcp.on('error', () => {})
  tcp.write(
    `GET /ws?token=${token} HTTP/1.1\r\nHost: ${base.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await new Promise((resolve) => tcp.once('data', resolve))
  tcp.pause()
  return tcp
}

for (const [what, frame] of [
  ['pings', clientFrame(text, JSON.stringify({ type: 'ping', cid: 'c'.repeat(64) }))],
  ['malformed frames', clientFrame(text, '{')],
  ['bad tokens', clientFrame(text, JSON.stringify({ type: 'auth', cid: 'c'.repeat(64), data: { token: '' } }))],
  ['protocol pings', clientFrame(ping, 'p'.repeat(125))],
] as const)
  test(`a socket that sends ${what} and never reads is cut off`, async () => {
    const { app, ada } = await pair()
    const base = await app.listen()
    const tcp = await openUnread(base, ada)
    await until(() => socketsOf(app) === 1, 'the socket is open')
    // The clock advances, so that the limit of frames is not reached. It passes the end of the token, which is not the point.
    for (const { services } of app.nodes) services.hub.endExpired = () => {}
    let time = app.clock.now
    Object.defineProperty(app.clock, 'now', { get: () => (time += 50) })
    const some = Buffer.concat(Array.from({ length: 500 }, () => frame))
    while (socketsOf(app) === 1 && time < 1e15) {
      if (!tcp.write(some)) await Promise.race([new Promise((resolve) => tcp.once('drain', resolve)), Bun.sleep(10)])
      await new Promise((done) => setImmediate(done))
    }
    const read = framesOf(tcp)
    tcp.resume()
    await until(() => read.at(-1)?.opcode === close, 'the close frame comes')
    expect([what, read.at(-1)!.payload.readUInt16BE(0)]).toEqual([what, 4408])
    tcp.destroy()
  })

test('protocol pings and pongs count as frames', async () => {
  const { app, ada } = await pair()
  const base = await app.listen()
  for (const opcode of [ping, pong]) {
    const tcp = await openUnread(base, ada)
    await until(() => socketsOf(app) === 1, 'the socket is open')
    tcp.write(Buffer.concat(Array.from({ length: 101 }, () => clientFrame(opcode, ''))))
    await until(() => socketsOf(app) === 0, 'the socket is closed')
    tcp.destroy()
  }
})

/** A socket of the hub that reads on command. */
function fakeSocket(id: string, bufferedAmount = () => 0) {
  const calls = { sent: 0, closes: [] as number[], terminated: 0, subscribed: false }
  const socket: Socket = {
    data: { id },
    send: (frame) => (calls.sent++, frame.length),
    subscribe: () => void (calls.subscribed = true),
    close: (code) => void calls.closes.push(code),
    terminate: () => void calls.terminated++,
    getBufferedAmount: bufferedAmount,
  }
  return { socket, calls }
}
const ownerOf = ({ id }: Person) => ({ user_id: id, session_id: 'one', token_expires_at: Number.MAX_SAFE_INTEGER })

oneNodeTest('it opens one by itself')('nothing more is sent to a socket that does not read an answer', async () => {
  const { app, ada } = await pair()
  const { hub } = app.services
  let buffered = 0
  const { socket, calls } = fakeSocket('unread', () => buffered)
  await hub.open(socket, ownerOf(ada), null)
  buffered = 256 * 1024 + 1
  for (let i = 0; i < 3; i++) hub.reply('unread', 'pong', {})
  expect([calls.sent, calls.closes, hub.counts().sockets]).toEqual([2, [4408], 0])
})

oneNodeTest('it opens one by itself')('a socket that was closed is let go of, read or not, and once', async () => {
  const { app, ada } = await pair()
  const { hub } = app.services
  jest.useFakeTimers()
  try {
    const { socket, calls } = fakeSocket('closed')
    await hub.open(socket, ownerOf(ada), null)
    hub.cutOff('closed', 4408, 'too slow')
    hub.cutOff('closed', 4408, 'too slow')
    jest.advanceTimersByTime(4999)
    expect(calls).toMatchObject({ closes: [4408], terminated: 0 })
    jest.advanceTimersByTime(1)
    expect(calls).toMatchObject({ closes: [4408], terminated: 1 })
    jest.advanceTimersByTime(60_000)
    expect(calls).toMatchObject({ closes: [4408], terminated: 1 })
  } finally {
    jest.useRealTimers()
  }
})

test('a cid is a text of up to 64 characters or a number, and any other is refused and not returned', async () => {
  const { app, ada } = await pair()
  const client = connect(await app.listen(), ada.token)
  await client.until(ofType('hello'))
  for (const cid of ['x'.repeat(65), 'x'.repeat(16_000), true, {}, [7]]) client.send({ type: 'ping', cid })
  client.send('{"type":"ping","cid":1e999}')
  client.send({ type: 'ping', cid: null })
  const { cid } = await client.until(ofType('pong'))
  expect(cid).toBeUndefined()
  const errors = client.frames.filter(ofType('error'))
  expect(errors.map((frame) => [frame.cid, frame.data.code])).toEqual(
    Array.from({ length: 6 }, () => [undefined, 'validation_failed']),
  )
  expect(client.frames.filter(ofType('pong'))).toHaveLength(1)
})

test('typing is forwarded once a second for a user and a chat, from any number of sockets', async () => {
  const { app, ada, bob, chat } = await pair()
  const eve = await app.person('Eve')
  const ofEve = (await eve.post<Chat>('chats', { user_id: bob.id })).body
  const base = await app.listen()
  const [b, e] = [connect(base, bob.token), connect(base, eve.token)]
  const typists = Array.from({ length: 19 }, () => connect(base, ada.token))
  for (const client of [b, e, ...typists]) await client.until(ofType('hello'))
  await joined(app, bob, b)
  const typed = ({ id }: Person) => b.frames.filter(({ type, data }) => type === 'typing' && data.user_id === id).length
  for (let second = 1; second <= 3; second++) {
    for (const client of typists) {
      client.send({ type: 'typing', data: { chat_id: chat.id } })
      client.send({ type: 'ping', cid: second })
    }
    for (const client of typists) await client.until(({ cid }) => cid === second)
    await until(() => typed(ada) >= second, 'she is seen to type')
    e.send({ type: 'typing', data: { chat_id: ofEve.id } })
    await until(() => typed(eve) === second, 'who types after them is seen to')
    expect(typed(ada)).toBe(second)
    app.clock.now += 1000
  }
})

/** Stores many events of a user without publishing them. */
async function storeEvents(app: TestApp, { id }: Person, count: number) {
  const since = (await app.services.storage.events.range(id)).newest
  const at = app.clock.now
  for (let i = 0; i < count; i += 500) {
    const rows = Array.from({ length: Math.min(500, count - i) }, (_, j) => since + 1 + i + j)
    await app.rows(
      `INSERT INTO events (user_id, seq, type, at, data) VALUES ${rows.map((seq) => `('${id}', ${seq}, 'notice', ${at}, '{}')`).join()}`,
    )
  }
  await app.rows('UPDATE event_counters SET seq = ? WHERE user_id = ?', since + count, id)
  return since
}

oneNodeTest('it opens them by itself')(
  'sockets that have missed thousands of events get them in turns, and whoever else there is comes in between',
  async () => {
    const { app, bob } = await pair()
    const { hub, storage } = app.services
    const total = 3000
    const since = await storeEvents(app, bob, total)
    const after = spyOn(storage.events, 'afterEach')
    const sockets = Array.from({ length: 10 }, (_, i) => fakeSocket(`${i}`))
    const all = Promise.all(sockets.map(({ socket }) => hub.open(socket, ownerOf(bob), since)))
    const sent = () => sockets.reduce((sum, { calls }) => sum + calls.sent, 0)
    let isOver = false
    void all.then(() => (isOver = true))
    let most = 0
    for (let before = 0; !isOver; before = sent()) {
      await new Promise((done) => setImmediate(done))
      most = Math.max(most, sent() - before)
    }
    after.mockRestore()
    expect(sent()).toBe(10 * (total + 1))
    // Two batches, and the first few frames of each.
    expect(most).toBeLessThanOrEqual(2 * 100 + 10 * 21)
    expect(sockets.every(({ calls }) => calls.subscribed)).toBe(true)
  },
)

oneNodeTest('it opens them by itself')(
  'sockets that do not read what they missed hold nobody back, nor keep it in memory',
  async () => {
    const { app, bob, ada } = await pair()
    const { hub, storage } = app.services
    const [ofBob, ofAda] = [await storeEvents(app, bob, 1000), await storeEvents(app, ada, 1000)]
    const stalled = Array.from({ length: 10 }, (_, i) => {
      const fake = fakeSocket(`stalled ${i}`, () => (fake.calls.sent > 50 ? 1024 * 1024 : 0))
      return fake
    })
    for (const { socket } of stalled) void hub.open(socket, ownerOf(bob), ofBob)
    for (let i = 0; i < 100; i++) await new Promise((done) => setImmediate(done))
    const reader = fakeSocket('reader')
    await hub.open(reader.socket, ownerOf(ada), ofAda)
    expect(reader.calls.sent).toBe(1001)
    expect(stalled.map(({ calls }) => calls.sent)).toEqual(stalled.map(() => 51))
    // None of them continues to read while it waits.
    const after = spyOn(storage.events, 'after')
    const afterEach = spyOn(storage.events, 'afterEach')
    for (let i = 0; i < 100; i++) await new Promise((done) => setImmediate(done))
    expect([after.mock.calls, afterEach.mock.calls]).toEqual([[], []])
    for (const { socket } of stalled) hub.closed(socket.data.id)
  },
)

oneNodeTest('it listens with a shorter time')(
  'a client that says nothing is pinged, and dropped where it does not answer',
  async () => {
    const { app, ada } = await pair()
    // The shortest that Bun allows: after four seconds it pings, and waits as long for the answer.
    const websocket = { ...socketHandlers(app.services), idleTimeout: 8 }
    app.app.listen({ hostname: '127.0.0.1', port: 0, websocket })
    const { url } = app.app.server!
    const tcp = await openUnread(url, ada)
    const frames = framesOf(tcp)
    tcp.resume()
    const closed = new Promise((resolve) => tcp.once('close', resolve))
    await until(() => frames.some(({ opcode }) => opcode === ping), 'a ping comes')
    expect(socketsOf(app)).toBe(1)
    await closed
    await until(() => socketsOf(app) === 0, 'the socket is closed')
  },
  30_000,
)
