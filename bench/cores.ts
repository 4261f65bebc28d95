import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildApp } from '../src/app.ts'
import { answer, child, variantOf } from './child.ts'
import { type Member, seed, signIn, type Work, works } from './growth.ts'
import { listeners } from './listeners.ts'
import { load, median, noWrk, type Request as Asking, wrk } from './load.ts'
import { bearer, dataDir, openServices, startOurs } from './ours.ts'
import type { Server } from './process.ts'
import { markdown, number, options, publish } from './report.ts'
import { habits } from './sizing.ts'

const usualPeople = 100_000
const usualMessagesEach = 3
const cores = [2, 4, 8, 16]
/** Bytes of what would be passed between processes: a request to send with its caller, and the message with its events. */
const passed = { request: 500, reply: 900 }

/** Microseconds of the thread that everything runs on. */
function threadUs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Ticks of a hundredth of a second, in user and kernel mode.
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Microseconds of the thread for each request. */
async function costOf(server: Server, requests: readonly Asking[], seconds: number): Promise<number> {
  const before = threadUs(server.pid)
  const { answers, failed } = await load(server.url, requests, { seconds })
  if (failed > 0) throw new Error(`${failed} of ${answers} requests failed`)
  return (threadUs(server.pid) - before) / answers
}

type HopOrder = { listenAt: string } | { sendTo: string; count: number } | 'cost'

/** What it costs both sides to pass a request to another process and its result back, over a Unix socket. */
async function hop(count: number): Promise<{ asksUs: number; answersUs: number }> {
  const path = join(dataDir(), 'socket')
  const [from, to] = [
    await child<HopOrder, number>(import.meta.path, 'hop'),
    await child<HopOrder, number>(import.meta.path, 'hop'),
  ]
  await to.ask({ listenAt: path })
  // The first ones compile the code.
  await from.ask({ sendTo: path, count: count / 4 })
  await to.ask('cost')
  const asksUs = (await from.ask({ sendTo: path, count })) / count
  const answersUs = (await to.ask('cost')) / count
  await from.stop()
  await to.stop()
  return { asksUs, answersUs }
}

/** One side of it. Texts end with a line break; as many are under way as clients wait for their answers. */
function beHop() {
  const text = (bytes: number) => JSON.stringify({ id: 1, text: 'x'.repeat(bytes - 20) })
  let before = 0
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  const lines = (onLine: (line: string) => void) => {
    let rest = ''
    return (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n')
      rest = parts.pop()!
      parts.forEach(onLine)
    }
  }
  answer(async (order: HopOrder): Promise<number> => {
    if (order === 'cost') {
      const cost = used() - before
      before = used()
      return cost
    }
    if ('listenAt' in order) {
      Bun.listen<{ read(chunk: Buffer): void }>({
        unix: order.listenAt,
        socket: {
          open(socket) {
            const read = lines((line) => {
              JSON.parse(line)
              answers += `${text(passed.reply)}\n`
            })
            let answers = ''
            socket.data = {
              read(chunk) {
                read(chunk)
                socket.write(answers)
                answers = ''
              },
            }
          },
          data: (socket, chunk) => socket.data.read(chunk),
        },
      })
      return 0
    }
    const began = used()
    const done = Promise.withResolvers<void>()
    let answered = 0
    let asked = 32
    const ask = () => `${text(passed.request)}\n`
    let asks = ''
    const read = lines((line) => {
      JSON.parse(line)
      if (++answered === order.count) done.resolve()
      if (asked++ < order.count) asks += ask()
    })
    const socket = await Bun.connect({
      unix: order.sendTo,
      socket: {
        data(socket, chunk) {
          read(chunk)
          socket.write(asks)
          asks = ''
        },
      },
    })
    socket.write(ask().repeat(32))
    await done.promise
    socket.end()
    return used() - began
  })
}

type ReadOrder = { dir: string; asking: Member[] } | { name: string; ms: number }

/** Another process that reads the same file, without a connection. Answers the microseconds of each read. */
function beReader() {
  let ask: ((work: Work, i: number) => Promise<unknown>) | null = null
  answer(async (order: ReadOrder): Promise<number> => {
    if ('dir' in order) {
      const app = buildApp(await openServices(order.dir))
      ask = async ({ of }, i) => {
        const { path, headers } = of(order.asking[i % order.asking.length]!, i)
        const response = await app.handle(new Request(`http://localhost${path}`, { headers }))
        if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
        return response.text()
      }
      return 0
    }
    const work = works.find(({ name }) => name === order.name)!
    const before = process.threadCpuUsage()
    const end = performance.now() + order.ms
    let i = 0
    for (; performance.now() < end; i++) await ask!(work, i)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / i
  })
}

