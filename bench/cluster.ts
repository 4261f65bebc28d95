import { SQL } from 'bun'
import { loadavg } from 'node:os'
import { cities } from '../src/seed/cities.ts'
import { type Engine, startPostgres, startRedis } from './engines.ts'
import { listeners } from './listeners.ts'
import { load, median, medianRun, noWrk, type Request, type Run, wrk } from './load.ts'
import { type Found, openLoop } from './open-loop.ts'
import { bearer, convene, dataDir, type Pair as Couple, pairs, type Person, startOurs, text } from './ours.ts'
import { cpuSeconds, family, type Server } from './process.ts'
import { markdown, number, options, publish } from './report.ts'
import { type Share, shareOf } from './share.ts'
import { type Cost, type Costs, sizing, sizingTable } from './sizing.ts'

const chats = 250
/** Connections to each node, that send as fast as they can. */
const connections = 32
/** Sends a second to each node, where that is set: two of them are some two fifths of what a machine of two cores can do. */
const steady = { rate: 1000, connections: 128 }
/** Of each node, where its CPU is limited: what three of them and all that they need take leaves a machine of two cores room. */
const quarter = 0.25
const nodesAtMost = 3
/** Who is there besides those who send, so that searches find somebody and rows have their usual size. */
const community = { users: 20_000, messages: 100_000 }
const warmUpCpuSeconds = 3
const warmUpAtMostMs = 20_000

type Node = Server & { share: Share | null }
/**
 * Which nodes take the sends, as many as they can or each at the steady rate: so many of those that Redis joins, or the one
 * that has none. The two of a chat are on different nodes, or each chat is one node's `own`. Each node uses as many `cores`
 * as set, or what it gets.
 */
type Setup = { nodes: Node[]; own?: boolean; isSteady?: boolean; cores?: number }
type Measured = { run: Run; node: number; postgres: number; redis: number; frames: number }

const json = { 'content-type': 'application/json' }

const sendOf = ({ id }: Couple, { token }: Person, i: number): Request => ({
  method: 'POST',
  path: `/api/v1/chats/${id}/messages`,
  headers: { ...json, ...bearer(token) },
  body: JSON.stringify({ text: text(i, 0) }),
})

const socketUrl = (server: Server, { token }: Person) => `${server.url.origin.replace('http', 'ws')}/ws?token=${token}`

/** All runs as one: answers and failures of all, and the latency of the slowest. */
const allOf = (runs: readonly Run[]): Run => ({
  perSecond: runs.reduce((sum, run) => sum + run.perSecond, 0),
  p50: Math.max(...runs.map((run) => run.p50)),
  p99: Math.max(...runs.map((run) => run.p99)),
  answers: runs.reduce((sum, run) => sum + run.answers, 0),
  failed: runs.reduce((sum, run) => sum + run.failed, 0),
})

const answered = ({ accepted, refused, others }: Found): Run => ({ ...accepted, failed: refused + others })

/** Makes sure that what is measured are answers. */
function made({ answers, failed }: Run, name: string) {
  if (answers === 0 || failed > 0) throw new Error(`${name}: ${failed} of ${answers} requests failed`)
}

/**
 * Sends through these nodes, and counts the microseconds of CPU for each answered one. Both sides of a chat have a socket,
 * on two different nodes where there are several: so each send is told on the node that took it and on another, unless
 * chats are the nodes' own.
 */
async function measure(
  { nodes, own, isSteady, cores }: Setup,
  couples: readonly Couple[],
  engines: Engine[],
  seconds: number,
): Promise<Measured> {
  const nodeOf = (i: number) => nodes[i % nodes.length]!
  const listening = await listeners(
    couples.flatMap(({ a, b }, i) => [socketUrl(nodeOf(i), a), socketUrl(nodeOf(own ? i : i + 1), b)]),
  )
  const sends = nodes.map((node) =>
    couples.flatMap((couple, i) =>
      nodeOf(i) === node ? [sendOf(couple, couple.a, i), sendOf(couple, couple.b, i)] : [],
    ),
  )
  const clients = isSteady
    ? await Promise.all(nodes.map((node, i) => openLoop(node.url, sends[i]!, steady.connections)))
    : null
  const sendAll = async (seconds: number) =>
    allOf(
      clients
        ? (await Promise.all(clients.map((client) => client.run(steady.rate, seconds)))).map(answered)
        : await Promise.all(nodes.map((node, i) => load(node.url, sends[i]!, { connections, seconds }))),
    )
  const used = () => [cpuSeconds(nodes.map(({ pid }) => pid)), ...engines.map(({ pid }) => cpuSeconds(family(pid)))]
  for (const { share } of nodes) share?.set(cores ?? null)
  await sendAll(1)
  await Bun.sleep(500)
  const [before, framesBefore] = [used(), await listening.frames()]
  const run = await sendAll(seconds)
  await Bun.sleep(500)
  const [after, frames] = [used(), await listening.frames()]
  await listening.close()
  for (const client of clients ?? []) client.close()
  for (const { share } of nodes) share?.set(null)
  made(run, 'send')
  const [node, postgres, redis] = after.map((seconds, i) => ((seconds - before[i]!) * 1e6) / run.answers)
  return { run, node: node!, postgres: postgres!, redis: redis!, frames: (frames - framesBefore) / run.answers }
}

