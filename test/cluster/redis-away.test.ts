import { expect } from 'bun:test'
import { Redis } from 'ioredis'
import { believedUnheardMs } from '../../src/features/auth/callers.ts'
import { readRedisUrl } from '../../src/lib/redis-url.ts'
import { openRedis } from '../../src/redis/open.ts'
import { openLog } from '../../src/telemetry/log.ts'
import { random } from '../torture/random.ts'
import type { Chat, Message } from '../answers.ts'
import type { Person, TestApp } from '../app.ts'
import { freePort, openNodes, reached, redisServerTest, type Server, startRedis, wayTo } from '../redis.ts'
import { until } from '../until.ts'
import { haveBothWritten } from '../rows.ts'
import { type Client, connect, ofType, presenceOf } from '../socket-client.ts'

async function join(app: TestApp, base: URL, { id, token }: Person): Promise<Client> {
  const client = connect(base, token)
  await client.until(ofType('hello'))
  await until(() => app.services.shared!.hears(id), 'the other nodes are heard')
  return client
}

async function pair({ url }: Server, setting: Parameters<typeof openNodes>[1] = {}) {
  const nodes = await openNodes(2, { urls: [url], ...setting })
  const [here] = nodes.apps
  const [ada, bob] = [await here.person('Ada'), await here.person('Bob')]
  const chat = (await ada.post<Chat>('chats', { user_id: bob.id })).body
  await haveBothWritten(here, chat.id)
  const send = async (text: string) => (await ada.post<Message>(`chats/${chat.id}/messages`, { text })).status
  return { ...nodes, ada, bob, chat, send }
}

const isUp = (app: TestApp) => app.services.shared!.isUp()
const away = (apps: readonly TestApp[]) => until(() => !apps.some(isUp), 'Redis is away')
const back = (apps: readonly TestApp[]) => until(() => apps.every(isUp), 'Redis is back', 10_000)
const texts = ({ frames }: Client) => frames.filter(ofType('message')).map(({ data }) => data.text)

redisServerTest('while Redis is away a node goes on alone, and what was missed comes when it is back', async () => {
  await using server = await startRedis()
  const { apps, bases, ada, bob, send } = await pair(server)
  const [near, far] = [await join(apps[0], bases[0], bob), await join(apps[1], bases[1], bob)]
  await server.stop()
  await away(apps)
  for (let i = 0; i < 50; i++) expect(await send(`${i}`)).toBe(201)
  await near.until(({ seq, type }) => type === 'message' && seq === 51)
  expect(texts(far)).toEqual([])
  // Who comes now has all of it from storage.
  const late = connect(bases[1], bob.token, '&since=1')
  await late.until(({ seq, type }) => type === 'message' && seq === 51)
  expect((await apps[1].as(ada.token).get('me')).status).toBe(200)
  await server.start()
  await far.until(({ seq, type }) => type === 'message' && seq === 51)
  await back(apps)
  await send('after')
  for (const client of [near, far, late]) {
    await client.until(({ data }) => data?.text === 'after')
    expect(client.seqs()).toEqual(Array.from({ length: 51 }, (_, i) => i + 2))
  }
})

redisServerTest('a Redis that says nothing is taken for gone: nothing waits for it', async () => {
  await using server = await startRedis()
  const { apps, bases, bob, send } = await pair(server, { environment: { RATE_LIMIT: 'on' } })
  const [near, far] = [await join(apps[0], bases[0], bob), await join(apps[1], bases[1], bob)]
  server.freeze()
  await away(apps)
  for (let i = 0; i < 20; i++) expect(await send(`${i}`)).toBe(201)
  await near.until(({ data }) => data?.text === '19')
  expect(texts(far)).toEqual([])
  server.thaw()
  await far.until(({ data }) => data?.text === '19')
  expect(far.seqs()).toEqual(near.seqs())
})

redisServerTest('while a node hears nothing it believes what it remembers of a token for two seconds', async () => {
  await using server = await startRedis()
  const { apps, ada, bob } = await pair(server)
  const there = apps[1].as(ada.token)
  await there.get('me')
  await apps[1].as(bob.token).get('me')
  await server.stop()
  await away(apps)
  await ada.post('auth/logout')
  apps[0].clock.now += believedUnheardMs - 1
  expect((await there.get('me')).status).toBe(200)
  apps[0].clock.now += 1
  expect((await there.get('me')).status).toBe(401)
  expect((await apps[1].as(bob.token).get('me')).status).toBe(200)
})

