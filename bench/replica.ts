import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDatabase, planOf } from '../src/backup/replica/build.ts'
import { replicaKey } from '../src/backup/replica/format.ts'
import { openReplica } from '../src/backup/replica/open.ts'
import { openPlace } from '../src/backup/replica/place.ts'
import { readConfig } from '../src/config.ts'
import type { Caller } from '../src/features/auth/callers.ts'
import { anybody } from '../src/features/registration/rules.ts'
import { buildServices } from '../src/services.ts'
import { openStorage } from '../src/storage/open.ts'
import { damageIn, openDatabase, openReadOnly } from '../src/storage/sqlite/database.ts'
import { openLog } from '../src/telemetry/log.ts'
import { answer, children, sendFor, variantOf } from './child.ts'
import { median } from './load.ts'
import { startOurs } from './ours.ts'
import { cpuSeconds } from './process.ts'
import { markdown, number, options, publish } from './report.ts'

const chats = 200
const concurrency = 32
const gigabyte = 2 ** 30
const key = new Uint8Array(32).fill(3)

/** `twin` is `without` once more: how far these two differ is the noise. */
const variants = ['without', 'twin', 'replica'] as const
type Variant = (typeof variants)[number]
type Answered = { sent: number; cpuUs: number; lagMs: number }

function newDirectory() {
  const dir = mkdtempSync(join(tmpdir(), 'convene-bench-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const replicaIn = (dir: string) =>
  openReplica({
    place: openPlace(join(dir, 'place')),
    placeId: 'bench',
    spool: join(dir, 'replica'),
    key,
    journal: join(dir, 'erasures.log'),
    keepDays: 7,
    log: openLog(readConfig({ LOG_LEVEL: 'silent' })),
  })

/** Chats whose members are stored, over a file of SQLite as a server has it. Sends go to the service itself, without HTTP. */
async function serve(variant: Variant) {
  const dir = newDirectory()
  const config = readConfig({ DATA_DIR: dir, RATE_LIMIT: 'off', LOG_LEVEL: 'silent' })
  const replica = variant === 'replica' ? replicaIn(dir) : null
  const { storage } = await openStorage(config.database, {
    replica: replica?.log,
    onFatal(error) {
      throw error
    },
  })
  const secrets = { jwt: new Uint8Array(32).fill(1), location: new Uint8Array(32).fill(2) }
  const services = buildServices({ config, secrets, storage, log: openLog(config), replica })
  const nothing = {
    phone: null,
    messenger_id: null,
    password_hash: null,
    city: null,
    bio: null,
    gender: null,
    photo: null,
  }
  const client = { address: '', user_agent: null, language: null }
  const person = async (): Promise<Caller> => {
    const id = Bun.randomUUIDv7()
    const account = {
      id,
      email: `${id}@example.org`,
      name: 'Ada',
      ...nothing,
      language: 'en',
      created_at: Date.now(),
      admission: anybody,
    }
    const consents = services.consents.entries(id, { terms: true, privacy: true, disclaimer: true }, client)
    await storage.accounts.register(account, consents)
    return services.callers.byToken((await services.auth.begin(id, client)).access_token)
  }
  const couples: { sender: Caller; chat: string }[] = []
  for (let i = 0; i < chats; i++) {
    const [sender, other] = [await person(), await person()]
    couples.push({ sender, chat: (await services.chats.ensure(sender, other.id)).chat.id })
  }
  let n = 0
  async function send() {
    const { sender, chat } = couples[n++ % couples.length]!
    await services.chats.send(sender, chat, { text: 'Coffee at the river?' })
  }
  answer(async (ms: number): Promise<Answered> => {
    const sent = await sendFor(ms, concurrency, send)
    const lagMs = replica?.report().lag_ms ?? 0
    // What a turn has left to ship must not run beside the next one's.
    while (replica && replica.report().waiting_bytes > 0) await Bun.sleep(20)
    if (replica) await Bun.sleep(300)
    return { ...sent, lagMs }
  })
}

/** How long a gigabyte takes: to be built from its snapshot, and to be examined. */
async function restoreOf(bytes: number): Promise<{ buildMs: number; examineMs: number; snapshotMs: number }> {
  const dir = newDirectory()
  const path = join(dir, 'data.db')
  const db = openDatabase(path)
  db.run('CREATE TABLE rows (id INTEGER PRIMARY KEY, x TEXT)')
  const insert = db.prepare('INSERT INTO rows (x) VALUES (?)')
  const add = db.transaction((count: number) => {
    // Half of it is text, half of it ids, as in messages.
    for (let i = 0; i < count; i++)
      insert.run(`${Bun.randomUUIDv7()} ${'Coffee at the river? '.repeat(3)} ${Bun.randomUUIDv7()}`)
  })
  while (statSync(path).size < bytes) {
    add(100_000)
    db.run('PRAGMA wal_checkpoint(PASSIVE)')
  }
  const replica = replicaIn(dir)
  const began = performance.now()
  await replica.log.open(path)
  await replica.log.run()
  while (replica.report().snapshot_at === null) await Bun.sleep(20)
  const snapshotMs = performance.now() - began
  await replica.log.close()
  db.close()
  await replica.close(5000)
  const place = openPlace(join(dir, 'place'))
  const target = join(dir, 'restored.db')
  const buildBegan = performance.now()
  const plan = await planOf(place, { to: null, key: replicaKey(key) })
  await buildDatabase(place, target, { plan, key: replicaKey(key) })
  const buildMs = performance.now() - buildBegan
  const examineBegan = performance.now()
  const restored = openReadOnly(target)
  if (damageIn(restored) !== null) throw new Error('what was restored is damaged')
  restored.close()
  rmSync(dir, { recursive: true, force: true })
  return { buildMs, examineMs: performance.now() - examineBegan, snapshotMs }
}

/** Milliseconds of processor time a second that servers take whom nobody asks for anything, all at the same time. */
async function idle(): Promise<Record<Variant, number>> {
  const servers = await Promise.all(
    variants.map(async (variant) => {
      const dir = newDirectory()
      const more: Record<string, string> = variant === 'replica' ? { REPLICA_URL: join(dir, 'place') } : {}
      return { variant, server: await startOurs(join(dir, 'data'), { more }) }
    }),
  )
  // What a start leaves to be done, and the first snapshot.
  await Bun.sleep(15_000)
  const seconds = 40
  const before = servers.map(({ server }) => cpuSeconds([server.pid]))
  await Bun.sleep(seconds * 1000)
  const took = servers.map(({ variant, server }, i) => {
    const cpu = cpuSeconds([server.pid]) - before[i]!
    return [variant, (cpu * 1000) / seconds] as const
  })
  for (const { server } of servers) await server.stop()
  return Object.fromEntries(took) as Record<Variant, number>
}

export async function main() {
  const chosen = options({ seconds: 2, rounds: 12 })
  const idleMs = await idle()
  const processes = await children<Variant, number, Answered>(import.meta.path, variants)
  const found: Record<Variant, Answered[]> = { without: [], twin: [], replica: [] }
  for (let round = 0; round <= chosen.rounds; round++)
    // In another order each time, as what runs beside changes slowly.
    for (const variant of round % 2 === 0 ? variants : variants.toReversed()) {
      const answer = await processes[variant].ask(chosen.seconds * 1000)
      if (round > 0) found[variant].push(answer)
    }
  for (const one of Object.values(processes)) await one.stop()
  const perSecond = (variant: Variant) => found[variant].map(({ sent }) => sent / chosen.seconds)
  const ratioTo = (variant: Variant) => median(perSecond(variant).map((figure, i) => figure / perSecond('without')[i]!))
  const row = (name: string, variant: Variant) => [
    name,
    number(median(perSecond(variant))),
    number(median(found[variant].map(({ cpuUs }) => cpuUs))),
    number(Math.max(...found[variant].map(({ lagMs }) => lagMs))),
  ]
  const { buildMs, examineMs, snapshotMs } = await restoreOf(gigabyte)
  await publish(
    {
      title: 'Replica: what it costs a send, and how long a restore takes',
      tables: [
        markdown(
          ['', 'sends a second', 'processor time of a send, µs', 'most behind at the end, ms'],
          [row('without a replica', 'without'), row('the same once more', 'twin'), row('with a replica', 'replica')],
        ),
        `With nothing to do, a server takes ${number(idleMs.without)} ms of the processor a second, the same once more ${number(idleMs.twin)}, ` +
          `with a replica ${number(idleMs.replica)}.`,
        `A gigabyte: its snapshot took ${number(snapshotMs)} ms, to build it ${number(buildMs)} ms, to examine it ${number(examineMs)} ms.`,
      ],
      findings: [
        { name: 'sends without ÷ without, which is the noise', value: ratioTo('twin'), bound: { atLeast: 0 } },
        { name: 'sends with a replica ÷ without', value: ratioTo('replica'), bound: { atLeast: 0.95 } },
        {
          name: 'idle ms a second with a replica − without',
          value: idleMs.replica - idleMs.without,
          bound: { atMost: 2 },
        },
        { name: 's to restore a gigabyte', value: (buildMs + examineMs) / 1000, bound: { atMost: 60 } },
      ],
      pairs: [],
      figures: {
        sends_per_second: Object.fromEntries(variants.map((variant) => [variant, perSecond(variant)])),
        idle_ms_per_second: idleMs,
        restore_ms: { snapshot: snapshotMs, build: buildMs, examine: examineMs },
      },
    },
    chosen,
  )
}

const variant = variantOf(variants)
if (variant) await serve(variant)
else if (import.meta.main) await main()
