import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Member, seed, signIn, works } from './growth.ts'
import { listeners } from './listeners.ts'
import { load, median, noWrk, type Request, wrk } from './load.ts'
import { dataDir, startOurs } from './ours.ts'
import type { Server } from './process.ts'
import { markdown, number, options, publish } from './report.ts'
import { habits } from './sizing.ts'

const usualPeople = 100_000
const usualMessagesEach = 3
const cores = [2, 4, 8, 16]
/** As each person has: a phone and a computer. */
const socketsEach = 2
const millisecondsOfTick = 10

type Used = { main: number; workers: number; all: number }

/** Milliseconds that threads of a process have used: the one that writes, the workers together, and all with those of Bun. */
function used(pid: number): Used {
  const threads = readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    const stat = statOf(pid, id)
    return stat === null ? [] : [{ id, ...stat }]
  })
  const sum = (some: readonly { ms: number }[]) => some.reduce((total, { ms }) => total + ms, 0)
  return {
    main: sum(threads.filter(({ id }) => Number(id) === pid)),
    workers: sum(threads.filter(({ name }) => name === 'Worker')),
    all: sum(threads),
  }
}

function statOf(pid: number, thread: string): { name: string; ms: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    return { name, ms: (Number(fields[11]) + Number(fields[12])) * millisecondsOfTick }
  } catch {
    // It has ended meanwhile.
    return null
  }
}

/** Requests in the proportion of the habits: a mark as read costs as much as a send, and stands here as one. */
function mixOf(members: readonly Member[]): Request[] {
  const { writesForMessage, searches, messages } = habits
  const each = { send: writesForMessage, 'list messages': 1, 'list chats': 1, 'nearby, 5 km': searches / messages }
  const due = new Map(Object.keys(each).map((name) => [name, 0]))
  return members.flatMap((member, i) =>
    Object.entries(each).flatMap(([name, share]) => {
      const { of } = works.find((work) => work.name === name)!
      const owed = due.get(name)! + share
      due.set(name, owed % 1)
      return Array.from({ length: Math.floor(owed) }, () => of(member, i))
    }),
  )
}

/** Microseconds of each thread for one message, with all that goes with it. */
async function costs(
  server: Server,
  members: readonly Member[],
  seconds: number,
): Promise<Used & { perSecond: number }> {
  const mix = mixOf(members)
  const messages = (answers: number) => (answers / mix.length) * members.length
  const before = used(server.pid)
  const { answers, failed } = await load(server.url, mix, { seconds })
  if (failed > 0) throw new Error(`${failed} of ${answers} requests failed`)
  const after = used(server.pid)
  const each = (name: keyof Used) => ((after[name] - before[name]) * 1000) / messages(answers)
  return { main: each('main'), workers: each('workers'), all: each('all'), perSecond: messages(answers) / seconds }
}

/**
 * What threads that answer take off the one that writes: `WORKERS=1` beside a server without, in turns, and what as many cores
 * would carry by that.
 */
export async function main() {
  const chosen = options({ seconds: 5, rounds: 3 }, ['people', 'messages-each', 'dir'])
  const people = Number(chosen.people ?? usualPeople)
  const messagesEach = Number(chosen['messages-each'] ?? usualMessagesEach)
  if (!wrk()) throw new Error(noWrk)
  const base = chosen.dir ?? dataDir()
  const sides = []
  for (const workers of ['0', '1']) {
    const dir = join(base, `${people}-${messagesEach}${workers === '0' ? '' : '-workers'}`)
    mkdirSync(dir, { recursive: true })
    seed(dir, people, messagesEach)
    const members = await signIn(dir)
    const server = await startOurs(dir, { more: { WORKERS: workers } })
    const url = `${server.url.origin.replace('http', 'ws')}/ws?token=`
    const all = members.flatMap(({ token }) => Array.from({ length: socketsEach }, () => url + token))
    sides.push({ members, server, listening: await listeners(all), runs: [] as Awaited<ReturnType<typeof costs>>[] })
  }
  for (let round = 0; round <= chosen.rounds; round++)
    for (const { server, members, runs } of sides) {
      const run = await costs(server, members, chosen.seconds)
      // The first one warms up.
      if (round > 0) runs.push(run)
    }
  for (const { listening, server } of sides) {
    await listening.close()
    await server.stop()
  }
  const [alone, threads] = sides.map(({ runs }) => ({
    main: median(runs.map(({ main }) => main)),
    workers: median(runs.map(({ workers }) => workers)),
    all: median(runs.map(({ all }) => all)),
    perSecond: median(runs.map(({ perSecond }) => perSecond)),
  })) as [Awaited<ReturnType<typeof costs>>, Awaited<ReturnType<typeof costs>>]
  const times = (count: number) => alone.main / Math.max(threads.main, threads.workers / (count - 1))
  await publish(
    {
      title: `All cores: ${number(people)} people`,
      tables: [
        markdown(
          ['for a message, with what goes with it', 'one thread', 'WORKERS=1'],
          [
            ['µs of the thread that writes', number(alone.main), number(threads.main)],
            ['µs of the threads that answer', '–', number(threads.workers)],
            ['µs of all threads, with those of Bun', number(alone.all), number(threads.all)],
            [
              'messages a second on this machine, beside the clients',
              number(alone.perSecond),
              number(threads.perSecond),
            ],
          ],
        ),
        markdown(
          ['cores', 'WORKERS', 'times as much as one thread, by this'],
          cores.map((count) => [String(count), String(count - 1), number(times(count))]),
        ),
      ],
      findings: [{ name: 'times as much with 8 cores', value: times(8), bound: { atLeast: 3 } }],
      pairs: [],
      figures: { alone, threads },
    },
    chosen,
  )
}