redisServerTest('a session that ended while Redis was away ends everywhere when it is back', async () => {
  await using server = await startRedis()
  const { apps, bases, ada, bob } = await pair(server)
  const [a, b] = [await join(apps[1], bases[1], ada), await join(apps[1], bases[1], bob)]
  await apps[1].as(ada.token).get('me')
  await server.stop()
  await away(apps)
  await ada.post('auth/logout')
  await a.pong()
  await server.start()
  expect(await a.closed).toBe(4401)
  await back(apps)
  expect((await apps[1].as(ada.token).get('me')).status).toBe(401)
  expect(b.socket.readyState).toBe(WebSocket.OPEN)
})

redisServerTest('presence is right when a Redis is back that has lost all that it held', async () => {
  await using server = await startRedis()
  const { apps, bases, ada, bob } = await pair(server)
  const eve = await apps[0].person('Eve')
  await haveBothWritten(apps[0], (await eve.post<Chat>('chats', { user_id: bob.id })).body.id)
  const b = await join(apps[0], bases[0], bob)
  const a = await join(apps[1], bases[1], ada)
  await until(() => presenceOf(b, ada).length === 1, 'she is there')
  // Who comes may be told of twice: by those who hear of it, and by those who look who is there.
  await Bun.sleep(150)
  const { length } = b.frames
  await server.stop()
  await away(apps)
  const e = connect(bases[1], eve.token)
  await e.until(ofType('hello'))
  await server.start()
  await back(apps)
  await b.until(({ type, data }) => type === 'presence' && data.user_id === eve.id && data.online)
  await reached(apps[1], bob, b)
  // Who stayed is not told of again.
  const since = b.frames.slice(length).filter(({ type }) => !type.startsWith('marker'))
  expect(since.map(({ type, data }) => [type, data.user_id, data.online])).toEqual([['presence', eve.id, true]])
  const anew = connect(bases[0], bob.token)
  for (const person of [ada, eve]) await until(() => presenceOf(anew, person).length === 1, 'both are there')
  a.socket.close()
  await b.until(({ type, data }) => type === 'presence' && data.user_id === ada.id && !data.online)
  const again = connect(bases[0], bob.token)
  await again.until(ofType('presence'))
  await again.pong()
  expect([...new Set(again.frames.filter(ofType('presence')).map(({ data }) => data.user_id))]).toEqual([eve.id])
})

redisServerTest('presence is right after somebody has emptied a Redis that goes on', async () => {
  await using server = await startRedis()
  const { apps, bases, ada, bob } = await pair(server)
  const b = await join(apps[0], bases[0], bob)
  await join(apps[1], bases[1], ada)
  const seenBy = apps[0].services.shared!.nodes
  await until(async () => (await seenBy.online([ada.id])).has(ada.id), 'she is there')
  const { length } = b.frames
  using redis = disposable(new Redis(server.url))
  await redis.flushall()
  await until(async () => (await seenBy.online([ada.id])).has(ada.id), 'she is there again')
  expect(apps.map(isUp)).toEqual([true, true])
  expect(b.frames.slice(length).filter(({ data }) => data.online === false)).toEqual([])
})

for (const [why, refuse, allow] of [
  ['is full', 'CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'],
  ['has become a replica', 'REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE'],
] as const)
  redisServerTest(`a Redis that ${why} counts as away, and nobody is taken for gone because of it`, async () => {
    await using server = await startRedis()
    const { apps, bases, ada, bob, prefix } = await pair(server, { pace: { tendMs: 20, aliveMs: 2000 } })
    const b = await join(apps[0], bases[0], bob)
    await join(apps[1], bases[1], ada)
    await until(() => presenceOf(b, ada).length === 1, 'she is there')
    using redis = disposable(new Redis(server.url))
    const call = (line: string) => redis.call(...(line.split(' ') as [string, ...string[]]))
    const nodes = await redis.smembers(`${prefix}{nodes}`)
    const alive = nodes.map((node) => `${prefix}{nodes}:${node}`)
    await call(refuse)
    await away(apps)
    await until(async () => (await redis.exists(...alive)) === 0, 'no heartbeat of before is left')
    await call(allow)
    await back(apps)
    await until(async () => (await apps[0].services.shared!.nodes.online([ada.id])).has(ada.id), 'she is there')
    expect(presenceOf(b, ada)).toEqual([true])
    expect(apps.map((app) => app.logged().split('"msg":"Redis is away').length - 1)).toEqual([1, 1])
    expect(apps[0].logged()).not.toContain('a node is gone')
  })

