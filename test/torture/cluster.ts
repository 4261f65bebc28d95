import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { rules } from './database.ts'
import {
  act,
  type Ask,
  compareWithAnswers,
  compareWithRows,
  Ear,
  type Ledger,
  retryAll,
  selectMessages,
  selectReviews,
  settle,
} from './ledger.ts'
import { call, once } from './people.ts'
import { type Case, percentile, type Run, until } from './run.ts'
import { endAll, refusedStart, type Server, servicePassword, startServer } from './server.ts'
import {
  databaseName,
  freePort,
  owner,
  type Postgres,
  type RedisServer,
  requirePrograms,
  startNginx,
  startPostgres,
  startRedis,
  startStandby,
} from './services.ts'

export const cases: Case[] = [
  {
    name: 'three nodes: half-set ones come, one is killed, Redis is away, PostgreSQL is started anew, the primary dies',
    run: (run) => overCluster(run, [joinedHalfSet, killed, withoutRedis, restarted, promoted]),
    only: 'short',
  },
  {
    name: 'nodes that lack a setting of several are refused with one line, and those that serve go on as before',
    run: (run) => overCluster(run, [joinedHalfSet]),
    only: 'long',
  },
  {
    name: 'a half-set node that stood still while another one began: both say so, and nothing is lost',
    run: stoodStillHalfSet,
  },
  {
    name: 'kill -9 of a node under load: its sockets go on elsewhere, the others answer as before',
    run: (run) => overCluster(run, [killed]),
    only: 'long',
  },
  {
    name: 'Redis away for ten seconds: requests go on, and what was not told comes once it is back',
    run: (run) => overCluster(run, [withoutRedis]),
    only: 'long',
  },
  {
    name: 'PostgreSQL stopped, fast and at once, and started: 503 meanwhile, then all goes on by itself',
    run: (run) => overCluster(run, [restarted]),
    only: 'long',
  },
  {
    name: 'the primary dies, and the standby is promoted',
    run: (run) => again(3, run, promoted),
    only: 'long',
  },
  {
    name: 'the primary hangs with its connections open, and the standby is promoted',
    run: (run) => again(3, run, promotedPastHanging),
    only: 'long',
  },
]

const nodeCount = 3
const peopleCount = { short: 6, long: 12 }
const workers = { short: 6, long: 12 }
const socketsEach = 2
/** How long the others may take to be as fast as before. */
const calmMs = 5000

type Fault = (cluster: Cluster, load: Load, run: Run) => Promise<void>

async function again(rounds: number, run: Run, fault: Fault) {
  for (let round = 1; round <= rounds; round++) {
    const directory = `${run.directory}/${round}`
    mkdirSync(directory)
    await overCluster(run, [fault], directory)
    await endAll()
  }
}

/** Faults one after the other over one cluster under load, and at last the ledger beside what is stored and was told. */
async function overCluster(run: Run, faults: readonly Fault[], directory = run.directory) {
  requirePrograms()
  // PostgreSQL may run as another user.
  chmodSync(run.directory, 0o711)
  const cluster = await startCluster(directory)
  const ledger = await settle(cluster.base, peopleCount[run.long ? 'long' : 'short'])
  const load = startLoad(cluster.base, ledger, run)
  await until('every socket to be open', load.areSocketsOpen)
  for (const fault of faults) await fault(cluster, load, run)
  await load.stop()
  await retryAll(ledger, (...request) => call(cluster.base, ...request))
  await compareWithAnswers(ledger, cluster.base, load.ears)
  await Promise.all(cluster.nodes.map(({ server }) => server.stop()))
  await load.leave()
  for (const { server } of cluster.nodes) assert.ok(!server.output().includes('request failed'), server.output())
  await using db = cluster.database.client()
  for (const [rule, broken] of Object.entries(rules)) assert.deepEqual([...(await db.unsafe(broken))], [], rule)
  compareWithRows(ledger, await db.unsafe(selectMessages), await db.unsafe(selectReviews))
  const heard = load.ears.reduce((sum, ear) => sum + ear.heard.length, 0)
  run.measured(
    `${ledger.answered} sends answered, ${ledger.retried} of them after a retry; ${heard} events on ` +
      `${load.ears.length} sockets: 0 lost, 0 twice, 0 out of order; ${load.refused()}`,
  )
}

