import { Redis } from 'ioredis'
import { afterEach, expect, test } from 'bun:test'
import { openSignatures } from '../../src/redis/signed.ts'
import type { Person, TestApp } from '../app.ts'
import { openNodes as openAll, redisTest, redisUrl, sweep } from '../redis.ts'
import { until } from '../until.ts'
import { connect, ofType } from '../socket-client.ts'

const prefixes: string[] = []
const clients: Redis[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  for (const prefix of prefixes.splice(0)) await sweep(prefix)
})

/** Somebody who can read and write all of Redis, and knows no secret. */
function intruder() {
  const client = new Redis(redisUrl)
  clients.push(client)
  return client
}

async function openNodes(environment: Record<string, string> = {}) {
  const nodes = await openAll(2, { environment })
  prefixes.push(nodes.prefix)
  return nodes
}

async function join(app: TestApp, base: URL, { id, token }: Person) {
  const client = connect(base, token)
  await client.until(ofType('hello'))
  await until(() => app.services.shared!.hears(id), 'the other nodes are heard')
  return client
}

const refused = ({ services }: TestApp) => services.shared!.refused()

/** Every message of a service from now on, by channel. */
async function overhear(prefix: string) {
  const ear = intruder()
  const heard: [channel: string, message: string][] = []
  ear.on('pmessage', (_, channel: string, message: string) => heard.push([channel, message]))
  await ear.psubscribe(`${prefix}*`)
  return heard
}

redisTest('whoever writes into Redis ends no session, sends no frame and makes no node look again', async () => {
  const { apps, bases, prefix } = await openNodes()
  const [ada, bob] = [await apps[0].person('Ada'), await apps[0].person('Bob')]
  const client = await join(apps[1], bases[1], bob)
  await client.until(ofType('hello'))
  const shown = client.frames.length
  const heard = await overhear(prefix)
  // A genuine one, of which parts can be taken.
  apps[0].services.shared!.nodes.relay(ada.id, '{"type":"typing"}')
  await until(() => heard.length > 0, 'one is overheard')
  const [, genuine] = heard[0]!
  const frame = JSON.stringify({ type: 'session_ended', at: '2026-11-21T12:00:00.000Z', data: {} })
  const words = [
    'e',
    `eended ${crypto.randomUUID()}`,
    'esuspended',
    's999',
    `f${crypto.randomUUID()}${frame}`,
    `c${bob.id}`,
    'l0',
    '',
  ]
  const disguises = (word: string) => [
    word,
    `1${word}`,
    `1${'A'.repeat(22)}${Date.now().toString(36)} ${word}`,
    `1${'é'.repeat(22)}${Date.now().toString(36)} ${word}`,
    `1${'A'.repeat(22)}9999999999999999 ${word}`,
    genuine.slice(0, genuine.indexOf(' ') + 1) + word,
    `0${genuine.slice(1)}${word}`,
    word + genuine,
  ]
  const writer = intruder()
  let sent = 0
  for (const channel of [`${prefix}user:${bob.id}`, `${prefix}nodes`])
    for (const message of [...words.flatMap(disguises), genuine, '1', '\0', 'x'.repeat(100_000)]) {
      await writer.publish(channel, message)
      sent++
    }
  await until(() => refused(apps[1]) === sent, 'all are refused')
  expect(client.socket.readyState).toBe(WebSocket.OPEN)
  expect(client.frames).toHaveLength(shown)
  // Genuine ones still come.
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  await ada.post(`chats/${chat.id}/messages`, { text: 'hi' })
  expect((await client.until(ofType('message'))).data.text).toBe('hi')
  const metrics = await (await fetch(new URL('/metrics', bases[1]))).text()
  expect(metrics).toContain(`\nconvene_redis_refused_total ${sent}\n`)
  const lines = apps[1].logged().match(/messages in Redis were dropped/g)
  expect(lines).toHaveLength(1)
})

redisTest('what was signed by the nodes of another service is not taken, on whatever channel', async () => {
  const [one, other] = [await openNodes(), await openNodes()]
  const bob = await one.apps[0].person('Bob')
  const client = await join(one.apps[1], one.bases[1], bob)
  const heard = await overhear(other.prefix)
  // The same user, as if one service were a copy of the other.
  other.apps[0].services.shared!.nodes.close(bob.id, null, 'suspended')
  other.apps[0].services.shared!.nodes.close(bob.id, null, 'ended')
  await until(() => heard.length >= 2, 'they are overheard')
  const writer = intruder()
  for (const [channel, message] of heard) await writer.publish(channel.replace(other.prefix, one.prefix), message)
  await until(() => refused(one.apps[1]) >= 2, 'they are refused')
  expect(client.socket.readyState).toBe(WebSocket.OPEN)
})