const disposable = (redis: Redis) => Object.assign(redis, { [Symbol.dispose]: () => redis.disconnect() })

for (const fails of ['cut', 'stall'] as const)
  redisServerTest(`a node that alone cannot reach Redis (${fails}) says what it had to say once it can`, async () => {
    await using server = await startRedis()
    using way = wayTo(server)
    const { apps, bases, ada, bob, send } = await pair(server, { urls: [way.url, server.url] })
    const [near, far] = [await join(apps[0], bases[0], bob), await join(apps[1], bases[1], bob)]
    const a = await join(apps[1], bases[1], ada)
    const phone = await apps[0].services.auth.begin(ada.id, { address: '', user_agent: null, language: null })
    await apps[1].as(ada.token).get('me')
    way[fails]()
    if (fails === 'cut') await away([apps[0]])
    for (let i = 0; i < 30; i++) expect(await send(`${i}`)).toBe(201)
    expect((await apps[0].as(phone.access_token).delete('me/sessions')).status).toBe(204)
    await near.until(({ seq, type }) => type === 'message' && seq === 31)
    await away([apps[0]])
    for (const client of [far, a]) await client.pong()
    expect([isUp(apps[1]), texts(far)]).toEqual([true, []])
    way.mend()
    expect(await a.closed).toBe(4401)
    await far.until(({ seq, type }) => type === 'message' && seq === 31)
    expect(far.seqs()).toEqual(near.seqs())
    await until(async () => (await apps[1].as(ada.token).get('me')).status === 401, 'the token is refused')
  })

redisServerTest('a node that alone could not hear reads what it missed, and forgets what it remembered', async () => {
  await using server = await startRedis()
  using way = wayTo(server)
  const { apps, bases, ada, bob, send } = await pair(server, { urls: [server.url, way.url] })
  const [near, far] = [await join(apps[0], bases[0], bob), await join(apps[1], bases[1], bob)]
  const a = await join(apps[1], bases[1], ada)
  expect((await apps[1].as(ada.token).get('me')).status).toBe(200)
  way.cut()
  await away([apps[1]])
  for (let i = 0; i < 30; i++) expect(await send(`${i}`)).toBe(201)
  await ada.post('auth/logout')
  await near.until(({ seq, type }) => type === 'message' && seq === 31)
  await until(() => apps[0].services.shared!.queued() === 0, 'all is said')
  expect([texts(far), a.socket.readyState]).toEqual([[], WebSocket.OPEN])
  way.mend()
  await far.until(({ seq, type }) => type === 'message' && seq === 31)
  expect(far.seqs()).toEqual(near.seqs())
  expect(await a.closed).toBe(4401)
  await back(apps)
  expect((await apps[1].as(ada.token).get('me')).status).toBe(401)
})

redisServerTest('the people of a node that alone cannot reach Redis are offline elsewhere for as long', async () => {
  await using server = await startRedis()
  using way = wayTo(server)
  const { apps, bases, ada, bob } = await pair(server, {
    urls: [server.url, way.url],
    pace: { tendMs: 50, aliveMs: 900 },
  })
  const b = await join(apps[0], bases[0], bob)
  await join(apps[1], bases[1], ada)
  await until(() => presenceOf(b, ada).length === 1, 'she is online')
  way.cut()
  await away([apps[1]])
  await until(() => presenceOf(b, ada).length === 2, 'she is offline')
  way.mend()
  await until(() => presenceOf(b, ada).length === 3, 'she is online again')
  await reached(apps[1], bob, b)
  expect(presenceOf(b, ada)).toEqual([true, false, true])
})

redisServerTest('whoever came and left while no answer of Redis arrived is offline on every node', async () => {
  await using server = await startRedis()
  using way = wayTo(server)
  const { apps, bases, ada, bob } = await pair(server, {
    urls: [server.url, way.url],
    // Back before the other node takes this one for dead, and removes its users.
    pace: { tendMs: 50, aliveMs: 15_000 },
  })
  const isOnline = async (by: Pick<Person, 'get'> = bob) => (await by.get('chats')).body.items[0].online
  way.muteFrom(`online:${ada.id}`)
  const a = connect(bases[1], ada.token)
  await a.until(ofType('hello'))
  await until(() => isOnline(), 'Redis knows of her')
  await away([apps[1]])
  a.socket.close()
  await until(async () => !(await isOnline(apps[1].as(bob.token))), 'her node takes her for gone')
  way.mend()
  await back(apps)
  await until(async () => !(await isOnline()), 'Redis knows that she has left')
})

