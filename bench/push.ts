import { listeners } from './listeners.ts'
import { load, median, noWrk, percentile, type Request, wrk } from './load.ts'
import { bearer, dataDir, type Pair as Couple, pairs, startOurs, text } from './ours.ts'
import { answerOf, memory, type Server, startBare } from './process.ts'
import { markdown, number, options, publish } from './report.ts'

const chats = 250
const idleSockets = 2000
const connections = 32
/** Sends a second while the time to the other's frame is taken: some tenth of what the server can do. */
const pace = 1000

const json = { 'content-type': 'application/json' }

const sendOf = ({ id }: Couple, token: string): Request => ({
  method: 'POST',
  path: `/api/v1/chats/${id}/messages`,
  headers: { ...json, ...bearer(token) },
  body: JSON.stringify({ text: text(0, 0) }),
})

const socketUrl = (server: Server, token: string) => `${server.url.origin.replace('http', 'ws')}/ws?token=${token}`

/** Frames a second that reached the sockets while wrk sent, and answers a second. */
async function framesPerSecond(server: Server, sockets: string[], requests: Request[], seconds: number) {
  const listening = await listeners(sockets)
  await load(server.url, requests, { connections, seconds: 1 })
  await Bun.sleep(200)
  const before = await listening.frames()
  const run = await load(server.url, requests, { connections, seconds })
  await Bun.sleep(300)
  const frames = (await listening.frames()) - before
  await listening.close()
  return { frames: frames / (run.answers / run.perSecond), answers: run.perSecond, perAnswer: frames / run.answers }
}

/** Milliseconds from a POST to the frame on the other's socket, at a steady pace. */
async function delays(server: Server, couples: readonly Couple[], seconds: number): Promise<number[]> {
  const sentAt = new Map<string, number>()
  const found: number[] = []
  const sockets = await Promise.all(
    couples.map(async ({ b }) => {
      const socket = new WebSocket(socketUrl(server, b.token))
      socket.onmessage = ({ data }) => {
        const arrived = performance.now()
        const { type, data: message } = JSON.parse(data as string) as {
          type: string
          data: { client_id: null; text: string }
        }
        const sent = type === 'message' ? sentAt.get(message.text) : undefined
        if (sent !== undefined) found.push(arrived - sent)
      }
      await new Promise((resolve) => (socket.onopen = resolve))
      return socket
    }),
  )
  const running = new Set<Promise<unknown>>()
  const began = performance.now()
  for (let n = 0; n < pace * seconds; n++) {
    const due = began + (n * 1000) / pace
    if (due > performance.now()) await Bun.sleep(due - performance.now())
    const couple = couples[n % couples.length]!
    const { path, headers } = sendOf(couple, couple.a.token)
    const body = text(n, 1)
    sentAt.set(body, performance.now())
    const asked = fetch(new URL(path, server.url), { method: 'POST', headers, body: JSON.stringify({ text: body }) })
      .then((response) => response.arrayBuffer())
      .finally(() => running.delete(asked))
    running.add(asked)
  }
  await Promise.all(running)
  await Bun.sleep(200)
  for (const socket of sockets) socket.close()
  return found
}

export async function main() {
  const chosen = options({ seconds: 5, rounds: 3 })
  if (!wrk()) throw new Error(noWrk)
  const dir = dataDir()
  const couples = await pairs(dir, chats)
  const ours = await startOurs(dir)
  const everybody = couples.flatMap(({ a, b }) => [a, b])
  const sends = couples.flatMap((couple) => [sendOf(couple, couple.a.token), sendOf(couple, couple.b.token)])

  // Three first ones, so that what connecting sets up once is there already.
  const warm = await listeners(everybody.slice(0, 3).map(({ token }) => socketUrl(ours, token)))
  await Bun.sleep(2000)
  const before = memory(ours.pid).now
  const idle = await listeners(
    Array.from({ length: idleSockets }, (_, i) => socketUrl(ours, everybody[i % everybody.length]!.token)),
  )
  await Bun.sleep(5000)
  const perSocket = ((memory(ours.pid).now - before) * 1024) / idleSockets
  await idle.close()
  await warm.close()
  await Bun.sleep(1000)

  const { path, headers, body } = sends[0]!
  const response = await fetch(new URL(path, ours.url), { method: 'POST', headers, body })
  const answer = await answerOf(ours.url, `${path}?limit=1`, bearer(couples[0]!.a.token))
  const sent = (await response.json()) as object
  const bare = await startBare(
    { ...answer, status: 201, body: JSON.stringify(sent) },
    JSON.stringify({ type: 'message', seq: 12_345, at: new Date().toISOString(), data: sent }),
  )
  const bareSockets = couples.flatMap((_, i) =>
    ['a', 'b'].map((side) => `${bare.url.origin.replace('http', 'ws')}/ws/${i}-${side}`),
  )
  const bareSends = couples.flatMap((_, i) =>
    ['a', 'b'].map(() => ({ method: 'POST', path: `/publish/${i}`, headers: { ...json, ...headers }, body })),
  )
  const runs = { ours: [] as number[], bare: [] as number[] }
  let perAnswer = 0
  for (let round = 0; round < chosen.rounds; round++) {
    const mine = await framesPerSecond(
      ours,
      everybody.map(({ token }) => socketUrl(ours, token)),
      sends,
      chosen.seconds,
    )
    runs.ours.push(mine.frames)
    perAnswer = mine.perAnswer
    runs.bare.push((await framesPerSecond(bare, bareSockets, bareSends, chosen.seconds)).frames)
  }
  const times = await delays(ours, couples, chosen.seconds)
  if (times.length < pace * chosen.seconds) console.error(`${pace * chosen.seconds - times.length} frames did not come`)
  await ours.stop()
  await bare.stop()

  const [mine, theirs] = [median(runs.ours), median(runs.bare)]
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)]
  await publish(
    {
      title: `Push: ${chats * 2} users in ${chats} chats, all with a socket`,
      tables: [
        markdown(
          ['', 'Convene', 'bare Bun, stores nothing'],
          [
            ['frames a second', number(mine), number(theirs)],
            ['frames for each send', number(perAnswer), '2'],
            [
              `from the POST to the other’s frame at ${pace} sends a second, p50 / p99 ms`,
              `${number(p50)} / ${number(p99)}`,
              '–',
            ],
            [`memory for each of ${number(idleSockets)} idle sockets, KiB`, number(perSocket), '–'],
          ],
        ),
      ],
      findings: [
        { name: 'frames a second ÷ bare Bun’s', value: mine / theirs, bound: { atLeast: 0.2 } },
        { name: 'POST to frame, p50 ms', value: p50, bound: { atMost: 2 } },
        { name: 'KiB for each idle socket', value: perSocket, bound: { atMost: 20 } },
      ],
      pairs: [{ name: 'frames a second', unit: '/s', ours: mine, theirs, peer: 'bare Bun' }],
      figures: {
        frames_per_second: runs,
        delay_ms: { p50, p99, samples: times.length },
        kib_per_idle_socket: perSocket,
      },
    },
    chosen,
  )
}

if (import.meta.main) await main()