const reads = ['list messages', 'list chats', 'nearby, 5 km']

/**
 * What several processes on one file would carry: one of them writes, the others talk to clients, read, and pass writes on.
 * By what the thread of one process takes for each request today.
 */
export async function main() {
  const chosen = options({ seconds: 4, rounds: 3 }, ['people', 'messages-each', 'dir'])
  const people = Number(chosen.people ?? usualPeople)
  const messagesEach = Number(chosen['messages-each'] ?? usualMessagesEach)
  if (!wrk()) throw new Error(noWrk)
  const dir = chosen.dir === undefined ? dataDir() : join(chosen.dir, `${people}-${messagesEach}`)
  mkdirSync(dir, { recursive: true })
  seed(dir, people, messagesEach)
  const asking = await signIn(dir)
  const server = await startOurs(dir)
  const cost = async (requests: readonly Asking[]) => {
    await costOf(server, requests, 1)
    const rounds = []
    for (let i = 0; i < chosen.rounds; i++) rounds.push(await costOf(server, requests, chosen.seconds))
    return median(rounds)
  }
  const of = (name: string) => asking.map(works.find((work) => work.name === name)!.of)

  const alone: Record<string, number> = {}
  for (const name of ['send', ...reads]) alone[name] = await cost(of(name))
  const me = await cost(asking.map(({ token }) => ({ path: '/api/v1/me', headers: bearer(token) })))
  const socketUrl = ({ token }: Member) => `${server.url.origin.replace('http', 'ws')}/ws?token=${token}`
  const listening = await listeners(asking.map(socketUrl))
  const pushed = await cost(of('send'))
  await listening.close()

  const reader = await child<ReadOrder, number>(import.meta.path, 'reader')
  await reader.ask({ dir, asking })
  const beside: Record<string, { quiet: number; whileSending: number }> = {}
  const sendBeside: Record<string, number> = {}
  for (const name of reads) {
    await reader.ask({ name, ms: 1000 })
    const quiet = await reader.ask({ name, ms: chosen.seconds * 1000 })
    const sends = costOf(server, of('send'), chosen.seconds + 1)
    await Bun.sleep(500)
    const whileSending = await reader.ask({ name, ms: chosen.seconds * 1000 })
    sendBeside[name] = await sends
    beside[name] = { quiet, whileSending }
  }
  await reader.stop()
  await server.stop()
  const { asksUs, answersUs } = await hop(100_000)

  const { writesForMessage, searches, messages } = habits
  const searchesEach = searches / messages
  const push = Math.max(0, pushed - alone.send!)
  // What is told to the process that has the socket is passed on like an answer.
  const [event] = [answersUs]
  const readsUs = alone['list messages']! + alone['list chats']! + searchesEach * alone['nearby, 5 km']!
  const one = writesForMessage * (alone.send! + 2 * push) + readsUs
  const writer = writesForMessage * (alone.send! - me + answersUs + 2 * event)
  const others = writesForMessage * (me + asksUs + 2 * (push + event)) + readsUs
  const times = (count: number) => one / Math.max(writer, others / (count - 1))
  await publish(
    {
      title: `All cores: ${number(people)} people`,
      tables: [
        markdown(
          [
            'microseconds of the thread, each',
            'in the server',
            'in another process',
            'there, beside sends',
            'a send beside it',
          ],
          [
            ['send', number(alone.send!), '–', '–', '–'],
            ['send, with a socket of its sender', number(pushed), '–', '–', '–'],
            ['GET /me: a request without a write', number(me), '–', '–', '–'],
            ...reads.map((name) => [
              name,
              number(alone[name]!),
              number(beside[name]!.quiet),
              number(beside[name]!.whileSending),
              number(sendBeside[name]!),
            ]),
            ['passing a write on, and its answer', `${number(asksUs)} + ${number(answersUs)}`, '–', '–', '–'],
          ],
        ),
        `For each message of the habits (${writesForMessage} writes, a list of each kind, ${searchesEach} searches, two sockets): ${number(one)} µs in one process; ` +
          `${number(writer)} in the process that writes, and ${number(others)} in the others.`,
        markdown(
          ['cores', 'times as much as one process, by this model'],
          cores.map((count) => [String(count), number(times(count))]),
        ),
      ],
      findings: [{ name: 'times as much with 8 cores, by the model', value: times(8), bound: null }],
      pairs: [],
      figures: { alone, me, pushed, beside, sendBeside, asksUs, answersUs, one, writer, others },
    },
    chosen,
  )
}

const variant = variantOf(['hop', 'reader'])
if (variant === 'hop') beHop()
if (variant === 'reader') beReader()
