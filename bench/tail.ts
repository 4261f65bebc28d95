import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { painting, pngOf } from '../test/pictures.ts'
import { type Member, seed, signIn, works } from './growth.ts'
import { percentile } from './load.ts'
import { openLoop } from './open-loop.ts'
import { bearer, dataDir, newPerson, openServices, type Person } from './ours.ts'
import { cpuSeconds, freePort } from './process.ts'
import { markdown, number, options, publish } from './report.ts'
import type { Asked, Pauses, Told } from './tail-server.ts'

const usualPeople = 20_000
const usualMessagesEach = 5
/** What the erased and exported account has written. */
const written = { chats: 100, each: 1000 }
/** How much of a core the server may use for the steady load alone. */
const half = 0.5
const uploadsPerSecond = 1
// The mix of the load before it is scaled.
const mix: Record<string, number> = { send: 300, 'list messages': 300, 'nearby, 5 km': 100 }
const warmUpMs = 1000

type Server = Awaited<ReturnType<typeof startServer>>
type Loops = { name: string; rate: number; loop: Awaited<ReturnType<typeof openLoop>> }[]
type Phase = { name: string; during(server: Server): Promise<unknown> }
type Row = Pauses & { name: string; answers: Record<string, number[]>; tookMs: number; failed: number }

/** Somebody who has written a great deal, in chats with as many others. */
async function writer(dir: string): Promise<Person> {
  const services = await openServices(dir)
  const person = await newPerson(services, 'Writer')
  const caller = await services.callers.byToken(person.token)
  for (let i = 0; i < written.chats; i++) {
    const other = await newPerson(services, `Reader ${i}`)
    const { chat } = await services.chats.ensure(caller, other.id)
    for (let n = 0; n < written.each; n += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, k) => services.chats.send(caller, chat.id, { text: `Number ${n + k}: hello` })),
      )
  }
  await services.storage.close()
  // What the retention job finds to remove.
  const db = new Database(join(dir, 'convene.db'))
  db.run(
    `UPDATE events SET at = at - 30 * 86400000
     WHERE (user_id, seq) IN (SELECT user_id, seq FROM events WHERE user_id <> ? LIMIT 300000)`,
    [person.id],
  )
  db.close()
  return person
}

/** Starts the server that can be told to run a job. */
async function startServer(dir: string, more: Record<string, string> = {}) {
  const url = new URL(`http://127.0.0.1:${freePort()}`)
  let heard = Promise.withResolvers<Told>()
  const ready = heard.promise
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'tail-server.ts')], {
    env: { ...process.env, DATA_DIR: dir, RATE_LIMIT: 'off', LOG_LEVEL: 'warn', PORT: url.port, ...more },
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: (told: Told) => heard.resolve(told),
    onExit: () => heard.reject(new Error('the server is gone')),
  })
  process.once('exit', () => child.kill('SIGKILL'))
  await ready
  const ask = (asked: Asked) => {
    heard = Promise.withResolvers<Told>()
    child.send(asked)
    return heard.promise
  }
  return {
    url,
    pid: child.pid,
    job: async (job: string) => ((await ask({ job })) as { count: number }).count,
    pauses: async () => (await ask('pause')) as Pauses,
    async stop() {
      heard.promise.catch(() => {})
      child.kill()
      await child.exited
    },
  }
}

async function loopsOf(server: Server, members: readonly Member[]): Promise<Loops> {
  return Promise.all(
    Object.entries(mix).map(async ([name, rate]) => {
      const { of } = works.find((work) => work.name === name)!
      return { name, rate, loop: await openLoop(server.url, members.map(of), 32) }
    }),
  )
}

const runAll = (loops: Loops, scale: number, seconds: number) =>
  Promise.all(loops.map(async ({ name, rate, loop }) => ({ name, found: await loop.run(rate * scale, seconds) })))

/** By how much the mix has to be multiplied for the server to use half of a core. */
async function calibrate(server: Server, loops: Loops): Promise<number> {
  let scale = 1
  for (let round = 0; round < 3; round++) {
    const before = cpuSeconds([server.pid])
    await runAll(loops, scale, 3)
    scale *= half / ((cpuSeconds([server.pid]) - before) / 3)
  }
  return scale
}

async function measure(server: Server, loops: Loops, { name, during }: Phase, scale: number, seconds: number) {
  await server.pauses()
  let tookMs = 0
  const work = Bun.sleep(warmUpMs).then(async () => {
    const began = performance.now()
    await during(server)
    tookMs = performance.now() - began
  })
  const all = await runAll(loops, scale, seconds)
  const pauses = await server.pauses()
  await work
  const failed = all.reduce((sum, { found }) => sum + found.refused * seconds + found.others, 0)
  const answers = Object.fromEntries(all.map(({ name, found }) => [name, found.ms]))
  return { name, answers, ...pauses, tookMs, failed } satisfies Row
}

