import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { painting, pngOf } from '../test/pictures.ts'
import { type Member, seed, signIn, works } from './growth.ts'
import { median } from './load.ts'
import { openLoop } from './open-loop.ts'
import { bearer, dataDir, startOurs } from './ours.ts'
import { answerOf, cpuSeconds, type Server, startBare } from './process.ts'
import { markdown, number, type Options, options, publish } from './report.ts'

const usualMinutes = 120
const usualPeople = 20_000
const messagesEach = 5
/** How much of a core the server may use. */
const half = 0.5
// The mix of the load before it is scaled: reads outnumber sends, as in any community.
const mix: Record<string, number> = {
  send: 50,
  'list messages': 100,
  'list chats': 50,
  'nearby, 5 km': 30,
  sync: 50,
}
/** Requests a second to a bare Bun server, which tell how the machine itself does. */
const barePace = 50
// An access token lasts for fifteen minutes.
const sessionMs = 8 * 60_000
const lifeEveryMs = 5000
const password = 'twelve green bottles'

type Ms = { p50: number; p99: number }
type Sample = {
  minute: number
  anonymousMiB: number
  residentMiB: number
  files: number
  threads: number
  cores: number
  logMB: number
  databaseMB: number
  frames: number
  failed: number
  ms: Record<string, Ms>
}

class Failures {
  count = 0
  add(what: string): void {
    this.count++
    console.error(what)
  }
}

/** Somebody who stays for the whole time: keeps a socket, and a session that is refreshed before its token ends. */
class Resident {
  token: string
  frames = 0
  #socket: WebSocket | null = null
  #seen = 0

  constructor(
    readonly member: Member,
    readonly url: URL,
    readonly failures: Failures,
  ) {
    this.token = member.token
  }

  /** Opens a socket that carries on after the last event, and closes the one before it. */
  async connect(): Promise<void> {
    const before = this.#socket
    const since = this.#seen > 0 ? `&since=${this.#seen}` : ''
    const socket = new WebSocket(`${this.url.origin.replace('http', 'ws')}/ws?token=${this.token}${since}`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.onopen = () => resolve()
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data as string), socket)
    socket.onclose = ({ code }) => {
      reject(new Error(`a socket was closed with ${code}`))
      if (this.#socket === socket) this.failures.add(`a socket was closed with ${code}`)
    }
    await promise
    this.#socket = socket
    before?.close()
  }

