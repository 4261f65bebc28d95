import { type Greeting, listeners } from './listeners.ts'
import { percentile } from './load.ts'
import { bearer, dataDir, pairs, startOurs, text } from './ours.ts'
import { family, proportionalMemory, type Server, startBare } from './process.ts'
import { markdown, number, options, publish } from './report.ts'
import { socketPeers } from './socket-peers.ts'

/** Sends a second of people without sockets, while all the others come back. */
const pace = 50
// A process may have 20,000 open files where nothing else is set.
const usualSockets = 16_000
const senders = 20
// What is set up for sockets at all, and what garbage is collected of opening them, is no cost of one that is open.
const settleMs = 12_000

/** A server that keeps sockets open, one for each of its URLs. */
type Contender = {
  name: string
  startServer(): Promise<Server>
  /** Of the sockets: as they open first, and as they come back after a restart. */
  urls(server: Server, when: 'first' | 'again'): string[]
  greeting: Greeting
  /** The request of the n-th sender: one that is stored and pushed where the server does that. */
  send(server: Server, n: number): Request
}

type Idle = { first: number; all: number; between: number; mapped: number }

/**
 * KiB of the server’s processes for each idle socket: of the first quarter, of all, and of those from a quarter to all, among
 * which nothing is shared any more. Pages of files count apart: a server that reads from a file maps what it has read of it.
 */
async function idleCost(server: Server, urls: readonly string[], greeting: Greeting): Promise<Idle> {
  const quarter = urls.slice(0, urls.length / 4)
  const used = () => proportionalMemory(family(server.pid))
  const before = used()
  const some = await listeners(quarter, greeting)
  await Bun.sleep(settleMs)
  const withSome = used()
  const rest = await listeners(urls.slice(quarter.length), greeting)
  await Bun.sleep(settleMs)
  const withAll = used()
  await some.close()
  await rest.close()
  const each = (mebibytes: number, sockets: number) => (mebibytes * 1024) / sockets
  return {
    first: each(withSome.own - before.own, quarter.length),
    all: each(withAll.own - before.own, urls.length),
    between: each(withAll.own - withSome.own, urls.length - quarter.length),
    mapped: each(withAll.mapped - before.mapped, urls.length),
  }
}

type Return = { seconds: number; refused: Record<string, number>; sendMs: number[]; refusedSends: number }

/** Everybody comes back at once, each with what they know; others send meanwhile. */
async function comeBack(server: Server, { urls, greeting, send }: Contender): Promise<Return> {
  const back = await listeners([], { ...greeting })
  let isOver = false
  const sendMs: number[] = []
  let refusedSends = 0
  const running = new Set<Promise<void>>()
  const sendOne = async (n: number) => {
    const began = performance.now()
    const response = await fetch(send(server, n))
    await response.arrayBuffer()
    if (response.status === 503) refusedSends++
    else if (!response.ok) throw new Error(`a send was answered with ${response.status}`)
    sendMs.push(performance.now() - began)
  }
  // Those who send have a connection each already: what the kernel makes new ones wait for while it is flooded is not
  // what is measured.
  for (let n = 0; n < 3; n++) await Promise.all(Array.from({ length: senders }, (_, i) => sendOne(i)))
  const sending = (async () => {
    const began = performance.now()
    for (let n = 0; !isOver; n++) {
      await Bun.sleep(Math.max(0, began + (n * 1000) / pace - performance.now()))
      const sent = sendOne(n).finally(() => running.delete(sent))
      running.add(sent)
    }
    await Promise.all(running)
  })()
  await Bun.sleep(2000)
  sendMs.length = 0
  const { ms, refused } = await back.comeBack(urls(server, 'again'))
  isOver = true
  await sending
  await back.close()
  return { seconds: ms / 1000, refused, sendMs, refusedSends }
}

async function ours(dir: string, sockets: number): Promise<Contender> {
  const all = await pairs(dir, sockets / 2 + senders)
  const everybody = all.slice(senders).flatMap(({ a, b }) => [a, b])
  return {
    name: 'Convene',
    startServer: () => startOurs(dir),
    // With 0, each is sent the event of the chat that they have.
    urls: ({ url }, when) =>
      everybody.map(
        ({ token }) => `${url.origin.replace('http', 'ws')}/ws?token=${token}${when === 'again' ? '&since=0' : ''}`,
      ),
    greeting: { awaitsFrame: true },
    send(server, n) {
      const { id, a } = all[n % senders]!
      return new Request(new URL(`/api/v1/chats/${id}/messages`, server.url).href, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(a.token) },
        body: JSON.stringify({ text: text(n, 1) }),
      })
    },
  }
}