redisTest('what is about one user is not taken for another', async () => {
  const { apps, bases, prefix } = await openNodes()
  const [ada, bob] = [await apps[0].person('Ada'), await apps[0].person('Bob')]
  const [a, b] = [await join(apps[1], bases[1], ada), await join(apps[1], bases[1], bob)]
  const heard = await overhear(prefix)
  await ada.post('auth/logout')
  expect(await a.closed).toBe(4401)
  const ended = heard.find(([channel]) => channel.endsWith(ada.id))!
  await intruder().publish(`${prefix}user:${bob.id}`, ended[1])
  await until(() => refused(apps[1]) === 1, 'it is refused')
  expect(b.socket.readyState).toBe(WebSocket.OPEN)
})

const wide = ['password', 'password_network', 'login', 'write', 'send', 'search']
  .map((name) => `${name}=100000/1d`)
  .join(',')

redisTest('values that nobody of ours has written make no request fail', async () => {
  const { apps, bases, prefix } = await openNodes({ RATE_LIMIT: wide, TRUST_PROXY: '1' })
  const [ada, bob] = [await apps[0].person('Ada'), await apps[0].person('Bob')]
  const headers = { 'x-forwarded-for': '198.51.100.77' }
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  await join(apps[1], bases[1], bob)
  const all = async () => [
    (await ada.post(`chats/${chat.id}/messages`, { text: 'hi' })).status,
    (await apps[1].as(ada.token).put('me/prefs', {})).status,
    (await ada.get('search/nearby?lat=10&lng=20')).status,
    (await apps[1].request('POST', 'auth/login', { body: { email: ada.email, password: 'wrong' }, headers })).status,
    (await apps[1].as(ada.token).get('chats')).status,
  ]
  expect(await all()).toEqual([201, 200, 200, 401, 200])
  const writer = intruder()
  for (const write of [
    (key: string) => writer.set(key, 'no number'),
    (key: string) => writer.set(key, '1e400'),
    (key: string) => writer.rpush(key, 'a', 'list'),
    (key: string) => writer.sadd(key, 'no node', 'x'.repeat(1000), '-1'),
  ]) {
    const keys = await writer.keys(`${prefix}*`)
    for (const kind of ['limit:send', 'limit:password', 'places:', 'online:', 'users:', '{nodes}'])
      expect([kind, keys.some((key) => key.startsWith(prefix + kind))]).toEqual([kind, true])
    for (const key of keys) {
      await writer.del(key)
      await write(key)
    }
    expect(await all()).toEqual([201, 200, 200, 401, 200])
  }
  const connected = connect(bases[0], bob.token)
  await connected.until(ofType('hello'))
})

test('a message is taken for five minutes, and dropped ones are logged once a minute with their number', () => {
  const clock = { now: Date.UTC(2026, 10, 21) }
  const lines: { count: number }[] = []
  const log = { warn: (told: { count: number }) => void lines.push(told) }
  const signatures = openSignatures({ key: new Uint8Array(32), log: log as never, now: () => clock.now })
  const signed = signatures.sign('channel', 's1')
  expect(signatures.read('channel', signed)).toBe('s1')
  // Clocks may differ, to either side.
  for (const minutes of [4.9, -4.9]) {
    clock.now = Date.UTC(2026, 10, 21) + minutes * 60_000
    expect(signatures.read('channel', signed)).toBe('s1')
  }
  expect(signatures.sign('channel', '')).not.toBe(signatures.sign('channe', 'l'))
  expect(signatures.read('channel', signatures.sign('channel', ''))).toBe('')
  expect(lines).toEqual([])
  for (const minutes of [5, 5.5, 5.9, 6, -5]) {
    clock.now = Date.UTC(2026, 10, 21) + minutes * 60_000
    expect(signatures.read('channel', signed)).toBeNull()
  }
  expect(lines.map(({ count }) => count)).toEqual([1, 3, 1])
  expect(signatures.refused()).toBe(5)
})