  #receive(frame: { seq?: number }, socket: WebSocket) {
    // The socket before this one may still be told what both are told.
    if (frame.seq === undefined || frame.seq <= this.#seen) return
    if (this.#seen > 0 && frame.seq !== this.#seen + 1 && socket === this.#socket)
      this.failures.add(`event ${frame.seq} came after ${this.#seen}`)
    this.#seen = frame.seq
    this.frames++
  }

  async renew(): Promise<void> {
    const session = await call<Session>(this.url, 'POST', '/auth/refresh', {
      body: { refresh_token: this.member.refresh, cookies: false },
    })
    this.token = session.access_token
    this.member.refresh = session.refresh_token
    await this.connect()
  }

  close(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close()
  }
}

type Session = { access_token: string; refresh_token: string; user: { id: string } }
type Asked = { token?: string; body?: unknown; form?: FormData; answer?: number }

async function call<T>(url: URL, method: string, path: string, { token, body, form, answer }: Asked = {}): Promise<T> {
  const response = await fetch(new URL(`/api/v1${path}`, url), {
    method,
    headers: {
      ...(token === undefined ? {} : bearer(token)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
  })
  const text = await response.text()
  if (answer === undefined ? !response.ok : response.status !== answer)
    throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
  return (text === '' ? null : JSON.parse(text)) as T
}

/** An account from its registration to its erasure, with a photo, a chat and what is refused on the way. */
async function life(url: URL, n: number, friend: string, image: Uint8Array<ArrayBuffer>): Promise<void> {
  const email = `soak-${process.pid}-${n}@example.org`
  const consents = { terms: true, privacy: true, disclaimer: true }
  await call(url, 'POST', '/auth/register', { body: { email, password: 'short', name: 'Ada', consents }, answer: 422 })
  await call(url, 'POST', '/auth/register', { body: { email, password, name: 'Ada', consents } })
  await call(url, 'POST', '/auth/login', { body: { email, password: `not ${password}` }, answer: 401 })
  const { access_token: token } = await call<Session>(url, 'POST', '/auth/login', { body: { email, password } })
  await call(url, 'PUT', '/me/location', { token, body: { latitude: 56.95, longitude: 24.1 } })
  const form = new FormData()
  form.set('file', new File([image], 'photo.png', { type: 'image/png' }))
  const photo = await call<{ id: string }>(url, 'POST', '/media', { token, form })
  const { id } = await call<{ id: string }>(url, 'POST', '/chats', { token, body: { user_id: friend } })
  await call(url, 'POST', `/chats/${id}/messages`, { token, body: { kind: 'photo', photo: photo.id } })
  await call(url, 'POST', `/chats/${id}/messages`, { token, body: {}, answer: 422 })
  await call(url, 'GET', '/chats/none/messages', { token, answer: 404 })
  await call(url, 'GET', '/me/export', { token })
  await call(url, 'POST', '/auth/logout', { token })
  const again = await call<Session>(url, 'POST', '/auth/login', { body: { email, password } })
  await call(url, 'DELETE', '/me', { token: again.access_token, body: { password } })
}

/** Does something over and over, beginning at that pace, until it is stopped. */
function every(ms: number, failures: Failures, work: (n: number) => Promise<void>) {
  const running = new Set<Promise<void>>()
  let n = 0
  const timer = setInterval(() => {
    const one = work(n++)
      .catch((error: Error) => failures.add(error.message))
      .finally(() => running.delete(one))
    running.add(one)
  }, ms)
  return async () => {
    clearInterval(timer)
    await Promise.all(running)
  }
}

/** What the kernel says of a process. */
function processOf({ pid }: Server) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1])
  return {
    anonymousMiB: field('RssAnon') / 1024,
    residentMiB: field('VmRSS') / 1024,
    threads: field('Threads'),
    files: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** Half load for a long time: memory, open files, threads and latencies have to stay where they are after a start. */
export async function main() {
  const chosen = options({ seconds: 60, rounds: 1 }, ['minutes', 'people', 'dir'])
  const minutes = Number(chosen.minutes ?? usualMinutes)
  const people = Number(chosen.people ?? usualPeople)
  const dir = chosen.dir === undefined ? dataDir() : join(chosen.dir, `${people}-${messagesEach}`)
  mkdirSync(dir, { recursive: true })
  seed(dir, people, messagesEach)
  const members = await signIn(dir)
  const server = await startOurs(dir)
  const failures = new Failures()
  const residents = members.map((member) => new Resident(member, server.url, failures))
  for (let i = 0; i < residents.length; i += 20)
    await Promise.all(residents.slice(i, i + 20).map((one) => one.connect()))

  const requests = (name: string) => {
    const { of } = works.find((work) => work.name === name)!
    return residents.map(({ member, token }, i) => of({ ...member, token }, i))
  }
  const loops = await Promise.all(
    Object.entries(mix).map(async ([name, rate]) => ({
      name,
      rate,
      loop: await openLoop(server.url, requests(name), 16),
    })),
  )
  const path = '/api/v1/me'
  const bare = await startBare(await answerOf(server.url, path, bearer(members[0]!.token)))
  const bareLoop = await openLoop(bare.url, [{ path: '/answer' }], 16)

  async function run(scale: number, seconds: number): Promise<Record<string, Ms>> {
    for (const { name, loop } of loops) loop.ask(requests(name))
    const all = await Promise.all([
      ...loops.map(async ({ name, rate, loop }) => ({ name, found: await loop.run(rate * scale, seconds) })),
      bareLoop.run(barePace, seconds).then((found) => ({ name: 'bare Bun', found })),
    ])
    for (const { name, found } of all.filter(({ name }) => name !== 'bare Bun')) {
      const failed = Math.round(found.refused * seconds) + found.others
      for (let i = 0; i < failed; i++) failures.add(`${name}: refused or lost`)
    }
    return Object.fromEntries(
      all.map(({ name, found }) => [name, { p50: found.accepted.p50, p99: found.accepted.p99 }]),
    )
  }

  let scale = 1
  for (let round = 0; round < 3; round++) {
    const before = cpuSeconds([server.pid])
    await run(scale, 5)
    scale *= half / ((cpuSeconds([server.pid]) - before) / 5)
  }

  const image = pngOf(painting(3), 1024, 768)
  const stops = [
    every(lifeEveryMs, failures, (n) => life(server.url, n, members[n % members.length]!.user, image)),
    every(sessionMs / residents.length, failures, (n) => residents[n % residents.length]!.renew()),
  ]
  const size = (file: string) => (statSync(join(dir, file), { throwIfNoEntry: false })?.size ?? 0) / 1e6
  const samples: Sample[] = []
  for (let minute = 1; minute <= minutes; minute++) {
    const before = { cpu: cpuSeconds([server.pid]), at: performance.now(), failed: failures.count, frames: framesOf() }
    const ms = await run(scale, chosen.seconds)
    samples.push({
      minute,
      ...processOf(server),
      cores: (cpuSeconds([server.pid]) - before.cpu) / ((performance.now() - before.at) / 1000),
      logMB: size('convene.db-wal'),
      databaseMB: size('convene.db'),
      frames: framesOf() - before.frames,
      failed: failures.count - before.failed,
      ms,
    })
    console.error(JSON.stringify(samples.at(-1)))
  }
  function framesOf() {
    return residents.reduce((sum, { frames }) => sum + frames, 0)
  }

  await Promise.all(stops.map((stop) => stop()))
  for (const one of residents) one.close()
  for (const { loop } of loops) loop.close()
  bareLoop.close()
  await server.stop()
  await bare.stop()
  await report(samples, scale, failures, { ...chosen, minutes })
}

const parts = 12

async function report(
  samples: readonly Sample[],
  scale: number,
  failures: Failures,
  chosen: Options & { minutes: number },
) {
  const names = Object.keys(samples[0]!.ms)
  // The medians of twelve equal parts of the time, so that a minute that was disturbed counts for one.
  const size = Math.max(1, Math.ceil(samples.length / parts))
  const rows = Array.from({ length: Math.ceil(samples.length / size) }, (_, i) => {
    const those = samples.slice(i * size, (i + 1) * size)
    const of = (value: (sample: Sample) => number) => median(those.map(value))
    return {
      until: those.at(-1)!.minute,
      anonymousMiB: of(({ anonymousMiB }) => anonymousMiB),
      residentMiB: of(({ residentMiB }) => residentMiB),
      files: of(({ files }) => files),
      threads: of(({ threads }) => threads),
      cores: of(({ cores }) => cores),
      logMB: Math.max(...those.map(({ logMB }) => logMB)),
      databaseMB: those.at(-1)!.databaseMB,
      frames: of(({ frames }) => frames),
      ms: Object.fromEntries(
        names.map((name) => [name, { p50: of(({ ms }) => ms[name]!.p50), p99: of(({ ms }) => ms[name]!.p99) }]),
      ),
    }
  })
  // The first part warms up.
  const first = rows[Math.min(1, rows.length - 1)]!
  const last = rows.at(-1)!
  const growth = (of: (row: (typeof rows)[number]) => number) => of(last) / of(first)
  const rates = Object.entries(mix).map(([name, rate]) => `${number(rate * scale)} of “${name}”`)
  await publish(
    {
      title: `A soak of ${number(chosen.minutes)} minutes at half load`,
      tables: [
        `A second: ${rates.join(', ')}; ${number(median(samples.map(({ frames }) => frames)) / chosen.seconds)} events to sockets. p50 / p99, ms`,
        markdown(
          ['until minute', 'memory, MiB (anonymous)', 'open files', 'threads', 'cores', 'file / log, MB', ...names],
          rows.map(({ until, residentMiB, anonymousMiB, files, threads, cores, databaseMB, logMB, ms }) => [
            String(until),
            `${number(residentMiB)} (${number(anonymousMiB)})`,
            number(files),
            number(threads),
            number(cores),
            `${number(databaseMB)} / ${number(logMB)}`,
            ...names.map((name) => `${number(ms[name]!.p50)} / ${number(ms[name]!.p99)}`),
          ]),
        ),
      ],
      findings: [
        {
          name: 'anonymous memory, last part ÷ second',
          value: growth(({ anonymousMiB }) => anonymousMiB),
          bound: { atMost: 1.1 },
        },
        { name: 'open files, last part − second', value: last.files - first.files, bound: { atMost: 10 } },
        { name: 'threads, last part − second', value: last.threads - first.threads, bound: { atMost: 2 } },
        ...names.flatMap((name) => [
          {
            name: `${name}: p50, last part ÷ second`,
            value: growth(({ ms }) => ms[name]!.p50),
            bound: name === 'bare Bun' ? null : { atMost: 1.3 },
          },
          {
            name: `${name}: p99, last part ÷ second`,
            value: growth(({ ms }) => ms[name]!.p99),
            bound: name === 'bare Bun' ? null : { atMost: 1.3 },
          },
        ]),
        { name: 'requests and sockets that failed', value: failures.count, bound: { atMost: 0 } },
      ],
      pairs: [],
      figures: { scale, samples },
    },
    chosen,
  )
}