type Node = { server: Server; start(): Promise<void> }
type Cluster = {
  /** Of every node. */
  settings: Record<string, string>
  /** nginx in front of the nodes. */
  base: URL
  nodes: Node[]
  /** The one that takes writes. */
  database: Postgres
  standby: Postgres
  redis: RedisServer
}

const neededByAll = ['REDIS_URL', 'MEDIA_URL'] as const

/** The settings that all nodes share. */
function settingsOfAll(databases: readonly Postgres[], redis: RedisServer): Record<string, string> {
  const hosts = databases.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    DATABASE_URL: `postgres://${owner}:${servicePassword}@${hosts}/${databaseName}`,
    REDIS_URL: redis.url,
    // Several nodes need one; no photos are sent here.
    MEDIA_URL: 's3://KEY:hunter2@photos?endpoint=http://127.0.0.1:1',
    // So that it is searched for, too, in what they print.
    JWT_SECRET: `${servicePassword}, for the tokens of all nodes`,
    LOCATION_KEY: randomBytes(32).toString('hex'),
    TRUST_PROXY: '1',
  }
}

const without = (settings: Record<string, string>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)))

async function startCluster(directory: string): Promise<Cluster> {
  const [database, redis] = await Promise.all([startPostgres(`${directory}/primary`), startRedis()])
  const standby = await startStandby(database, `${directory}/standby`)
  const settings = settingsOfAll([database, standby], redis)
  const ports = Array.from({ length: nodeCount }, freePort)
  const nodes = await Promise.all(
    ports.map(async (port, i): Promise<Node> => {
      const home = `${directory}/node${i + 1}`
      mkdirSync(home)
      const start = () => startServer(`${home}/data`, { ...settings, PORT: `${port}` }, home)
      const node = {
        server: await start(),
        async start() {
          node.server = await start()
        },
      }
      return node
    }),
  )
  return { settings, base: await startNginx(`${directory}/nginx`, ports), nodes, database, standby, redis }
}

/** One request through nginx. Times are in milliseconds, `began` by performance.now(). */
type Asked = { began: number; took: number; method: string; status: number | null }

type Load = ReturnType<typeof startLoad>

/** People who write, read and listen, until `stop` and `leave`. What is not answered they send again, by its client_id. */
function startLoad(base: URL, ledger: Ledger, { long, random }: Run) {
  const asked: Asked[] = []
  const wrong: string[] = []
  let isOver = false
  let isLeft = false

  const ask: Ask = async (method, ...rest) => {
    const began = performance.now()
    const note = (status: number | null) => void asked.push({ began, took: performance.now() - began, method, status })
    try {
      const answer = await once(base, method, ...rest)
      note(answer.status)
      const { status, headers, body } = answer
      if (status < 500) return answer
      const isOurs =
        headers.get('content-type') === 'application/problem+json' &&
        body.code === 'busy' &&
        body.status === status &&
        Number(headers.get('retry-after')) >= 1
      if (status === 503 && !isOurs) wrong.push(`503 ${headers.get('retry-after')} ${JSON.stringify(body)}`)
      throw new NoAnswer(`${status}`)
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      note(null)
      throw new NoAnswer(String(error))
    }
  }

  async function read() {
    const chat = random.pick(ledger.chats)
    const { token } = random.pick(chat.members)
    const path = random.pick(['chats', `chats/${chat.id}/messages?limit=20`, 'sync?since=0&limit=10'])
    assert.equal((await ask('GET', path, { token })).status, 200)
  }

  async function work() {
    while (!isOver) {
      try {
        await (random.chance(0.3) ? read() : act(ledger, ask, random))
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
      }
      await Bun.sleep(random.integer(20, 180))
    }
  }

  async function listen(ear: Ear) {
    while (!isLeft) {
      await ear.listen(base)
      // Not all at once.
      if (!isLeft) await Bun.sleep(random.integer(50, 500))
    }
  }

  const ears = ledger.people.flatMap((owner) => Array.from({ length: socketsEach }, () => new Ear(owner)))
  const listening = ears.map(listen)
  const working = Promise.all(Array.from({ length: workers[long ? 'long' : 'short'] }, work))

  const since = (from: number, to = Infinity) => asked.filter(({ began }) => began >= from && began < to)
  const isAnswered = ({ status }: Asked) => status !== null && status < 500
  const countOf = (list: Asked[]) => Object.entries(Object.groupBy(list, ({ status }) => `${status ?? 'no answer'}`))

  return {
    ears,
    areSocketsOpen: () => ears.every((ear) => ear.isOpen),
    openSockets: () => ears.filter((ear) => ear.isOpen).length,
    /** In milliseconds, of what was begun in that time and answered. */
    p99: (from: number, to: number) =>
      percentile(
        since(from, to)
          .filter(isAnswered)
          .map(({ took }) => took),
        0.99,
      ),
    requests: (from: number, to: number) => since(from, to).length,
    /** What was not answered, or with 5xx, of what was begun since then. */
    failed: (from: number) => since(from).filter((one) => !isAnswered(one)),
    /** When a send was answered that was begun after that moment. */
    async writesAgain(from: number) {
      const sent = () => since(from).find((one) => one.method === 'POST' && isAnswered(one))
      await until('a send to be answered', () => sent() !== undefined)
      return sent()!.began + sent()!.took
    },
    /** Resolves once every socket has what is stored by now. */
    async told(database: Postgres) {
      const waiting = await behind(ears, database)
      await until('every socket to be told all', () => waiting.every(({ ear, stored }) => ear.heard.length >= stored))
    },
    refused() {
      const counted = countOf(asked.filter((one) => !isAnswered(one)))
      return counted.length === 0
        ? `none of ${asked.length} requests failed`
        : `of ${asked.length} requests not answered: ${counted.map(([status, list]) => `${list!.length} × ${status}`).join(', ')}`
    },
    async stop() {
      isOver = true
      await working
      assert.deepEqual(wrong, [])
    },
    async leave() {
      isLeft = true
      await Promise.all([...ears.map((ear) => ear.over()), ...listening])
    },
  }
}

