import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { destination } from '../src/features/location/sphere.ts'
import { cities } from '../src/seed/cities.ts'
import { startPostgres } from './engines.ts'
import { load, median, medianRun, noWrk, type Request, type Run, wrk } from './load.ts'
import { bearer, convene, dataDir, openServices, startOurs, text } from './ours.ts'
import { cpuSeconds, family, type Server } from './process.ts'
import { markdown, number, options, publish } from './report.ts'

const usualSizes = '10000,1000000'
/** Members of as many chats ask, spread over all of them. */
const members = 1000

export type Member = { user: string; chat: string; token: string; refresh: string }
export type Work = { name: string; of(member: Member, i: number): Request }

const json = { 'content-type': 'application/json' }
export const works: Work[] = [
  {
    name: 'send',
    of: ({ chat, token }, i) => ({
      method: 'POST',
      path: `/api/v1/chats/${chat}/messages`,
      headers: { ...json, ...bearer(token) },
      body: JSON.stringify({ text: text(i, 0) }),
    }),
  },
  {
    name: 'list messages',
    of: ({ chat, token }) => ({ path: `/api/v1/chats/${chat}/messages?limit=30`, headers: bearer(token) }),
  },
  { name: 'list chats', of: ({ token }) => ({ path: '/api/v1/chats?limit=30', headers: bearer(token) }) },
  { name: 'sync', of: ({ token }) => ({ path: '/api/v1/sync?since=0&limit=100', headers: bearer(token) }) },
  ...[1, 5, 50, 100].map((km): Work => ({
    name: `nearby, ${km} km`,
    of({ token }, i) {
      const { latitude, longitude } = cities[0]!
      // A street further on each time.
      const place = `lat=${(latitude + (i % 32) * 0.001).toFixed(4)}&lng=${(longitude + (i >> 5) * 0.001).toFixed(4)}`
      return { path: `/api/v1/search/nearby?${place}&radius=${km * 1000}&limit=50`, headers: bearer(token) }
    },
  })),
  {
    // At so many places of the biggest city that those who are found do not fit into the cache of profiles.
    name: 'nearby, all over a city',
    of({ token }, i) {
      // The golden angle spreads them evenly around the middle; most people live within 8 km of it.
      const { latitude, longitude } = destination(cities[0]!, i * 2.399963, 8000 * Math.sqrt((i % 400) / 400))
      const place = `lat=${latitude.toFixed(4)}&lng=${longitude.toFixed(4)}`
      return { path: `/api/v1/search/nearby?${place}&radius=5000&limit=50`, headers: bearer(token) }
    },
  },
]

/** A copy of the file in a PostgreSQL of its own, as settings of the server. */
async function copied(dir: string): Promise<{ settings: Record<string, string>; pid: number; stop(): Promise<void> }> {
  const postgres = await startPostgres()
  if (postgres === null) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  await convene(['copy', '--from', `sqlite:${join(dir, 'convene.db')}`, '--to', postgres.url], { DATA_DIR: dir })
  return { ...postgres, settings: { DATABASE_URL: postgres.url } }
}

/** As many people, and so many messages for each, unless they are there from an earlier run. */
export function seed(dir: string, people: number, messagesEach: number): void {
  if (existsSync(join(dir, 'convene.db'))) return
  console.error(`Filling a database with ${number(people)} people …`)
  const command = [process.execPath, join(import.meta.dir, '../src/main.ts'), 'seed']
  const messages = String(people * messagesEach)
  const seeded = Bun.spawnSync([...command, '--users', String(people), '--messages', messages], {
    env: { ...process.env, DATA_DIR: dir },
    stderr: 'inherit',
  })
  if (seeded.exitCode !== 0) throw new Error('convene seed failed')
}

/** Sessions of members of as many chats, spread over all of the seeded file, in it or in its copy. */
export async function signIn(dir: string, settings?: Record<string, string>): Promise<Member[]> {
  const db = new Database(join(dir, 'convene.db'), { readonly: true })
  const chats = db
    .query<{ chat: string; user: string }, [number]>(
      `SELECT id AS chat, user_a AS user FROM chats
       WHERE rowid % max(1, (SELECT max(rowid) FROM chats) / ?) = 0 AND last_msg_at IS NOT NULL`,
    )
    .all(members)
  db.close()
  const services = await openServices(dir, settings)
  const client = { address: '127.0.0.1', user_agent: 'bench', language: 'en' }
  const found = await Promise.all(
    chats.map(async (one) => {
      const { access_token: token, refresh_token: refresh } = await services.auth.begin(one.user, client)
      return { ...one, token, refresh }
    }),
  )
  await services.storage.close()
  return found
}

type Measured = Run & { cpuUs: number }
type Side = { people: number; asking: Member[]; bytes: number; server: Server & { startedMs: number }; pids: number[] }

const exports = 30

/** Milliseconds until the first byte of an export, and of its whole, each the median of some. */
async function exported({ asking, server }: Side): Promise<{ firstMs: number; allMs: number }> {
  const times = []
  for (const { token } of asking.slice(0, exports)) {
    const began = performance.now()
    const response = await fetch(new URL('/api/v1/me/export', server.url), { headers: bearer(token) })
    if (!response.ok) throw new Error(`an export was answered with ${response.status}`)
    let firstMs = 0
    for await (const _ of response.body!) firstMs ||= performance.now() - began
    times.push({ firstMs, allMs: performance.now() - began })
  }
  return { firstMs: median(times.map(({ firstMs }) => firstMs)), allMs: median(times.map(({ allMs }) => allMs)) }
}