const medianOf = (all: readonly Measured[]): Measured => ({
  run: medianRun(all.map(({ run }) => run)),
  node: median(all.map(({ node }) => node)),
  postgres: median(all.map(({ postgres }) => postgres)),
  redis: median(all.map(({ redis }) => redis)),
  frames: median(all.map(({ frames }) => frames)),
})

/** Code that runs for the first time costs many times as much: so each node works for a while first, and alone. */
async function warmUp(node: Server, requests: Request[]) {
  const end = performance.now() + warmUpAtMostMs
  while (cpuSeconds([node.pid]) < warmUpCpuSeconds && performance.now() < end)
    await load(node.url, requests, { connections, seconds: 1 })
}

/** What other requests cost one node, in microseconds of CPU for each answer. */
async function readCosts(node: Server, couples: readonly Couple[], postgres: Engine, seconds: number) {
  const { latitude, longitude } = cities[0]!
  const reads: { name: string; of(couple: Couple, i: number): string }[] = [
    { name: 'GET /me', of: () => '/api/v1/me' },
    { name: 'list 30 messages', of: ({ id }) => `/api/v1/chats/${id}/messages?limit=30` },
    { name: 'list chats', of: () => '/api/v1/chats?limit=30' },
    {
      name: 'nearby, 5 km, with 50 profiles',
      // A street further on each time.
      of(_, i) {
        const place = `lat=${(latitude + (i % 16) * 0.001).toFixed(4)}&lng=${(longitude + (i >> 4) * 0.001).toFixed(4)}`
        return `/api/v1/search/nearby?${place}&radius=5000&limit=50`
      },
    },
  ]
  const costs: (Cost & { name: string })[] = []
  for (const { name, of } of reads) {
    const requests = couples.map((couple, i) => ({ path: of(couple, i), headers: bearer(couple.a.token) }))
    await load(node.url, requests, { connections, seconds: 2 })
    const used = () => [cpuSeconds([node.pid]), cpuSeconds(family(postgres.pid))]
    const before = used()
    const run = await load(node.url, requests, { connections, seconds })
    made(run, name)
    const [ofNode, ofPostgres] = used().map((seconds, i) => ((seconds - before[i]!) * 1e6) / run.answers)
    costs.push({ name, node: ofNode!, postgres: ofPostgres! })
  }
  return costs
}

async function analyzed({ url }: Engine) {
  const sql = new SQL(url, { max: 1 })
  await sql.unsafe('VACUUM ANALYZE')
  await sql.close()
}

/** A bucket that does not answer, which a node bears: no photos are measured. */
const noBucket = 's3://KEY:SECRET@photos?endpoint=http://127.0.0.1:1'

/** Copies the database, which nobody uses now; answers the URL of the copy. */
async function copyOf({ url }: Engine): Promise<string> {
  const copy = new URL(url)
  const admin = new SQL(new URL('/postgres', copy).href, { max: 1 })
  await admin.unsafe(`CREATE DATABASE single TEMPLATE ${copy.pathname.slice(1)}`)
  await admin.close()
  copy.pathname = '/single'
  return copy.href
}

type Size = { table: string; rows: number; bytes: number }

/** Bytes that a row takes on disk with its part of the indexes, in each table that has any. */
async function rowSizes(postgres: Engine): Promise<Size[]> {
  await analyzed(postgres)
  const sql = new SQL(postgres.url, { max: 1 })
  const tables: Size[] = await sql.unsafe(
    `SELECT relname AS table, reltuples::float8 AS rows, pg_total_relation_size(oid)::float8 / reltuples AS bytes
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples > 0
     ORDER BY pg_total_relation_size(oid) DESC`,
  )
  await sql.close()
  return tables
}

/** What `sizing` asks for: the send of three nodes, as most events are told on another node there. */
function costsOf(send: Measured, reads: readonly Cost[], sizes: readonly Size[]): Costs {
  const [listMessages, listChats, nearby] = reads.slice(1) as [Cost, Cost, Cost]
  const rowsOf = (name: string) => sizes.find(({ table }) => table === name)!
  const others = sizes.filter(({ table }) => table !== 'messages' && table !== 'events')
  const account = others.reduce((sum, { rows, bytes }) => sum + rows * bytes, 0) / rowsOf('users').rows
  const bytes = { message: rowsOf('messages').bytes, event: rowsOf('events').bytes, account }
  return { send, listMessages, listChats, nearby, bytes }
}