/** After which one asks again. */
class NoAnswer extends Error {}

/** How many events are stored for the owner of each socket. */
async function behind(ears: readonly Ear[], database: Postgres) {
  await using db = database.client()
  const rows: { user_id: string; seq: string }[] = await db.unsafe('SELECT user_id, seq FROM event_counters')
  const counters = new Map(rows.map(({ user_id, seq }) => [user_id, Number(seq)]))
  return ears.map((ear) => ({ ear, stored: counters.get(ear.owner.id) ?? 0 }))
}

/** Waits until every node says of itself that it is so. */
async function untilReadiness({ nodes }: Cluster, expected: '200' | '200 away' | '503') {
  const states = () =>
    Promise.all(
      nodes.map(async ({ server }) => {
        const { status, body } = await once(server.url, 'GET', '/ready', { keepalive: false })
        const { redis } = body.checks
        return status === 200 && redis !== 'ok' ? `${status} ${redis}` : `${status}`
      }),
    )
  let last: string[] = []
  const areAll = async () => {
    last = await states()
    return last.every((state) => state === expected)
  }
  await until(`/ready of every node to be ${expected}`, areAll).catch((error: Error) => {
    throw new Error(`${error.message}, but ${last.join(', ')}`)
  })
}

const ms = (value: number) => `${value.toFixed(0)} ms`
const most = (values: readonly number[]) => ms(Math.max(...values))

/** Starts a node that is expected to be refused, and to print nothing but that one line about it. */
async function refusedNode(home: string, settings: Record<string, string>, says: RegExp) {
  const at = performance.now()
  const { code, output } = await refusedStart(home, settings)
  assert.equal(code, 1, output)
  assert.match(output, says)
  assert.equal(output.match(/^convene: /gm)?.length, 1, output)
  return performance.now() - at
}

const joinedHalfSet: Fault = async (cluster, load, { long, directory, measured }) => {
  const began = performance.now()
  const took: number[] = []
  for (let round = 0; round < (long ? 5 : 1); round++)
    for (const missing of [...neededByAll.map((name) => [name]), neededByAll]) {
      const says = new RegExp(`^convene: ${missing.join(' and ')} must be set, the same on all nodes: [^\n]+$`, 'm')
      const home = `${directory}/half-set${round}-${missing.join('-')}`
      took.push(await refusedNode(home, without(cluster.settings, missing), says))
    }
  await untilReadiness(cluster, '200')
  assert.deepEqual(load.failed(began), [], 'requests failed while half-set nodes tried to join')
  for (const { server } of cluster.nodes) assert.ok(!server.output().includes('do not fit each other'))
  measured(`${took.length} half-set nodes refused within ${most(took)} each; no request failed`)
}

