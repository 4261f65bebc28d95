import { expect } from 'bun:test'
import slotOf from 'cluster-key-slot'
import { Cluster, Redis } from 'ioredis'
import { limitTable } from '../../src/lib/rate-limits.ts'
import type { Chat, Message, Session } from '../answers.ts'
import { password, type Person, type TestApp } from '../app.ts'
import { freePort, openNodes, redisServerTest, startRedis } from '../redis.ts'
import { until } from '../until.ts'
import { haveBothWritten } from '../rows.ts'
import { type Client, connect, ofType } from '../socket-client.ts'

/** A Redis Cluster of three processes. */
async function startCluster() {
  const stack = new AsyncDisposableStack()
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '5000', '--appendonly', 'no']
  const servers = []
  for (let attempt = 0; servers.length < 3; attempt++) {
    const port = freePort()
    // The nodes also talk to each other, on a port 10,000 above, which may be taken.
    if (port > 55_000) continue
    try {
      servers.push(stack.use(await startRedis(settings, port)))
    } catch (error) {
      if (attempt > 100) throw error
    }
  }
  // What redis-cli --cluster create does, in half the time.
  for (const [i, { port }] of servers.entries()) {
    const client = new Redis(port, '127.0.0.1')
    await client.cluster('ADDSLOTSRANGE', Math.ceil((16384 * i) / 3), Math.ceil((16384 * (i + 1)) / 3) - 1)
    await client.cluster('SET-CONFIG-EPOCH', i + 1)
    if (i > 0) await client.cluster('MEET', '127.0.0.1', servers[0]!.port)
    client.disconnect()
  }
  await Promise.all(servers.map(({ port }) => whole(port)))
  return { servers, url: servers[0]!.url, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function whole(port: number) {
  const client = new Redis(port, '127.0.0.1')
  await until(async () => String(await client.cluster('INFO')).includes('cluster_state:ok'), 'the cluster is whole')
  client.disconnect()
}

async function join(app: TestApp, base: URL, { id, token }: Person): Promise<Client> {
  const client = connect(base, token)
  await client.until(ofType('hello'))
  await until(() => app.services.shared!.hears(id), 'the other nodes are heard')
  return client
}

redisServerTest(
  'on a Redis Cluster nodes tell each other all the same, while slots move and a part of it is gone for a while',
  async () => {
    await using cluster = await startCluster()
    const { apps, bases, prefix } = await openNodes(2, { urls: [cluster.url], environment: { RATE_LIMIT: 'on' } })
    const commands = new Cluster([cluster.url])
    const ada = await apps[0].person('Ada')
    const masterOf = ({ id }: Person) => commands.slots[slotOf(`${prefix}user:${id}`)]![0]
    await until(() => commands.status === 'ready', 'the cluster is found')
    // Enough that each part of the cluster has channels of some.
    const others: Person[] = []
    while (new Set(others.map(masterOf)).size < 3 || others.length < 6) others.push(await apps[0].person())
    const chats = await Promise.all(
      others.map(async ({ id }) => (await ada.post<Chat>('chats', { user_id: id })).body.id),
    )
    for (const chat of chats) await haveBothWritten(apps[0], chat)
    const a = await join(apps[0], bases[0], ada)
    const clients = await Promise.all(others.map((person) => join(apps[1], bases[1], person)))
    for (const { id } of others)
      await a.until(({ type, data }) => type === 'presence' && data.user_id === id && data.online)
    const sendToAll = async (text: string) => {
      for (const chat of chats) expect((await ada.post<Message>(`chats/${chat}/messages`, { text })).status).toBe(201)
    }
    const reaches = (text: string, some = clients) =>
      Promise.all(some.map((client) => client.until(({ data }) => data?.text === text)))

    await sendToAll('one')
    await reaches('one')

    // Each channel lives on one part only, which alone is asked to tell of it.
    const shards = await Promise.all(
      cluster.servers.map(async ({ port }) => {
        const client = new Redis(port, '127.0.0.1')
        const [sharded, plain] = await Promise.all([client.call('PUBSUB', 'SHARDCHANNELS'), client.pubsub('CHANNELS')])
        client.disconnect()
        return [(sharded as string[]).length, plain.length]
      }),
    )
    expect(shards.map(([, plain]) => plain)).toEqual([0, 0, 0])
    expect(shards.reduce((sum, [sharded]) => sum + sharded!, 0)).toBe(1 + others.length + 1)

    // A slot moves, with the channels in it.
    const moved = others[0]!
    const slot = slotOf(`${prefix}user:${moved.id}`)
    const from = masterOf(moved)
    const target = commands.nodes('master').find(({ options }) => `${options.host}:${options.port}` !== from)!
    const id = String(await target.cluster('MYID'))
    const owners = commands.nodes('master').toSorted((node) => (node === target ? -1 : 1))
    for (const node of owners) await node.cluster('SETSLOT', slot, 'NODE', id)
    commands.refreshSlotsCache()
    await until(() => masterOf(moved) !== from, 'the slot has moved')
    await sendToAll('two')
    await reaches('two')

    // A part is gone, and comes back.
    const gone = cluster.servers.find(({ port }) => masterOf(others[1]!) === `127.0.0.1:${port}`)!
    await gone.stop()
    await until(() => apps.every(({ services }) => !services.shared!.isUp()), 'it is gone')
    await sendToAll('three')
    const unharmed = clients.filter((_, i) => masterOf(others[i]!) !== `127.0.0.1:${gone.port}`)
    expect(unharmed.length).toBeGreaterThan(0)
    await reaches('three', unharmed)
    await gone.start()
    await whole(gone.port)
    await reaches('three')
    await until(() => apps.every(({ services }) => services.shared!.isUp()), 'it is back')
    await sendToAll('four')
    await reaches('four')
    for (const client of clients) expect(client.seqs()).toEqual([2, 3, 4, 5])

    const { points } = limitTable.search
    for (let i = 1; i <= points; i++) {
      const answer = await apps[i % 2]!.as(ada.token).get('search/nearby?lat=56.95&lng=24.1&radius=5000')
      expect([answer.status, Number(answer.headers.get('ratelimit-remaining'))]).toEqual([200, points - i])
    }
    const login = (guess: string) =>
      apps[0].request<Session>('POST', 'auth/login', { body: { email: ada.email, password: guess } })
    expect((await login('wrong')).status).toBe(401)
    expect((await login(password)).status).toBe(200)
    await apps[0].as(moved.token).post('auth/logout')
    expect(await clients[0]!.closed).toBe(4401)
    await a.until(({ type, data }) => type === 'presence' && data.user_id === moved.id && !data.online)
    commands.disconnect()
  },
  120_000,
)