/** The same requests to servers with communities of several sizes, in turns. Each is compared with the first. */
export async function main() {
  const chosen = options({ seconds: 4, rounds: 3 }, ['people', 'messages-each', 'dir', 'only', 'engine'])
  const sizes = (chosen.people ?? usualSizes).split(',').map(Number)
  const messagesEach = Number(chosen['messages-each'] ?? 1)
  if (sizes.length < 2 || [...sizes, messagesEach].some((size) => !Number.isInteger(size) || size < 1))
    throw new Error('--people takes two sizes or more, as in 10000,1000000, and --messages-each a whole number')
  if (!wrk()) throw new Error(noWrk)
  const engine = chosen.engine ?? 'sqlite'
  if (engine !== 'sqlite' && engine !== 'postgres') throw new Error('--engine takes sqlite or postgres')
  const sides: Side[] = []
  const databases = []
  for (const people of sizes) {
    const dir = chosen.dir === undefined ? dataDir() : join(chosen.dir, `${people}-${messagesEach}`)
    mkdirSync(dir, { recursive: true })
    seed(dir, people, messagesEach)
    const database = engine === 'postgres' ? await copied(dir) : null
    if (database !== null) databases.push(database)
    const asking = await signIn(dir, database?.settings)
    const bytes = statSync(join(dir, 'convene.db')).size
    const server = await startOurs(dir, { more: database?.settings })
    const pids = database === null ? [server.pid] : [server.pid, database.pid]
    sides.push({ people, asking, bytes, server, pids })
  }
  const cpuOf = ({ pids }: Side) => cpuSeconds(pids.flatMap(family))
  const measured: { name: string; runs: Measured[] }[] = []
  for (const { name, of } of works.filter(({ name }) => name.includes(chosen.only ?? ''))) {
    const runs: Measured[][] = sides.map(() => [])
    for (let round = 0; round <= chosen.rounds; round++)
      for (const [i, side] of sides.entries()) {
        const { server, asking } = side
        const before = cpuOf(side)
        const run = await load(server.url, asking.map(of), { seconds: chosen.seconds })
        if (run.failed > 0) throw new Error(`${name}: ${run.failed} of ${run.answers} requests failed`)
        // The first one warms up.
        if (round > 0) runs[i]!.push({ ...run, cpuUs: ((cpuOf(side) - before) * 1e6) / run.answers })
      }
    measured.push({
      name,
      runs: runs.map((of) => ({ ...medianRun(of), cpuUs: median(of.map(({ cpuUs }) => cpuUs)) })),
    })
  }
  const wholes: Awaited<ReturnType<typeof exported>>[] = []
  for (const side of sides) wholes.push(await exported(side))
  for (const { server } of sides) await server.stop()
  for (const { stop } of databases) await stop()
  const cell = ({ perSecond, p50, p99, cpuUs }: Measured) =>
    `${number(perSecond)} (${number(p50)} / ${number(p99)}; ${number(cpuUs)})`
  const larger = sizes.map((people, i) => ({ people, i })).slice(1)
  await publish(
    {
      title: `On ${engine}: ${larger.map(({ people }) => number(people)).join(' and ')} people beside ${number(sizes[0]!)}`,
      tables: [
        markdown(
          ['work, a second (p50 / p99 ms; µs of processor time each)', ...sizes.map(number)],
          [
            ...measured.map(({ name, runs }) => [name, ...runs.map(cell)]),
            ['export, first byte / whole, ms', ...wholes.map((one) => `${number(one.firstMs)} / ${number(one.allMs)}`)],
            ['size of the file, MB', ...sides.map(({ bytes }) => number(bytes / 1e6))],
            ['start, ms', ...sides.map(({ server }) => number(server.startedMs))],
          ],
        ),
      ],
      findings: larger.flatMap(({ people, i }) => [
        ...measured.flatMap(({ name, runs }) => [
          {
            name: `${name}, ${number(people)}: times as long`,
            value: runs[0]!.perSecond / runs[i]!.perSecond,
            bound: { atMost: 1.3 },
          },
          {
            name: `${name}, ${number(people)}: times the processor time`,
            value: runs[i]!.cpuUs / runs[0]!.cpuUs,
            bound: null,
          },
        ]),
        {
          name: `export, first byte, ${number(people)}: times as long`,
          value: wholes[i]!.firstMs / wholes[0]!.firstMs,
          bound: { atMost: 1.3 },
        },
      ]),
      pairs: measured.map(({ name, runs }) => ({
        name,
        unit: '/s',
        ours: runs.at(-1)!.perSecond,
        theirs: runs[0]!.perSecond,
        peer: `with ${number(sizes[0]!)}`,
      })),
      figures: { sizes, messagesEach, files: sides.map(({ bytes }) => bytes), wholes, measured },
    },
    chosen,
  )
}

if (import.meta.main) await main()