/**
 * One node on PostgreSQL and Redis beside several. On one machine they share its cores, which a node that is alone has for
 * itself. So what is compared is the CPU that a send costs all nodes together (n nodes with cores of their own carry
 * n × (one node's cost ÷ theirs) as much as one), and what they carry where each may use a quarter of a core, and the machine
 * is not full.
 *
 * On a full machine that cost depends on what else it does: it is more where others have been on a node's core. So beside
 * the one that has the machine alone stands what one takes while as many others are as busy, each with chats of its own and
 * nothing to tell the others.
 */
export async function main() {
  const chosen = options({ seconds: 3, rounds: 9 })
  if (!wrk()) throw new Error(noWrk)
  const [postgres, redis] = [await startPostgres(), await startRedis()]
  if (!postgres) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  if (!redis) throw new Error('Redis is not installed: apt-get install redis-server')
  const alone = {
    DATABASE_URL: postgres.url,
    JWT_SECRET: crypto.randomUUID(),
    LOCATION_KEY: Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex'),
  }
  console.error(`Filling a database with ${number(community.users)} people …`)
  const seeded = dataDir()
  await convene(['seed', '--users', `${community.users}`, '--messages', `${community.messages}`], { DATA_DIR: seeded })
  await convene(['copy', '--from', `sqlite:${seeded}/convene.db`, '--to', postgres.url], {})
  const couples = await pairs(dataDir(), chats, alone)
  // As autovacuum does in time: without statistics what is read for another node is planned as for an empty table.
  await analyzed(postgres)
  // Nodes of one database refuse to run beside one without Redis.
  const single = {
    ...(await startOurs(dataDir(), { more: { ...alone, DATABASE_URL: await copyOf(postgres) } })),
    share: null,
  }
  const nodes: Node[] = []
  while (nodes.length < nodesAtMost) {
    const node = await startOurs(dataDir(), { more: { ...alone, REDIS_URL: redis.url, MEDIA_URL: noBucket } })
    nodes.push({ ...node, share: shareOf(node.pid, `node-${nodes.length}`) })
  }
  const [one, two] = [nodes.slice(0, 1), nodes.slice(0, 2)]
  const setups = {
    'one, without Redis': { nodes: [single] },
    one: { nodes: one },
    'two, each with chats of its own': { nodes: two, own: true },
    two: { nodes: two },
    'three, each with chats of its own': { nodes, own: true },
    three: { nodes },
    'one, steady': { nodes: one, isSteady: true },
    'two, steady, each with chats of its own': { nodes: two, own: true, isSteady: true },
    'two, steady': { nodes: two, isSteady: true },
    'one, a quarter of a core': { nodes: one, cores: quarter },
    'two, a quarter each, chats of their own': { nodes: two, own: true, cores: quarter },
    'two, a quarter each': { nodes: two, cores: quarter },
    'three, a quarter each': { nodes, cores: quarter },
  } satisfies Record<string, Setup>
  type Name = keyof typeof setups
  const isLimitable = nodes.every(({ share }) => share !== null)
  if (!isLimitable)
    console.error('Nodes with a quarter of a core are not measured: no control groups here, or no rights.')
  const names = (Object.keys(setups) as Name[]).filter((name) => isLimitable || !('cores' in setups[name]))
  for (const node of [single, ...nodes])
    await warmUp(
      node,
      couples.map((couple, i) => sendOf(couple, couple.a, i)),
    )
  const found = new Map((Object.keys(setups) as Name[]).map((name) => [name, [] as Measured[]]))
  const loads = [loadavg()[0]!]
  for (let round = 0; round < chosen.rounds; round++) {
    // There and back, so that what becomes slower meanwhile is slower for all.
    for (const name of round % 2 === 0 ? names : names.toReversed())
      found.get(name)!.push(await measure(setups[name], couples, [postgres, redis], chosen.seconds))
    loads.push(loadavg()[0]!)
  }
  const reads = await readCosts(nodes[0]!, couples, postgres, chosen.seconds)
  for (const { stop, share } of [...nodes, single]) {
    await stop()
    share?.remove()
  }
  const sizes = await rowSizes(postgres)
  await redis.stop()
  await postgres.stop()

  const of = (name: Name) => medianOf(found.get(name)!)
  const costs = costsOf(of('three'), reads, sizes)
  const communities = [1e4, 1e6, 1e8].map((users) => sizing(users, costs))
  /** Of each round, as a machine that others use too is slower for minutes. Null where they were not measured. */
  const ratio = (joined: Name, alone: Name, of: (joined: Measured, alone: Measured) => number) => {
    const [many, one] = [found.get(joined)!, found.get(alone)!]
    return many.length === 0 ? null : median(many.map((measured, round) => of(measured, one[round]!)))
  }
  /** How many times what one node does so many carry, by the CPU that a send takes: cores of their own taken for granted. */
  const times = (count: number, joined: Name, alone: Name) =>
    ratio(joined, alone, (joined, alone) => (count * alone.node) / joined.node)
  /** The same by what they did carry. */
  const carried = (joined: Name, alone: Name) =>
    ratio(joined, alone, (joined, alone) => joined.run.perSecond / alone.run.perSecond)
  const pair = (name: string, joined: Name, apart: Name) => ({
    name,
    unit: 'µs',
    ours: of(joined).node,
    theirs: of(apart).node,
    peer: 'each with chats of its own',
  })
  await publish(
    {
      title: `Sends on PostgreSQL: ${chats * 2} users, all with a socket, the two of a chat on different nodes`,
      tables: [
        markdown(
          ['nodes that send', 'nodes µs', 'PostgreSQL µs', 'Redis µs', 'sends a second', 'p50 / p99 ms', 'frames'],
          names.map((name) => {
            const { run, node, postgres, redis, frames } = of(name)
            const latency = `${number(run.p50)} / ${number(run.p99)}`
            return [name, ...[node, postgres, redis, run.perSecond].map(number), latency, number(frames)]
          }),
        ),
        `Microseconds of CPU, of all processes of a kind together, and frames, for each answered send. Each node is sent as
much as it can take, or steadily ${number(steady.rate)} a second.`,
        markdown(
          ['other requests, one node', 'node µs', 'PostgreSQL µs'],
          reads.map(({ name, node, postgres }) => [name, number(node), number(postgres)]),
        ),
        markdown(
          ['table', 'rows', 'bytes a row, with indexes'],
          sizes.map(({ table, rows, bytes }) => [table, number(rows), number(bytes)]),
        ),
        `What that comes to, by the habits that bench/sizing.ts names; an account takes ${number(costs.bytes.account)} bytes.`,
        sizingTable(communities),
        `Load of the machine before, and after each round: ${loads.map(number).join(', ')}.`,
      ],
      findings: [
        {
          name: 'two nodes, a quarter of a core each: their sends a second ÷ one’s',
          value: carried('two, a quarter each', 'one, a quarter of a core'),
          bound: { atLeast: 1.7 },
        },
        {
          name: 'two nodes, a quarter of a core each: 2 × one’s µs ÷ theirs',
          value: times(2, 'two, a quarter each', 'one, a quarter of a core'),
          bound: { atLeast: 1.7 },
        },
        {
          name: 'three, a quarter of a core each: their sends a second ÷ one’s',
          value: carried('three, a quarter each', 'one, a quarter of a core'),
          bound: null,
        },
        {
          name: 'two, a quarter of a core each, chats of their own: their sends a second ÷ one’s',
          value: carried('two, a quarter each, chats of their own', 'one, a quarter of a core'),
          bound: null,
        },
        {
          name: 'two nodes, full machine: 2 × one’s µs ÷ theirs',
          value: times(2, 'two', 'one'),
          bound: { atLeast: 1.7 },
        },
        {
          name: 'two nodes, steadily: 2 × one’s µs ÷ theirs',
          value: times(2, 'two, steady', 'one, steady'),
          bound: { atLeast: 1.7 },
        },
        { name: 'three nodes, full machine: 3 × one’s µs ÷ theirs', value: times(3, 'three', 'one'), bound: null },
        {
          name: 'two, full machine, and one beside another as busy',
          value: times(2, 'two', 'two, each with chats of its own'),
          bound: null,
        },
        {
          name: 'two, steadily, and one beside another as busy',
          value: times(2, 'two, steady', 'two, steady, each with chats of its own'),
          bound: null,
        },
        {
          name: 'three, full machine, and one beside others as busy',
          value: times(3, 'three', 'three, each with chats of its own'),
          bound: null,
        },
        { name: 'frames for each send, two nodes', value: of('two').frames, bound: { atLeast: 1.99 } },
      ],
      pairs: [
        pair('CPU of two nodes for a send', 'two', 'two, each with chats of its own'),
        pair('CPU of three nodes for a send', 'three', 'three, each with chats of its own'),
      ],
      figures: {
        load_average: loads,
        setups: names.map((name) => ({ name, median: of(name), rounds: found.get(name) })),
        reads,
        row_sizes: sizes,
        sizing: communities,
      },
    },
    chosen,
  )
}

if (import.meta.main) await main()
