import { afterEach } from 'bun:test'
import { type App, buildApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import type { Ids } from '../src/ids.ts'
import { listen } from '../src/listen.ts'
import { openLog } from '../src/log.ts'
import type { Pace } from '../src/redis/nodes.ts'
import { buildServices, type Services } from '../src/services.ts'
import { up } from '../src/storage/migrate.ts'
import type { Traces } from '../src/traces.ts'
import type { Storage } from '../src/storage/storage.ts'
import { engineOfApps } from './engines.ts'
import { type Db, openDatabase, sqliteStorage, withDrizzle } from '../src/storage/sqlite/storage.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepWords, refuseSecrets } from './unsaid.ts'

export type Answer = { status: number; headers: Headers; body: any; text: string }
type Call = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
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

export type TestApp = {
  app: App
  services: Services
  db: Db
  config: Config
  /** The clock; set it to move time. */
  clock: { now: number }
  /** A directory of this app's own, removed with it. */
  dataDir: string
  request(method: string, path: string, options?: { body?: unknown; headers?: Record<string, string> }): Promise<Answer>
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

const opened: TestApp[] = []
afterEach(async () => {
  for (const app of opened.splice(0).toReversed()) await app.close()
})

export const consents = { terms: true, privacy: true, disclaimer: true }
export const start = Date.UTC(2026, 10, 21, 12)
let people = 0

// Each registration costs a hash of 46 MiB: one is enough for all who only need to exist.
const sharedPassword = 'twelve green bottles'
let sharedHash: Promise<string> | null = null

type Options = {
  ids?: Ids
  databasePath?: string
  traces?: Traces
  /** Another app, whose storage, clock and directory this one shares, as another node of one service does. */
  beside?: TestApp
  /** Of what goes by REDIS_URL. */
  pace?: Pace
}

/** Where people come from. */
const address = '203.0.113.7'

function openFile(path: string, now: () => number): { storage: Storage; db: Db } {
  const client = openDatabase(path)
  up(client, { now })
  const db = withDrizzle(client)
  const storage = sqliteStorage(db, {
    onFatal(error) {
      throw error
    },
  })
  return { storage, db }
}

/**
 * A fresh app over in-memory SQLite, or over the engine that CONVENE_TEST_ENGINE names, with its own clock. It goes when the
 * test ends.
 */
export async function testApp(
  environment: Record<string, string> = {},
  { ids, databasePath = ':memory:', traces, beside, pace }: Options = {},
): Promise<TestApp> {
  const dataDir = beside?.dataDir ?? mkdtempSync(join(tmpdir(), 'convene-test-'))
  const config = readConfig({
    LOG_LEVEL: 'trace',
    RATE_LIMIT: 'off',
    DATA_DIR: dataDir,
    JWT_SECRET: 'a secret of the tests, long enough',
    LOCATION_KEY: '11'.repeat(32),
    ...environment,
  })
  const clock = beside?.clock ?? { now: start }
  const { storage, db } = beside ? { storage: beside.services.storage, db: null } : await openOwn()
  const secrets = { jwt: config.jwtSecret!, location: config.locationKey! }
  const lines: string[] = []
  const log = openLog(config, { write: (line) => void lines.push(line) })
  const shared =
    config.redis && (await (await import('../src/redis/open.ts')).openRedis(config.redis, { secrets, log, pace }))
  const services = buildServices({ config, secrets, storage, log, ids, traces, shared, now: () => clock.now })
  const app = buildApp(services)

  const kept = keepWords()

  async function openOwn() {
    if (engineOfApps.name === 'SQLite') return openFile(databasePath, () => clock.now)
    return { storage: await engineOfApps.open(), db: null }
  }

  const request: TestApp['request'] = async (method, path, { body, headers = {} } = {}) => {
    kept.url(path)
    kept.body(body)
    const raw = body === undefined || typeof body === 'string' || body instanceof FormData || body instanceof Uint8Array
    const response = await app.handle(
      new Request(`http://localhost:3000${path.startsWith('/') ? path : `/api/v1/${path}`}`, {
        method,
        body: raw ? (body as string | FormData | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body),
        headers: raw ? headers : { 'content-type': 'application/json', ...headers },
      }),
    )
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const answer = isJson && text ? JSON.parse(text) : null
    kept.body(answer)
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
    get db() {
      if (beside) return beside.db
      if (db === null) throw new Error('this test looks into SQLite itself, and runs on another engine')
      return db
    },
    config,
    clock,
    dataDir,
    request,
    as,

    async person(name = `Person ${++people}`) {
      const email = `person-${++people}@example.org`
      const id = Bun.randomUUIDv7('hex', clock.now)
      sharedHash ??= Bun.password.hash(sharedPassword, { algorithm: 'argon2id', memoryCost: 47104, timeCost: 1 })
      const client = { address, user_agent: 'test', language: 'en' }
      await storage.accounts.register(
        {
          id,
          email,
          phone: null,
          messenger_id: null,
          password_hash: await sharedHash,
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
      return listen(app, services, { host: '127.0.0.1', port: 0 })
    },

    async close() {
      if (closed) return
      closed = true
      await shared?.close()
      await app.server?.stop(true)
      if (beside) return
      await storage.close()
      rmSync(dataDir, { recursive: true, force: true })
      // The line of a request comes after its answer.
      await new Promise(setImmediate)
      refuseSecrets(lines.join(''), [...kept.words, address])
    },
  }
  opened.push(test)
  return test
}

/** The password of everybody whom `person` makes. */
export const password = sharedPassword