/** A node that serves alone needs neither setting. It is paused until it counts as gone, and goes on beside one that has both. */
async function stoodStillHalfSet(run: Run) {
  requirePrograms()
  chmodSync(run.directory, 0o711)
  const [database, redis] = await Promise.all([startPostgres(`${run.directory}/primary`), startRedis()])
  const settings = settingsOfAll([database], redis)
  const lone = await startServer(`${run.directory}/lone`, without(settings, neededByAll))
  const ledger = await settle(lone.url, peopleCount[run.long ? 'long' : 'short'])
  const load = startLoad(lone.url, ledger, run)
  await until('every socket to be open', load.areSocketsOpen)
  const began = performance.now()
  const second = `${run.directory}/second`
  await refusedNode(
    second,
    settings,
    /^convene: REDIS_URL and MEDIA_URL must be set on all nodes, and the node [^\n]+$/m,
  )
  assert.deepEqual(load.failed(began), [], 'requests failed while another node tried to join')
  await load.stop()
  await compareWithAnswers(ledger, lone.url, load.ears)

  lone.signal('SIGSTOP')
  const at = performance.now()
  const other = await startServer(second, settings)
  const waited = performance.now() - at
  assert.match(other.output(), /waiting for another node of this database/)
  lone.signal('SIGCONT')
  const isHalfSet = async ({ url }: Server) =>
    (await once(url, 'GET', '/ready', { keepalive: false })).body.checks.settings === 'half_set'
  for (const server of [lone, other]) {
    await until('/ready to say that settings are half set', () => isHalfSet(server))
    assert.match(server.output(), /nodes of this database do not fit each other/)
  }
  await lone.stop()
  await load.leave()
  await until('/ready of the other one to be in order', async () => !(await isHalfSet(other)))
  await retryAll(ledger, (...request) => call(other.url, ...request))
  await compareWithAnswers(ledger, other.url, load.ears)
  await other.stop()
  await using db = database.client()
  compareWithRows(ledger, await db.unsafe(selectMessages), await db.unsafe(selectReviews))
  run.measured(
    `${ledger.answered} sends answered, all there; the other node began ${ms(waited)} after the first one stood still`,
  )
}

const killed: Fault = async (cluster, load, { long, measured, inTime }) => {
  const quietMs = long ? 5000 : 1500
  const began = performance.now()
  const back: number[] = []
  let cut = 0
  let failed = 0
  for (let round = 0; round < (long ? 6 : 1); round++) {
    const quiet = performance.now()
    await Bun.sleep(quietMs)
    const open = load.openSockets()
    const node = cluster.nodes[round % nodeCount]!
    const at = performance.now()
    node.server.signal('SIGKILL')
    await until('its sockets to end', () => load.openSockets() < open)
    assert.equal(await node.server.ended(), 'SIGKILL')
    cut += open - load.openSockets()
    await until('every socket to be open elsewhere', load.areSocketsOpen)
    back.push(performance.now() - at)
    await Bun.sleep(Math.max(0, at + calmMs - performance.now()))
    const calm = performance.now()
    await Bun.sleep(quietMs)
    failed += load.failed(quiet).length
    assert.deepEqual(load.failed(calm), [], 'requests failed long after a node had died')
    const [before, meanwhile, after] = [
      load.p99(quiet, at),
      load.p99(at, at + calmMs),
      load.p99(calm, performance.now()),
    ]
    measured(
      `p99 of all requests ${ms(before)} before, ${ms(meanwhile)} in the ${calmMs / 1000} s after, ${ms(after)} after those`,
    )
    inTime(after < Math.max(2 * before, 50), `p99 was ${ms(before)} before, and ${ms(after)} five seconds later`)
    await node.start()
  }
  const requests = load.requests(began, performance.now())
  measured(
    `${back.length} killed: ${cut} sockets cut at once, all open again within ${most(back)}; ` +
      `${failed} of ${requests} requests failed, the sends among them were sent again`,
  )
  inTime(Math.max(...back) < calmMs, `a socket took ${most(back)} to come back`)
}

