import { listeners } from './listeners.ts'
import { percentile } from './load.ts'
import { bearer, dataDir, type Pair as Couple, pairs, startOurs, text } from './ours.ts'
import { memory, type Server, startBare } from './process.ts'
import { markdown, number, options, publish } from './report.ts'

/** Sends a second of people without sockets, while all the others come back. */
const pace = 50
// A process may have 20,000 open files where nothing else is set.
const usualSockets = 16_000
const senders = 20
// What is set up for sockets at all, and what garbage is collected of opening them, is no cost of one that is open.
const settleMs = 12_000

const socketUrl = (server: Server, token: string, since?: number) =>
  `${server.url.origin.replace('http', 'ws')}/ws?token=${token}${since === undefined ? '' : `&since=${since}`}`

type Idle = { first: number; all: number; between: number }

/**
 * KiB of the process for each idle socket: of the first quarter, of all, and of those from a quarter to all, among which
 * nothing is shared any more.
 */
async function idleCost(server: Server, urls: readonly string[]): Promise<Idle> {
  const quarter = urls.slice(0, urls.length / 4)
  const before = memory(server.pid).now
  const some = await listeners(quarter)
  await Bun.sleep(settleMs)
  const withSome = memory(server.pid).now
  const rest = await listeners(urls.slice(quarter.length))
  await Bun.sleep(settleMs)
  const withAll = memory(server.pid).now
  await some.close()
  await rest.close()
  const each = (mebibytes: number, sockets: number) => (mebibytes * 1024) / sockets
  return {
    first: each(withSome - before, quarter.length),
    all: each(withAll - before, urls.length),
    between: each(withAll - withSome, urls.length - quarter.length),
  }
}

type Return = { seconds: number; refused: Record<string, number>; sendMs: number[]; refusedSends: number }

/** Everybody comes back at once, each with what they know; others send meanwhile. */
async function comeBack(server: Server, urls: readonly string[], couples: readonly Couple[]): Promise<Return> {
  const back = await listeners([])
  let isOver = false
  const sendMs: number[] = []
  let refusedSends = 0
  const running = new Set<Promise<void>>()
  const send = async (n: number) => {
    const { id, a } = couples[n % couples.length]!
    const began = performance.now()
    const response = await fetch(new URL(`/api/v1/chats/${id}/messages`, server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(a.token) },
      body: JSON.stringify({ text: text(n, 1) }),
    })
    await response.arrayBuffer()
    if (response.status === 503) refusedSends++
    else if (response.status !== 201) throw new Error(`a send was answered with ${response.status}`)
    sendMs.push(performance.now() - began)
  }
  // Those who send have a connection each already: what the kernel makes new ones wait for while it is flooded is not
  // what is measured.
  for (let n = 0; n < 3; n++) await Promise.all(couples.map((_, i) => send(i)))
  const sending = (async () => {
    const began = performance.now()
    for (let n = 0; !isOver; n++) {
      await Bun.sleep(Math.max(0, began + (n * 1000) / pace - performance.now()))
      const sent = send(n).finally(() => running.delete(sent))
      running.add(sent)
    }
    await Promise.all(running)
  })()
  await Bun.sleep(2000)
  sendMs.length = 0
  const { ms, refused } = await back.comeBack(urls)
  isOver = true
  await sending
  await back.close()
  return { seconds: ms / 1000, refused, sendMs, refusedSends }
}

export async function main() {
  const chosen = options({ seconds: 0, rounds: 1 }, ['sockets'])
  const sockets = Number(chosen.sockets ?? usualSockets)
  const dir = dataDir()
  const all = await pairs(dir, sockets / 2 + senders)
  const couples = all.slice(senders)
  const everybody = couples.flatMap(({ a, b }) => [a, b])

  const first = await startOurs(dir)
  const ours = await idleCost(
    first,
    everybody.map(({ token }) => socketUrl(first, token)),
  )
  const peak = memory(first.pid).peak
  await first.stop()
  const bare = await startBare({ status: 200, headers: {}, body: '' })
  const theirs = await idleCost(
    bare,
    everybody.map(({ id }) => `${bare.url.origin.replace('http', 'ws')}/ws/${id}`),
  )
  await bare.stop()

  // With 0, each is sent the event of the chat that they have.
  const again = await startOurs(dir)
  const returned = await comeBack(
    again,
    everybody.map(({ token }) => socketUrl(again, token, 0)),
    all.slice(0, senders),
  )
  await again.stop()

  const { busy = 0, ...others } = returned.refused
  const wrong = Object.values(others).reduce((sum, count) => sum + count, 0)
  const row = (name: string, of: (idle: Idle) => number) => [name, number(of(ours)), number(of(theirs))]
  await publish(
    {
      title: `Sockets: ${number(sockets)} people with one each`,
      tables: [
        markdown(
          ['KiB of the process for an idle socket', 'Convene', 'bare Bun, one topic each'],
          [
            row(`of the first ${number(sockets / 4)}`, ({ first }) => first),
            row(`of all ${number(sockets)}`, ({ all }) => all),
            row(`of each from ${number(sockets / 4)} to ${number(sockets)}`, ({ between }) => between),
          ],
        ),
        `At most ${number(peak)} MiB while they came one after the other. After a restart, all came back at once, each with \`since\`: ` +
          `${number(returned.seconds)} s until the last one was served; ${number(busy)} answers of \`busy\` with a Retry-After, ${number(wrong)} other refusals.`,
      ],
      findings: [
        { name: 'KiB for an idle socket, of all', value: ours.all, bound: { atMost: 5 } },
        { name: 'KiB for an idle socket ÷ bare Bun’s', value: ours.all / theirs.all, bound: null },
        { name: 's until all are back', value: returned.seconds, bound: { atMost: 60 } },
        { name: 'refusals but busy', value: wrong, bound: { atMost: 0 } },
        { name: 'others’ sends refused as busy meanwhile', value: returned.refusedSends, bound: { atMost: 0 } },
        { name: 'p99 of others’ sends meanwhile, ms', value: percentile(returned.sendMs, 0.99), bound: { atMost: 50 } },
      ],
      pairs: [],
      figures: { ours, bare: theirs, peak, returned },
    },
    chosen,
  )
}