redisServerTest('nodes that come back to Redis one after the other are not taken for dead', async () => {
  await using server = await startRedis()
  using way = wayTo(server)
  const { apps, bases, ada, bob } = await pair(server, {
    urls: [server.url, way.url],
    pace: { tendMs: 50, aliveMs: 900 },
  })
  const b = await join(apps[0], bases[0], bob)
  await join(apps[1], bases[1], ada)
  await until(() => presenceOf(b, ada).length === 1, 'she is online')
  // By the time Redis is back it knows of no node that lives.
  way.cut()
  server.freeze()
  await Bun.sleep(1200)
  server.thaw()
  await back([apps[0]])
  await Bun.sleep(300)
  way.mend()
  await back(apps)
  await Bun.sleep(1200)
  expect(presenceOf(b, ada)).toEqual([true])
})

redisServerTest(
  'who came while Redis was away is announced to a node that finds it later than theirs, too',
  async () => {
    await using server = await startRedis()
    using way = wayTo(server)
    const { apps, bases, ada, bob } = await pair(server, {
      urls: [way.url, server.url],
      pace: { tendMs: 50, aliveMs: 900 },
    })
    const [near, far] = [await join(apps[0], bases[0], bob), await join(apps[1], bases[1], bob)]
    way.cut()
    await server.stop()
    await away(apps)
    const a = connect(bases[1], ada.token)
    await a.until(ofType('hello'))
    await server.start()
    await far.until(({ type, data }) => type === 'presence' && data.user_id === ada.id)
    expect(presenceOf(near, ada)).toEqual([])
    way.mend()
    await near.until(({ type, data }) => type === 'presence' && data.user_id === ada.id)
    expect([presenceOf(near, ada), presenceOf(far, ada)]).toEqual([[true], [true]])
  },
)

redisServerTest('a node that had more to say than it could keep lets the others look everybody up', async () => {
  await using server = await startRedis()
  using way = wayTo(server)
  const { apps, bases, bob, send } = await pair(server, { urls: [way.url, server.url] })
  const far = await join(apps[1], bases[1], bob)
  way.cut()
  await away([apps[0]])
  await send('missed')
  const others = Array.from({ length: 30_000 }, () => ({ user_id: crypto.randomUUID(), seq: 1 }))
  apps[0].services.shared!.nodes.stored(others)
  await until(() => apps[0].services.shared!.queued() === 0, 'it keeps nothing of that')
  way.mend()
  await far.until(ofType('message'))
  expect(texts(far)).toEqual(['missed'])
})

redisServerTest('nodes that started without Redis go on alone, and are one service once it is there', async () => {
  const port = freePort()
  const { apps, bases, ada, bob, send } = await pair({ url: `redis://127.0.0.1:${port}` } as Server, {
    environment: { RATE_LIMIT: 'write=5/1d,send=100/1m' },
  })
  const eve = await apps[0].person('Eve')
  expect(apps.map(isUp)).toEqual([false, false])
  // Counted by each node, and forgotten after two seconds, as where Redis went away later.
  const prefs = async (app: TestApp) => (await app.as(eve.token).put('me/prefs', {})).status
  for (const app of apps) for (let i = 0; i < 5; i++) expect(await prefs(app)).toBe(200)
  for (const app of apps) expect(await prefs(app)).toBe(429)
  await apps[0].as(eve.token).get('search/nearby?lat=1&lng=1')
  expect((await apps[1].as(eve.token).get('me')).status).toBe(200)
  await eve.post('auth/logout')
  apps[0].clock.now += believedUnheardMs
  expect((await apps[1].as(eve.token).get('me')).status).toBe(401)
  const near = connect(bases[0], bob.token)
  const [far, a] = [connect(bases[1], bob.token), connect(bases[1], ada.token)]
  for (const client of [near, far, a]) await client.until(ofType('hello'))
  for (let i = 0; i < 10; i++) expect(await send(`${i}`)).toBe(201)
  await near.until(({ data }) => data?.text === '9')
  expect([texts(far), far.socket.readyState]).toEqual([[], WebSocket.OPEN])
  await using _ = await startRedis([], port)
  await back(apps)
  await far.until(({ data }) => data?.text === '9')
  expect(far.seqs()).toEqual(near.seqs())
  await until(() => presenceOf(near, ada).length === 1, 'she is there, whose socket is older than Redis')
  await until(() => apps.every((app) => app.services.shared!.hears(bob.id)), 'they hear of each other')
  await send('after')
  await far.until(({ data }) => data?.text === 'after')
  expect(await Promise.all(apps.map(prefsOf(bob)))).toEqual([200, 200])
  await ada.post('auth/logout')
  expect(await a.closed).toBe(4401)
  expect((await apps[1].as(ada.token).get('me')).status).toBe(401)
})