/** Ids of the same length as ours. */
const names = (sockets: number) => Array.from({ length: sockets }, (_, i) => String(i).padStart(36, '0'))

const bare = (sockets: number): Contender => ({
  name: 'bare Bun',
  startServer: () => startBare({ status: 200, headers: {}, body: '' }, '{}'),
  urls: ({ url }) => names(sockets).map((id) => `${url.origin.replace('http', 'ws')}/ws/${id}`),
  greeting: {},
  send: (server, n) =>
    new Request(new URL(`/publish/${n % senders}`, server.url).href, { method: 'POST', body: text(n, 1) }),
})

const peers = (sockets: number): Contender[] =>
  socketPeers().map(({ socketUrl, publishTo, ...peer }) => ({
    ...peer,
    urls: (server) => names(sockets).map((id) => socketUrl(server, id)),
    send(server, n) {
      const { url, body } = publishTo(server, String(n % senders))
      return new Request(url.href, { method: 'POST', body })
    },
  }))

type Measured = { name: string; idle: Idle; returned: Return }

async function measure(contender: Contender): Promise<Measured> {
  const first = await contender.startServer()
  const idle = await idleCost(first, contender.urls(first, 'first'), { ...contender.greeting, awaitsFrame: false })
  await first.stop()
  const again = await contender.startServer()
  const returned = await comeBack(again, contender)
  await again.stop()
  return { name: contender.name, idle, returned }
}

export async function main() {
  const chosen = options({ seconds: 0, rounds: 1 }, ['sockets', 'peers'])
  const sockets = Number(chosen.sockets ?? usualSockets)
  const measured: Measured[] = []
  const chosenPeers = peers(sockets).filter(({ name }) => chosen.peers === undefined || chosen.peers.includes(name))
  for (const contender of [await ours(dataDir(), sockets), bare(sockets), ...chosenPeers]) {
    console.error(`Measuring ${contender.name} …`)
    measured.push(await measure(contender))
  }
  const { idle, returned } = measured[0]!
  const { busy = 0, ...others } = returned.refused
  const wrong = Object.values(others).reduce((sum, count) => sum + count, 0)
  const p99 = ({ returned }: Measured) => percentile(returned.sendMs, 0.99)
  const row = (name: string, of: (one: Measured) => number) => [name, ...measured.map((one) => number(of(one)))]
  await publish(
    {
      title: `Sockets: ${number(sockets)} people with one each`,
      tables: [
        markdown(
          ['', ...measured.map(({ name }) => name)],
          [
            row(`KiB for each of the first ${number(sockets / 4)}`, ({ idle }) => idle.first),
            row(`KiB for each of all ${number(sockets)}`, ({ idle }) => idle.all),
            row(`KiB for each from ${number(sockets / 4)} to ${number(sockets)}`, ({ idle }) => idle.between),
            row('the same, mapped of files', ({ idle }) => idle.mapped),
            row('seconds until all are back', ({ returned }) => returned.seconds),
            row('p99 of others’ sends meanwhile, ms', p99),
            row('connections refused or lost meanwhile', ({ returned }) =>
              Object.values(returned.refused).reduce((sum, count) => sum + count, 0),
            ),
          ],
        ),
        `Convene refused ${number(busy)} with \`busy\` and a Retry-After, and ${number(wrong)} otherwise.`,
      ],
      findings: [
        { name: 'KiB for an idle socket, of all', value: idle.all, bound: { atMost: 5 } },
        { name: 'KiB for an idle socket ÷ bare Bun’s', value: idle.all / measured[1]!.idle.all, bound: null },
        { name: 's until all are back', value: returned.seconds, bound: { atMost: 60 } },
        { name: 'refusals but busy', value: wrong, bound: { atMost: 0 } },
        { name: 'others’ sends refused as busy meanwhile', value: returned.refusedSends, bound: { atMost: 0 } },
        { name: 'p99 of others’ sends meanwhile, ms', value: p99(measured[0]!), bound: { atMost: 50 } },
      ],
      pairs: [],
      figures: measured,
    },
    chosen,
  )
}