async function answered(asked: Promise<Response>) {
  const response = await asked
  if (!response.ok) throw new Error(`a request of the bench was answered with ${response.status}`)
  return response.arrayBuffer()
}

/** An image as the app sends it: not larger than 2,048 pixels. */
const photo = () => pngOf(painting(3), 2048, 1536)

async function upload(server: Server, { token }: Person, image: Uint8Array<ArrayBuffer>) {
  const body = new FormData()
  body.set('file', new File([image], 'photo.png', { type: 'image/png' }))
  const headers = bearer(token)
  await answered(fetch(new URL('/api/v1/media', server.url), { method: 'POST', headers, body }))
}

export async function main() {
  const chosen = options({ seconds: 15, rounds: 1 }, ['people', 'messages-each', 'dir', 'only'])
  const people = Number(chosen.people ?? usualPeople)
  const messagesEach = Number(chosen['messages-each'] ?? usualMessagesEach)
  const dir = chosen.dir === undefined ? dataDir() : join(chosen.dir, `${people}-${messagesEach}`)
  mkdirSync(dir, { recursive: true })
  seed(dir, people, messagesEach)
  const members = await signIn(dir)
  const person = await writer(dir)
  const image = photo()

  const backups = dataDir()
  const phases: Phase[] = [
    { name: 'nothing else', during: async () => {} },
    { name: 'a backup', during: (server) => server.job('backup') },
    { name: 'retention of 300,000 events', during: (server) => server.job('old-events') },
    {
      name: 'an image of 3 megapixels a second',
      async during(server) {
        const began = performance.now()
        const uploads = []
        for (let n = 0; performance.now() - began < (chosen.seconds - 2) * 1000; n++) {
          uploads.push(upload(server, person, image))
          await Bun.sleep(Math.max(0, began + ((n + 1) * 1000) / uploadsPerSecond - performance.now()))
        }
        await Promise.all(uploads)
      },
    },
    {
      name: 'an export of 100,000 messages',
      during: (server) => answered(fetch(new URL('/api/v1/me/export', server.url), { headers: bearer(person.token) })),
    },
    {
      name: 'an erasure of 100,000 messages',
      during: (server) =>
        answered(
          fetch(new URL('/api/v1/me', server.url), {
            method: 'DELETE',
            headers: { ...bearer(person.token), 'content-type': 'application/json' },
            body: '{}',
          }),
        ),
    },
  ]
  const replicated: Phase[] = [
    { name: 'a replica', during: async () => {} },
    { name: 'a snapshot of the replica', during: (server) => server.job('snapshot') },
  ]
  const rows: Row[] = []
  const server = await startServer(dir, { BACKUP_DIR: backups })
  const loops = await loopsOf(server, members)
  const scale = await calibrate(server, loops)
  const isChosen = ({ name }: { name: string }) => name.includes(chosen.only ?? '')
  for (const phase of phases.filter(isChosen)) rows.push(await measure(server, loops, phase, scale, chosen.seconds))
  for (const { loop } of loops) loop.close()
  await server.stop()

  const withReplica = await startServer(dir, { REPLICA_URL: join(dataDir(), 'place') })
  const others = await loopsOf(withReplica, members)
  // A server that has just started compiles its code yet.
  if (replicated.some(isChosen)) await runAll(others, scale, 10)
  for (const phase of replicated.filter(isChosen))
    rows.push(await measure(withReplica, others, phase, scale, chosen.seconds))
  for (const { loop } of others) loop.close()
  await withReplica.stop()

  const names = Object.keys(mix)
  const cell = (ms: readonly number[]) => [0.5, 0.99, 0.999].map((q) => number(percentile(ms, q))).join(' / ')
  const rates = names.map((name) => `${number(mix[name]! * scale)} a second of “${name}”`).join(', ')
  await publish(
    {
      title: 'The tail under half load',
      tables: [
        `${rates}: what uses half of a core. p50 / p99 / p99.9, ms`,
        markdown(
          ['beside it', ...names, 'longest pause, ms', 'of its own work, ms', 'it took, s'],
          rows.map(({ name, answers, longestMs, busiestMs, tookMs }) => [
            name,
            ...names.map((kind) => cell(answers[kind]!)),
            number(longestMs),
            number(busiestMs),
            tookMs < 10 ? '–' : number(tookMs / 1000),
          ]),
        ),
      ],
      findings: [
        ...rows.map(({ name, longestMs }) => ({
          name: `longest pause of the event loop, ms: ${name}`,
          value: longestMs,
          bound: { atMost: 20 },
        })),
        {
          name: 'requests that failed',
          value: rows.reduce((sum, { failed }) => sum + failed, 0),
          bound: { atMost: 0 },
        },
      ],
      pairs: [],
      figures: { scale, rows: rows.map(({ answers: _, ...row }) => row) },
    },
    chosen,
  )
}
