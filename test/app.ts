import { documentedIn } from './documented.ts'
import { afterEach } from 'bun:test'
import { type App, buildApp } from '../src/app.ts'
import type { HashCost } from '../src/features/auth/passwords.ts'
import { anybody } from '../src/features/registration/rules.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Ids } from '../src/lib/ids.ts'
import { listen } from '../src/listen.ts'
import { openLog } from '../src/telemetry/log.ts'
import type { Providers } from '../src/features/notifications/providers.ts'
import type { Outbound } from '../src/lib/outbound.ts'
import type { Pace } from '../src/redis/nodes.ts'
import { buildServices, type Services } from '../src/services.ts'
import { traced, type Traces } from '../src/telemetry/traces.ts'
import type { Db } from '../src/storage/sqlite/storage.ts'
import type { Chat } from './answers.ts'
import {
  areThreads,
  engineOfApps,
  nodesOfApps,
  type Opened,
  openSqliteAt,
  type Remembered,
  type Rows,
} from './engines.ts'
import { peerOf } from '../src/workers/front.ts'
import { startNginx } from './nginx.ts'
import { fetchAny } from './workers.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepWords, refuseSecrets } from './unsaid.ts'

/** What a route answered. Name its type, as in `get<Chat>`: without one nothing checks how the body is read. */
export type Answer<Body = any> = { status: number; headers: Headers; body: Body; text: string }
type Call = <Body = any>(path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer<Body>>
export type Person = {
  id: string
  token: string
  refresh: string
  name: string
  email: string
  get: Call
  post: Call
  put: Call
  delete: Call
}

type Node = { app: App; services: Services }

export type TestApp = Node & {
  /** All nodes that answer its requests, of which `app` and `services` are the first. */
  nodes: readonly Node[]
  rows: Rows
  /** SQLite itself. Throws on another engine. */
  db: Db
  config: Config
  /** The clock; set it to move time. */
  clock: { now: number }
  /** A directory of this app's own, removed with it. */
  dataDir: string
  /** Makes every node look up anew who that user is, after rows of theirs were changed beside the product. */
  forget(userId: string): void
  /** A chat in which both have written, without messages and their events; answers its id. */
  met(one: Person, other: Person): Promise<string>
  /** Remembers every row, to bring it all back as it is now. */
  remember(): Promise<Remembered>
  request<Body = any>(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Answer<Body>>
  /** Registers somebody and signs them in. */
  person(name?: string): Promise<Person>
  /** The requests of whoever holds that token. */
  as(token: string): Pick<Person, 'get' | 'post' | 'put' | 'delete'>
  /** All that it has logged, which `close` searches for secrets and for what was sent and answered in confidence. */
  logged(): string
  /** Listens on a free port, for sockets and for real HTTP. Answers the base URL. */
  listen(): Promise<URL>
  close(): Promise<void>
}

const closing: (() => unknown)[] = []
// This file is preloaded: a hook of another module would only be that of the first file that imports it.
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Calls `close` when the test ends. What was opened last is closed first. */
export const endWithTest = (close: () => unknown) => void closing.push(close)

export const consents = { terms: true, privacy: true, disclaimer: true }
export const start = Date.UTC(2026, 10, 21, 12)
let people = 0

/** The password of everybody whom `person` makes. */
export const password = 'twelve green bottles'
// The recommended cost is a third of all that the tests would compute.
const cheapest: HashCost = { memoryCost: 8, timeCost: 1 }
const passwordHash = Bun.password.hashSync(password, { algorithm: 'argon2id', ...cheapest })

type Options = {
  ids?: Ids
  random?: () => number
  /** Storage that the test has opened. It is closed with the app. */
  opened?: Opened
  /** A file of SQLite, whatever the other apps run on. */
  databasePath?: string
  traces?: Traces
  /** Calls of stores are noted in the traces too, as a server does. */
  tracesStorage?: true
  /** Another app, whose storage, clock and directory this one shares, as another node of one service does. */
  beside?: TestApp
  /** Of what goes by REDIS_URL. */
  pace?: Pace
  /** Another way out, as to a server of the test whose certificate nobody else trusts. */
  outbound?: Outbound
  /** The ways to devices. */
  providers?: Providers
  /** What a password's hash costs: the least that is possible, unless a test is about the cost. */
  passwordCost?: HashCost
  /** How long after their last socket went a user is said to be offline, where a test would wait for it. */
  calmMs?: number
}

/** Where people come from. */
const address = '203.0.113.7'

/**
 * A fresh app over in-memory SQLite, or over what CONVENE_TEST_ENGINE names, with its own clock. It goes when the test ends.
 *
 * On a cluster it is three nodes: each with its own services, sockets, connections to PostgreSQL and connections to Redis,
 * and every request goes through nginx to any of them. They run in this process, as nothing else would share the clock.
 * A test that makes nodes by itself gets one at a time.
 */
export async function testApp(
  environment: Record<string, string> = {},
  {
    ids,
    random,
    opened: openedBefore,
    databasePath,
    traces,
    tracesStorage,
    beside,
    pace,
    outbound,
    providers,
    passwordCost = cheapest,
    calmMs,
  }: Options = {},
): Promise<TestApp> {
  const isSeveral = nodesOfApps > 1 && !beside && !environment.REDIS_URL && databasePath === undefined && !openedBefore
  const isCluster = isSeveral && !areThreads
  const redis = isCluster ? await import('./redis.ts') : null
  const dataDir = beside?.dataDir ?? mkdtempSync(join(tmpdir(), 'convene-test-'))
  const settings = {
    LOG_LEVEL: 'trace',
    RATE_LIMIT: 'off',
    ANONYMOUS_REVIEW_DELAY_H: '0',
    DATA_DIR: dataDir,
    JWT_SECRET: 'a secret of the tests, long enough',
    LOCATION_KEY: '11'.repeat(32),
    // No test asks the real ones.
    ...(environment.MESSENGER_BOT_TOKEN && { MESSENGER_PHOTO_HOSTS: 'photos.invalid' }),
    ...environment,
  }
  const ofProxies = `${Number(environment.TRUST_PROXY ?? 0) + 1}`
  // Its own keys in the Redis that tests share, and nginx as one proxy more.
  const ofCluster = redis && {
    REDIS_URL: redis.redisUrl,
    JWT_SECRET: settings.JWT_SECRET + crypto.randomUUID(),
    TRUST_PROXY: ofProxies,
  }
  const ofThreads = isSeveral && areThreads && { TRUST_PROXY: ofProxies }
  const read = readConfig({ ...settings, ...ofCluster, ...ofThreads })
  // On a cluster each app has a secret of its own, which one beside it shares.
  const config = beside ? { ...read, jwtSecret: beside.config.jwtSecret } : read
  const clock = beside?.clock ?? { now: start }
  const fileOfThreads = join(dataDir, 'convene.db')
  const threads =
    isSeveral && areThreads
      ? (await import('./workers.ts')).openThreads({ databasePath: fileOfThreads, now: () => clock.now })
      : null
  const own = beside ? null : await open()
  const secrets = { jwt: config.jwtSecret!, location: config.locationKey! }
  const lines: string[] = []
  const log = openLog(config, { to: { write: (line) => void lines.push(line) } })

  async function open(): Promise<Opened> {
    const now = () => clock.now
    if (openedBefore) return openedBefore
    if (threads) return openSqliteAt(fileOfThreads, now, threads)
    return databasePath === undefined ? engineOfApps.open({ now }) : openSqliteAt(databasePath, now)
  }

  async function openShared() {
    if (threads) return threads.shared
    if (!config.redis) return null
    return (await import('../src/redis/late.ts')).openShared(config.redis, { secrets, log, pace })
  }

  async function openConnections() {
    const others = Array.from({ length: isCluster ? nodesOfApps - 1 : 0 }, () => own!.another())
    const storages = [beside?.services.storage ?? own!.storage, ...(await Promise.all(others))]
    return { storages, connected: await Promise.all(storages.map(openShared)) }
  }

  // All of them first: building apps keeps the event loop busy.
  const { storages, connected } = await openConnections().catch(async (error) => {
    await own?.storage.close()
    throw error
  })
  const storage = storages[0]!
  const now = () => clock.now
  const ports = { config, secrets, log, ids, traces, outbound, providers, now, random, passwordCost, calmMs }
  const nodes = storages.map((storage, i): Node => {
    const services = buildServices({
      ...ports,
      storage: tracesStorage ? traced(storage) : storage,
      shared: connected[i],
      peerOf: threads && peerOf,
    })
    return { app: buildApp(services), services }
  })
  if (threads)
    for (let i = 1; i < nodesOfApps; i++)
      nodes.push(threads.join({ services: nodes[0]!.services, storage }, ports, tracesStorage))
  const { app, services } = nodes[0]!
  const local = { host: '127.0.0.1', port: 0 }
  const nginx = isCluster ? await startNginx(nodes.map((node) => listen(node.app, node.services, local))) : null
  const portOfThreads = threads?.listen(nodes, dataDir)

  const kept = keepWords()
  const expectDocumented = documentedIn(app)

  const request: TestApp['request'] = async (method, path, { body, headers = {} } = {}) => {
    kept.url(path)
    kept.body(body)
    const raw = body === undefined || typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array
    const url = new URL(`http://localhost:3000${path.startsWith('/') ? path : `/api/v1/${path}`}`)
    const init = {
      method,
      body: raw ? (body as string | FormData | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body),
      headers: raw ? headers : { 'content-type': 'application/json', ...headers },
    }
    const response = nginx
      ? await nginx.fetch(url, init)
      : portOfThreads
        ? await fetchAny(portOfThreads, url, init)
        : await app.handle(new Request(url.href, init))
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    const answer = isJson && text ? JSON.parse(text) : null
    kept.body(answer)
    if (answer?.type?.startsWith?.('urn:convene:problem:'))
      expectDocumented({ method, path: url.pathname, status: response.status, code: answer.code })
    return { status: response.status, headers: response.headers, body: answer, text }
  }

  const as: TestApp['as'] = (token) => {
    const call =
      (method: string): Call =>
      (path, body, headers) =>
        request(method, path, { body, headers: { authorization: `Bearer ${token}`, ...headers } })
    return { get: call('GET'), post: call('POST'), put: call('PUT'), delete: call('DELETE') }
  }

  let closed = false
  const test: TestApp = {
    app,
    services,
    nodes,
    rows: beside?.rows ?? own!.rows,
    get db() {
      if (beside) return beside.db
      if (own!.db === null) throw new Error('this test looks into SQLite itself, and runs on another engine')
      return own!.db
    },
    config,
    clock,
    dataDir,
    forget(userId) {
      for (const { services } of nodes) services.callers.forgetHere(userId)
    },
    async met(one, other) {
      const { id } = (await one.post<Chat>('chats', { user_id: other.id })).body
      await test.rows('UPDATE chats SET wrote_a = TRUE, wrote_b = TRUE WHERE id = ?', id)
      return id
    },
    remember: beside?.remember ?? own!.remember,
    request,
    as,

    async person(name = `Person ${++people}`) {
      const email = `person-${++people}@example.org`
      const id = Bun.randomUUIDv7('hex', clock.now)
      const client = { address, user_agent: 'test', language: 'en' }
      await storage.accounts.register(
        {
          id,
          email,
          phone: null,
          admission: anybody,
          messenger_id: null,
          password_hash: passwordHash,
          name,
          city: null,
          bio: null,
          gender: null,
          photo: null,
          language: 'en',
          created_at: clock.now,
        },
        services.consents.entries(id, consents, client),
      )
      const session = await services.auth.begin(id, client)
      return {
        id,
        name,
        email,
        token: session.access_token,
        refresh: session.refresh_token,
        ...as(session.access_token),
      }
    },

    logged: () => lines.join(''),

    async listen() {
      return nginx?.base ?? portOfThreads ?? listen(app, services, local)
    },

    async close() {
      if (closed) return
      closed = true
      await nginx?.stop()
      await Promise.all(nodes.map((node) => node.services.emails.settled()))
      await Promise.all(nodes.map((node) => node.services.delivery.stop(0)))
      await Promise.all(nodes.map((node) => node.services.bot.intake?.stop()))
      await Promise.all(nodes.map((node) => node.services.bot.settled()))
      await Promise.all(nodes.map((node) => node.services.shared?.close()))
      await Promise.all(nodes.map((node) => node.app.server?.stop(true)))
      if (beside) return
      if (redis) await redis.sweep(services.shared!.prefix)
      await threads?.close()
      await storage.close()
      rmSync(dataDir, { recursive: true, force: true })
      // The line of a request comes after its answer.
      await new Promise(setImmediate)
      refuseSecrets(lines.join(''), [...kept.words, address])
    },
  }
  endWithTest(() => test.close())
  return test
}
