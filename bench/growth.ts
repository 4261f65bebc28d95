import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { cities } from '../src/seed/cities.ts'
import { load, medianRun, noWrk, type Request, type Run, wrk } from './load.ts'
import { bearer, dataDir, openServices, startOurs, text } from './ours.ts'
import { markdown, number, options, publish } from './report.ts'

const sizes = { small: 10_000, large: 1_000_000 }
/** Members of as many chats ask, spread over all of them. */
const members = 1000

type Member = { user: string; chat: string; token: string }
type Work = { name: string; of(member: Member, i: number): Request }

const json = { 'content-type': 'application/json' }
const works: Work[] = [
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
  {
    name: 'nearby, 5 km',
    of({ token }, i) {
      const { latitude, longitude } = cities[0]!
      // A street further on each time.
      const place = `lat=${(latitude + (i % 32) * 0.001).toFixed(4)}&lng=${(longitude + (i >> 5) * 0.001).toFixed(4)}`
      return { path: `/api/v1/search/nearby?${place}&radius=5000&limit=50`, headers: bearer(token) }
    },
  },
]

/** As many people and messages, and sessions of some of them. */
async function fill(dir: string, people: number): Promise<Member[]> {
  const command = [process.execPath, join(import.meta.dir, '../src/main.ts'), 'seed']
  const seeded = Bun.spawnSync([...command, '--users', `${people}`, '--messages', `${people}`], {
    env: { ...process.env, DATA_DIR: dir },
    stderr: 'inherit',
  })
  if (seeded.exitCode !== 0) throw new Error('convene seed failed')
  const db = new Database(join(dir, 'convene.db'), { readonly: true })
  const chats = db
    .query<{ chat: string; user: string }, [number]>(
      `SELECT id AS chat, user_a AS user FROM chats
       WHERE rowid % max(1, (SELECT max(rowid) FROM chats) / ?) = 0 AND last_msg_at IS NOT NULL`,
    )
    .all(members)
  db.close()
  const services = await openServices(dir)
  const client = { address: '127.0.0.1', user_agent: 'bench', language: 'en' }
  const found = await Promise.all(
    chats.map(async (one) => ({ ...one, token: (await services.auth.begin(one.user, client)).access_token })),
  )
  await services.storage.close()
  return found
}

/** The same requests to a server with ten thousand people and messages and one with a million, in turns. */
export async function main() {
  const chosen = options({ seconds: 4, rounds: 3 })
  if (!wrk()) throw new Error(noWrk)
  const sides = await Promise.all(
    Object.values(sizes).map(async (people) => {
      const dir = dataDir()
      console.error(`Filling a database with ${number(people)} people …`)
      const asking = await fill(dir, people)
      return { server: await startOurs(dir), asking }
    }),
  )
  const measured: { name: string; small: Run; large: Run; ratio: number }[] = []
  for (const { name, of } of works) {
    const runs: Run[][] = sides.map(() => [])
    for (let round = 0; round <= chosen.rounds; round++)
      for (const [i, { server, asking }] of sides.entries()) {
        const run = await load(server.url, asking.map(of), { seconds: chosen.seconds })
        if (run.failed > 0) throw new Error(`${name}: ${run.failed} of ${run.answers} requests failed`)
        // The first one warms up.
        if (round > 0) runs[i]!.push(run)
      }
    const [small, large] = runs.map(medianRun)
    measured.push({ name, small: small!, large: large!, ratio: small!.perSecond / large!.perSecond })
  }
  for (const { server } of sides) await server.stop()
  const times = ({ perSecond, p50, p99 }: Run) => `${number(perSecond)} (${number(p50)} / ${number(p99)})`
  await publish(
    {
      title: `${number(sizes.large)} users and messages beside ${number(sizes.small)}`,
      tables: [
        markdown(
          ['work, a second (p50 / p99 ms)', number(sizes.small), number(sizes.large), 'times as long'],
          measured.map(({ name, small, large, ratio }) => [name, times(small), times(large), number(ratio)]),
        ),
      ],
      findings: measured.map(({ name, ratio }) => ({ name, value: ratio, bound: { atMost: 1.3 } })),
      pairs: measured.map(({ name, small, large }) => ({
        name,
        unit: '/s',
        ours: large.perSecond,
        theirs: small.perSecond,
        peer: `with ${number(sizes.small)}`,
      })),
      figures: measured,
    },
    chosen,
  )
}

if (import.meta.main) await main()