redisServerTest(
  'a limit that is first counted while other commands are on their way is counted with them',
  async () => {
    await using server = await startRedis()
    const secrets = { jwt: crypto.getRandomValues(new Uint8Array(32)) }
    const shared = await openRedis(readRedisUrl(server.url), { secrets, log: openLog({ logLevel: 'silent' }) })
    const isFirst = shared.nodes.isFirst('a job', Date.now(), 1000)
    const counter = shared.counter({ name: 'late', points: 5, duration: 60 })
    expect((await counter.consume('somebody')).consumedPoints).toBe(1)
    expect(await isFirst).toBe(true)
    await shared.close()
  },
)

const prefsOf = (person: Person) => async (app: TestApp) => (await app.as(person.token).put('me/prefs', {})).status

redisServerTest('readiness and metrics say that Redis is away, and the node stays ready', async () => {
  await using server = await startRedis()
  const { apps, bases } = await pair(server)
  const told = async () => {
    const ready = await apps[0].request('GET', '/ready')
    const metrics = await (await fetch(new URL('/metrics', bases[0]))).text()
    return [ready.status, ready.body.status, ready.body.checks.redis, /^convene_redis_up (.*)$/m.exec(metrics)?.[1]]
  }
  expect(await told()).toEqual([200, 'ok', 'ok', '1'])
  await server.stop()
  await away(apps)
  expect(await told()).toEqual([200, 'degraded', 'away', '0'])
  await server.start()
  await back(apps)
  expect(await told()).toEqual([200, 'ok', 'ok', '1'])
})

const rounds = 3

redisServerTest(
  'whatever three nodes store while Redis comes and goes reaches every socket once and in order',
  async () => {
    const seed = process.env.SEED ?? crypto.randomUUID()
    const { next, integer, pick } = random(seed)
    await using server = await startRedis()
    const { apps, bases } = await openNodes(3, { urls: [server.url] })
    const people = await Promise.all(Array.from({ length: 6 }, () => apps[0].person()))
    const chats: { id: string; members: Person[] }[] = []
    for (const [i, person] of people.entries())
      for (const other of people.slice(i + 1))
        chats.push({ id: (await person.post<Chat>('chats', { user_id: other.id })).body.id, members: [person, other] })
    const clients = await Promise.all(
      people.flatMap((person) => apps.map(async (app, i) => ({ person, client: await join(app, bases[i]!, person) }))),
    )
    const before = new Map<string, number>()
    for (const { id, token } of people) before.set(id, (await apps[0].as(token).get('sync?since=0')).body.seq)
    const refused: unknown[] = []
    for (let round = 0; round < rounds; round++) {
      let isOver = false
      const senders = apps.map(async (app) => {
        while (!isOver) {
          const chat = pick(chats)
          const sent = await app
            .as(pick(chat.members).token)
            .post<Message>(`chats/${chat.id}/messages`, { text: `${next()}` })
          if (sent.status !== 201) refused.push([sent.status, sent.body])
          await Bun.sleep(integer(0, 5))
        }
      })
      await Bun.sleep(integer(50, 400))
      if (integer(0, 1) === 0) {
        await server.stop()
        await Bun.sleep(integer(0, 500))
        await server.start()
      } else {
        server.freeze()
        await Bun.sleep(integer(0, 2500))
        server.thaw()
      }
      await Bun.sleep(integer(0, 400))
      isOver = true
      await Promise.all(senders)
    }
    expect([seed, refused]).toEqual([seed, []])
    for (const { person, client } of clients) {
      const { seq } = (await apps[0].as(person.token).get(`sync?since=${before.get(person.id)}`)).body
      const expected = Array.from({ length: seq - before.get(person.id)! }, (_, i) => before.get(person.id)! + 1 + i)
      expect(expected.length).toBeGreaterThan(0)
      await until(() => client.seqs().length >= expected.length, `all of it is there, with SEED=${seed}`, 10_000)
      expect([seed, client.seqs()]).toEqual([seed, expected])
      const stored = (await apps[0].as(person.token).get(`sync?since=${before.get(person.id)}&limit=100`)).body.items
      expect(client.frames.filter(ofType('message')).slice(0, 100)).toEqual(stored)
    }
  },
  60_000,
)
