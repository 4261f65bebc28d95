import { test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Socket } from 'bun'
import { Redis } from 'ioredis'
import type { Pace } from '../src/redis/nodes.ts'
import type { Providers } from '../src/features/notifications/providers.ts'
import { type TestApp, testApp } from './app.ts'
import { type Client, ofType } from './socket-client.ts'
import { until } from './until.ts'

/** The Redis that tests share, each under keys of its own. */
export const redisUrl = process.env.TEST_REDIS_URL || 'redis://127.0.0.1:6379'

const isThere = await answers(redisUrl)
/** Null where a Redis answers on TEST_REDIS_URL. */
export const noRedis = isThere ? null : 'skipped: no Redis'
const isInstalled = Bun.which('redis-server') !== null

type Run = () => Promise<void>

/** A test that needs a Redis. Where none answers it says so, and is skipped. */
export const redisTest = (name: string, run: Run, timeout?: number) =>
  isThere ? test(name, run, timeout) : test.skip(`${name} (skipped: no Redis)`, run)

/** A test that starts and ends Redis servers of its own. */
export const redisServerTest = (name: string, run: Run, timeout?: number) =>
  isInstalled ? test(name, run, timeout) : test.skip(`${name} (skipped: no Redis)`, run)

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null, connectTimeout: 1000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

/** Things happen soon, so that nobody waits for them. */
export const quick: Pace = { tendMs: 50, aliveMs: 6000 }

type Setting = {
  /** Where each node finds Redis; the last one holds for all others. */
  urls?: readonly string[]
  environment?: Record<string, string>
  pace?: Pace
  calmMs?: number
  providers?: Providers
}

/**
 * Nodes of one service: each with its own connections to Redis, and its own sockets, over one storage and clock. What they
 * leave in Redis is removed by `sweep`.
 */
export async function openNodes<const N extends 2 | 3>(
  count: N,
  { urls = [redisUrl], environment = {}, pace = quick, calmMs = 200, providers }: Setting = {},
) {
  const secret = crypto.randomUUID()
  const apps: TestApp[] = []
  while (apps.length < count) {
    const settings = { ...environment, REDIS_URL: urls[apps.length] ?? urls.at(-1)!, JWT_SECRET: secret }
    apps.push(await testApp(settings, { pace, calmMs, providers, beside: apps[0] }))
  }
  const bases = await Promise.all(apps.map((app) => app.listen()))
  return {
    apps: apps as N extends 2 ? [TestApp, TestApp] : [TestApp, TestApp, TestApp],
    bases: bases as N extends 2 ? [URL, URL] : [URL, URL, URL],
    prefix: apps[0]!.services.shared!.prefix,
  }
}

/**
 * Waits until a frame that one node passes on to a user reaches their socket on another one. The socket gets live events by
 * then, and what the node told that user of before has arrived.
 */
export async function reached(from: TestApp, { id }: { id: string }, { frames }: Client) {
  const type = `marker ${crypto.randomUUID()}`
  // A node tells of what it stored at the end of this turn of the event loop.
  await new Promise(setImmediate)
  await until(() => {
    if (frames.some(ofType(type))) return true
    from.services.shared!.nodes.relay(id, JSON.stringify({ type }))
    return false
  }, 'a frame by way of Redis arrives')
}

/** All keys that begin so, with what they hold. */
export async function held(prefix: string, url = redisUrl): Promise<Map<string, unknown>> {
  const client = new Redis(url)
  const found = new Map<string, unknown>()
  for await (const keys of client.scanStream({ match: `${prefix}*`, count: 1000 }))
    for (const key of keys as string[])
      found.set(key, (await client.type(key)) === 'set' ? await client.smembers(key) : await client.get(key))
  client.disconnect()
  return found
}

export async function sweep(prefix: string, url = redisUrl) {
  const keys = [...(await held(prefix, url)).keys()]
  const client = new Redis(url)
  if (keys.length > 0) await client.del(...keys)
  client.disconnect()
}

export type Server = Awaited<ReturnType<typeof startRedis>>

/** A Redis of the test's own, on a free port, that keeps nothing on disk. */
export async function startRedis(settings: string[] = [], port = freePort()) {
  const dir = mkdtempSync(join(tmpdir(), 'convene-redis-'))
  const launch = () =>
    Bun.spawn(['redis-server', '--port', `${port}`, '--bind', '127.0.0.1', '--save', '', ...settings], {
      cwd: dir,
      stdout: 'ignore',
    })
  let server = launch()
  // What it needs may be taken: the port, and for a cluster another one.
  const ended = server.exited.then(() => Promise.reject(new Error(`Redis did not start on port ${port}`)))
  await Promise.race([listening(port), ended])
  ended.catch(() => {})
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    /** Stops it at once, with all that it holds. */
    async stop() {
      server.kill('SIGKILL')
      await server.exited
    },
    async start() {
      server = launch()
      await listening(port)
    },
    /** Leaves its connections open, and says nothing. */
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL')
      await server.exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** A way to a Redis that can be cut, for those alone who take it. */
export function wayTo({ port }: { port: number }) {
  type Way = { there: Socket<null> | null; waiting: Buffer[] }
  let isCut = false
  let isStalled = false
  let isMuted = false
  let lastHeard: string | null = null
  const open = new Set<Socket<Way>>()
  const listener = Bun.listen<Way>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async open(here) {
        here.data = { there: null, waiting: [] }
        if (isCut) return here.terminate()
        open.add(here)
        here.data.there = await Bun.connect<null>({
          hostname: '127.0.0.1',
          port,
          data: null,
          socket: {
            data: (_, bytes) => void (isMuted || here.write(bytes)),
            close: () => void here.terminate(),
          },
        })
        for (const bytes of here.data.waiting) here.data.there.write(bytes)
      },
      data({ data: { there, waiting } }, bytes) {
        if (isStalled) return
        if (lastHeard !== null && bytes.includes(lastHeard)) isMuted = true
        if (there) there.write(bytes)
        else waiting.push(Buffer.from(bytes))
      },
      close(here) {
        open.delete(here)
        here.data.there?.terminate()
      },
    },
  })
  return {
    url: `redis://127.0.0.1:${listener.port}`,
    cut() {
      isCut = true
      for (const socket of open) socket.terminate()
    },
    /** Whatever is said goes nowhere, while the connection stands. */
    stall() {
      isStalled = true
    },
    /** From the request with this text on, whatever is said arrives, but no answer comes back, while the connection stands. */
    muteFrom(text: string) {
      lastHeard = text
    },
    mend() {
      isCut = isStalled = isMuted = false
      lastHeard = null
    },
    [Symbol.dispose]: () => listener.stop(true),
  }
}

export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

async function listening(port: number) {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      ;(await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })).end()
      return
    } catch {
      await Bun.sleep(25)
    }
  }
  throw new Error(`no Redis on port ${port}`)
}
