import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { convene } from '../convene.ts'
import { fcmError, fcmServer } from '../fcm-server.ts'
import { withSoundCopy } from './database.ts'
import { call, chatOf, done, people, type Person } from './people.ts'
import { type Case, type Run, Skipped, until } from './run.ts'
import { canary, endAll, type Server, servicePassword, startServer } from './server.ts'
import { databaseName, freePort, owner, requirePrograms, startPostgres, startRedis } from './services.ts'
import { inject } from './strace.ts'

export const cases: Case[] = [
  {
    name: 'killed at every step: each notification at least once, and again only where its acceptance was not stored',
    run: (run) => withProvider((provider) => deaths(run, provider)),
  },
  {
    name: 'two nodes: no notification is sent by both',
    run: (run) => withProvider((provider) => twoNodes(run, provider)),
  },
]

/** What the provider does with a request that it would accept, and with the process that sent it. */
type Step = 'sent' | 'asked' | 'accepted' | 'answered' | 'hanging' | 'failing' | 'disk'
const steps: Step[] = ['sent', 'asked', 'accepted', 'answered', 'disk', 'hanging', 'failing']
const perLife = 8

type Provider = ReturnType<typeof fcmServer>

async function withProvider(work: (provider: Provider) => Promise<void>) {
  const provider = fcmServer()
  try {
    await work(provider)
  } finally {
    await endAll()
    await provider.stop()
  }
}

const settingsOf = ({ url, file }: Provider) => ({ NOTIFY_AFTER_S: '0', FCM_SERVICE_ACCOUNT: file, FCM_URL: url })

/** Texts name their number, which the notification shows. */
const textOf = (number: number) => `${canary} number ${number}.`
const numberOf = (message: object) => Number(/ number (\d+)\./.exec(JSON.stringify(message))?.[1])

type Reader = { person: Person; chat: string }

/** Each reads one message at most, so that no notification takes the place of another one. */
async function readersOf(base: URL, count: number): Promise<{ sender: Person; readers: Reader[] }> {
  const [sender, ...others] = await people(base, count + 1)
  const readers = await Promise.all(
    others.map(async (person): Promise<Reader> => {
      const { token } = person
      await done(call(base, 'PUT', 'me/notifications', { token, body: { preview: 'full', chats: false } }))
      await done(call(base, 'POST', 'me/channels', { token, body: { kind: 'fcm', token: `device-${person.number}` } }))
      return { person, chat: await chatOf(base, sender!, person) }
    }),
  )
  return { sender: sender!, readers }
}

/** Sends to a reader; false where no answer came. */
const send = async (base: URL, { token }: Person, { chat }: Reader, number: number): Promise<boolean> =>
  done(call(base, 'POST', `chats/${chat}/messages`, { token, body: { text: textOf(number) }, keepalive: false })).then(
    () => true,
    () => false,
  )

async function deaths(run: Run, provider: Provider) {
  const { random, directory, measured } = run
  const dataDir = `${directory}/data`
  const lives = run.long ? 70 : steps.length
  const settings = settingsOf(provider)
  const answered = new Set<number>()
  /** In which lives the provider has accepted each. */
  const accepted = new Map<number, number[]>()
  /** Whose acceptance is in the database. */
  const stored = new Set<number>()
  const wrong: string[] = []
  let [life, again] = [0, 0]
  const accept = (number: number) => {
    const before = accepted.get(number) ?? []
    // Not thrown: who hears it here is the provider's web server.
    if (before.includes(life)) wrong.push(`number ${number} came twice in life ${life}`)
    if (stored.has(number)) wrong.push(`number ${number} came again, although its acceptance was stored`)
    if (before.length > 0) again++
    accepted.set(number, [...before, life])
  }

  let world: Awaited<ReturnType<typeof readersOf>> | null = null
  for (; life < lives; life++) {
    provider.replyWith(() => 'hang')
    const server = await startServer(dataDir, settings)
    world ??= await readersOf(server.url, lives * perLife)
    const step = steps[life % steps.length]!
    const isTime = Promise.withResolvers<void>()
    let asked = 0
    const dying = random.integer(1, perLife)
    provider.replyWith((message) => {
      const isLast = ++asked >= dying
      if (isLast && step !== 'answered') isTime.resolve()
      if (step === 'asked' || step === 'hanging') return 'hang'
      if (step === 'failing') return fcmError(503, 'UNAVAILABLE')
      accept(numberOf(message))
      if (isLast && step === 'answered') setTimeout(isTime.resolve, random.integer(0, 300))
      return isLast && step === 'accepted' ? 'hang' : Response.json({ name: 'projects/meet-1/messages/1' })
    })
    if (step === 'disk')
      await inject(server, `pwrite64,fsync,fdatasync:signal=KILL:when=${random.integer(5, 80)}`).catch((error) => {
        if (!(error instanceof Skipped)) throw error
      })
    const first = life * perLife
    const sends = world.readers.slice(first, first + perLife).map(async (reader, i) => {
      if (await send(server.url, world!.sender, reader, first + i)) answered.add(first + i)
    })
    await Promise.race([step === 'sent' ? Promise.any(sends) : isTime.promise, server.ended()])
    if (step === 'hanging' || step === 'disk') await Bun.sleep(random.integer(0, 200))
    server.signal('SIGKILL')
    assert.equal(await server.ended(), 'SIGKILL', server.output())
    await Promise.all(sends)
    provider.replyWith(() => 'hang')
    withSoundCopy(dataDir, directory, (db) => {
      const shown = db.query<{ text: string }, []>(
        'SELECT m.text FROM shown_notifications s JOIN messages m ON m.id = s.ref',
      )
      for (const row of shown.all()) stored.add(numberOf(row))
    })
  }

  provider.replyWith((message) => {
    accept(numberOf(message))
    return Response.json({ name: 'projects/meet-1/messages/1' })
  })
  const server = await startServer(dataDir, settings)
  const retried = await convene(['outbox', 'retry', 'fcm'], { DATA_DIR: dataDir, ...settings })
  assert.equal(retried.code, 0, retried.err)
  const missing = () => [...answered].filter((number) => !accepted.has(number))
  await until('every notification to be accepted', () => missing().length === 0, 60_000).catch(() => {
    assert.deepEqual(missing(), [], 'never sent')
  })
  await server.stop()
  assert.deepEqual(wrong, [])
  measured(
    `${lives} deaths, ${answered.size} messages answered: each notification accepted at least once; ${stored.size} acceptances ` +
      `were stored before a death, and none of these came again; ${again} came again that were not stored`,
  )
}