const withoutRedis: Fault = async (cluster, load, { long, measured, inTime }) => {
  const { redis, database, nodes } = cluster
  const awayMs = long ? 10_000 : 3000
  const late: number[] = []
  const waited: number[] = []
  const began = performance.now()
  for (let round = 0; round < (long ? 3 : 1); round++) {
    const at = performance.now()
    await redis.stop()
    await untilReadiness(cluster, '200 away')
    await Bun.sleep(Math.max(0, at + awayMs - performance.now()))
    const waiting = (await behind(load.ears, database)).map(({ ear, stored }) => stored - ear.heard.length)
    waited.push(waiting.reduce((sum, n) => sum + n, 0))
    assert.ok(waited.at(-1)! > 0, 'all was told while Redis was away')
    await redis.start()
    const back = performance.now()
    await load.told(database)
    late.push(performance.now() - back)
    await untilReadiness(cluster, '200')
  }
  assert.deepEqual(load.failed(began), [], 'requests failed while Redis was away')
  for (const { server } of nodes) assert.match(server.output(), /Redis is away/)
  const requests = load.requests(began, performance.now())
  measured(
    `Redis away ${late.length} × ${awayMs / 1000} s: ${requests} requests, none failed, p99 ${ms(load.p99(began, performance.now()))}; ` +
      `up to ${Math.max(...waited)} events waited, all told within ${most(late)} of its return`,
  )
  inTime(Math.max(...late) < calmMs, `what had waited for Redis took ${most(late)}`)
}

const restarted: Fault = async (cluster, load, { long, measured, inTime }) => {
  const { database } = cluster
  for (const mode of ['fast', 'immediate'] as const) {
    const [red, again, ready]: number[][] = [[], [], []]
    let refused = 0
    for (let round = 0; round < (long ? 5 : 1); round++) {
      const quiet = performance.now()
      await Bun.sleep(1000)
      const at = performance.now()
      await database.stop(mode)
      await untilReadiness(cluster, '503')
      red!.push(performance.now() - at)
      await Bun.sleep(long ? 3000 : 300)
      const start = performance.now()
      await database.start()
      const up = performance.now()
      again!.push((await load.writesAgain(start)) - up)
      await untilReadiness(cluster, '200')
      ready!.push(performance.now() - up)
      const failed = load.failed(quiet)
      refused += failed.length
      assert.ok(
        failed.every(({ status }) => status === 503),
        load.refused(),
      )
      await load.told(database)
    }
    measured(
      `stopped (${mode}) and started ${again!.length} times: no node ready within ${most(red!)}; ${refused} requests answered 503; ` +
        `sends answered ${most(again!)} at most after it took connections, every node ready within ${most(ready!)}`,
    )
    inTime(Math.max(...again!, ...ready!) < calmMs, `it took ${most([...again!, ...ready!])} until all was well`)
  }
}

const promoted: Fault = (cluster, load, run) => failOver(cluster, load, run, (primary) => primary.die())
const promotedPastHanging: Fault = (cluster, load, run) =>
  failOver(cluster, load, run, async (primary) => primary.freeze())

async function failOver(
  cluster: Cluster,
  load: Load,
  { long, measured, inTime }: Run,
  lose: (primary: Postgres) => Promise<void>,
) {
  const quiet = performance.now()
  await Bun.sleep(long ? 5000 : 1000)
  const at = performance.now()
  await lose(cluster.database)
  await untilReadiness(cluster, '503')
  const red = performance.now() - at
  const asked = performance.now()
  await cluster.standby.promote()
  const promotion = performance.now()
  cluster.database = cluster.standby
  const again = (await load.writesAgain(asked)) - promotion
  await untilReadiness(cluster, '200')
  const ready = performance.now() - promotion
  const failed = load.failed(quiet)
  assert.ok(
    failed.every(({ status }) => status === 503),
    load.refused(),
  )
  await load.told(cluster.database)
  const calm = performance.now()
  await Bun.sleep(1000)
  assert.deepEqual(load.failed(calm), [], 'requests failed long after the standby was promoted')
  measured(
    `no node ready ${ms(red)} after the primary was lost; promoted within ${ms(promotion - asked)}, sends answered ${ms(again)} ` +
      `and every node ready ${ms(ready)} after that; ${failed.length} requests answered 503`,
  )
  inTime(Math.max(again, ready) < calmMs, `it took ${ms(Math.max(again, ready))} until all was well`)
}