async function twoNodes(run: Run, provider: Provider) {
  requirePrograms()
  chmodSync(run.directory, 0o711)
  const { random, directory, measured, long } = run
  const [database, redis] = await Promise.all([startPostgres(`${directory}/primary`), startRedis()])
  const shared = {
    DATABASE_URL: `postgres://${owner}:${servicePassword}@127.0.0.1:${database.port}/${databaseName}`,
    REDIS_URL: redis.url,
    MEDIA_URL: 's3://KEY:hunter2@photos?endpoint=http://127.0.0.1:1',
    JWT_SECRET: `${servicePassword}, for the tokens of all nodes`,
    LOCATION_KEY: randomBytes(32).toString('hex'),
    ...settingsOf(provider),
  }
  const start = async (name: string): Promise<Server> => {
    const home = `${directory}/${name}`
    mkdirSync(home)
    return startServer(`${home}/data`, { ...shared, PORT: `${freePort()}` }, home)
  }
  const nodes = [await start('node1'), await start('node2')] as const
  const count = long ? 300 : 60
  const { sender, readers } = await readersOf(nodes[0].url, count)
  const accepted = new Map<number, number>()
  const hanging = new Set<number>()
  const failed = new Set<number>()
  let dead = false
  provider.replyWith((message) => {
    const number = numberOf(message)
    // Each fourth is refused once.
    if (number % 4 === 0 && !failed.has(number)) {
      failed.add(number)
      return fcmError(503, 'UNAVAILABLE', undefined, { 'retry-after': '1' })
    }
    accepted.set(number, (accepted.get(number) ?? 0) + 1)
    // The answer to some does not come before the death of a node.
    if (long && !dead && random.chance(0.1)) {
      hanging.add(number)
      return 'hang'
    }
    return Response.json({ name: 'projects/meet-1/messages/1' })
  })
  await Promise.all(readers.map((reader, i) => send(nodes[i % 2]!.url, sender, reader, i)))
  if (long) {
    await until('half of it to be accepted', () => accepted.size > count / 2)
    nodes[1].signal('SIGKILL')
    await nodes[1].ended()
    dead = true
  }
  // What a dead node had taken is free after two minutes.
  await until('every notification to be accepted', () => accepted.size === count, long ? 240_000 : 60_000)
  await until('the outbox to be empty', () => isEmpty(nodes[0]), long ? 240_000 : 60_000)
  const twice = [...accepted].filter(([, times]) => times > 1).map(([number]) => number)
  if (!long) assert.deepEqual(twice, [], 'sent twice')
  const open = long ? 1 + hanging.size + 16 : 0
  assert.ok(twice.length <= open, `${twice.length} were sent twice, and ${open} at most were on their way`)
  await nodes[0].stop()
  if (!long) await nodes[1].stop()
  measured(`${count} notifications over two nodes, ${failed.size} after a failure: 0 lost, ${twice.length} twice`)
}

async function isEmpty({ url }: Server): Promise<boolean> {
  const text = await (await fetch(new URL('/metrics', url))).text()
  const waiting = [...text.matchAll(/^convene_outbox_waiting\{kind="(?:notification|fcm)"\} (\d+)/gm)]
  return waiting.every(([, count]) => count === '0')
}
