import { Redis } from 'ioredis'
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convene, startServer } from '../convene.ts'
import { freePort, redisServerTest, startRedis } from '../redis.ts'
import { until } from '../until.ts'

const messagesOf = (log: string): string[] =>
  log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg)
// The database is SQLite's here.
const ofNoUse = 'REDIS_URL is set with an SQLite database, which other nodes cannot share: Redis has no effect'

/** What the start of a server says that cannot use that Redis. */
async function refusal(url: string): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-test-'))
  try {
    const { code, out, err } = await convene([], { DATA_DIR: dataDir, PORT: '0', REDIS_URL: url })
    expect([code, messagesOf(out)]).toEqual([1, [ofNoUse]])
    expect(err.trim().split('\n')).toHaveLength(1)
    return err.trim()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

redisServerTest('a node starts while Redis is away, says so, and finds it once it is there', async () => {
  const port = freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-test-'))
  const server = await startServer({ DATA_DIR: dataDir, REDIS_URL: `redis://127.0.0.1:${port}` })
  try {
    const ready = async () => {
      const answer = await fetch(new URL('/ready', server.base))
      const { status, checks } = (await answer.json()) as { status: string; checks: { redis: string } }
      return [answer.status, status, checks.redis]
    }
    expect(await ready()).toEqual([200, 'degraded', 'away'])
    expect(server.log()).toContain(`REDIS_URL names a Redis that does not answer: 127.0.0.1:${port} (ECONNREFUSED)`)
    await using _ = await startRedis([], port)
    await until(async () => (await ready())[2] === 'ok', 'Redis is found')
    expect(server.log()).toContain('Redis is back')
  } finally {
    expect(await server.end()).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a Redis that says nothing does not keep a node from its start, nor from its end', async () => {
  using mute = Bun.listen({ port: 0, hostname: '127.0.0.1', socket: { data() {} } })
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-test-'))
  const server = await startServer({ DATA_DIR: dataDir, REDIS_URL: `redis://127.0.0.1:${mute.port}` })
  try {
    expect((await fetch(new URL('/ready', server.base))).status).toBe(200)
    expect(server.log()).toContain(`does not answer: 127.0.0.1:${mute.port} (silence)`)
  } finally {
    expect(await server.end()).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('what is no Redis ends the start with one line', async () => {
  using web = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
  const there = `127.0.0.1:${web.port}`
  expect(await refusal(`redis://${there}`)).toBe(
    `convene: REDIS_URL names a server that is not a Redis, or one that needs TLS (rediss://): ${there}`,
  )
})

redisServerTest('a Redis that does not let us in ends the start with one line, in which no password is', async () => {
  await using server = await startRedis([
    ...['--requirepass', 'the right one'],
    ...['--user', 'reader', 'on', '>reading', '~*', '&*', '+@all', '-set'],
  ])
  const there = `127.0.0.1:${server.port}`
  expect(await refusal(`redis://${there}`)).toBe(
    `convene: REDIS_URL has no password, which the Redis at ${there} asks for`,
  )
  const wrong = await refusal(`redis://:the%20wrong%20one@${there}`)
  expect(wrong).toBe(`convene: REDIS_URL has a user or a password that the Redis at ${there} refuses`)
  const mayNot = await refusal(`redis://reader:reading@${there}`)
  expect(mayNot).toStartWith(`convene: REDIS_URL names a user who lacks a permission at ${there}: `)
  expect(mayNot).not.toContain('reading')
  expect(await refusal(`redis://:the%20right%20one@${there}/99`)).toBe(
    `convene: REDIS_URL names the number of a database that ${there} does not have`,
  )
})

redisServerTest('a replica ends the start with one line', async () => {
  await using primary = await startRedis()
  await using replica = await startRedis(['--replicaof', `127.0.0.1 ${primary.port}`])
  expect(await refusal(replica.url)).toBe(
    `convene: REDIS_URL names a replica, which takes no writes: 127.0.0.1:${replica.port}`,
  )
})

redisServerTest('a Redis that goes and comes back is logged once each, without the password', async () => {
  await using redis = await startRedis(['--requirepass', 'the right one'])
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-test-'))
  const url = redis.url.replace('//', '//:the%20right%20one@')
  const server = await startServer({ DATA_DIR: dataDir, REDIS_URL: url, LOG_LEVEL: 'debug' })
  const lines = () => messagesOf(server.log()).filter((said) => said.includes('Redis') && said !== ofNoUse)
  try {
    expect(lines()).toEqual([])
    await redis.stop()
    await until(() => lines().length === 1, 'it is logged')
    expect((await fetch(new URL('/ready', server.base))).status).toBe(200)
    await redis.start()
    await until(() => lines().length === 2, 'it is logged', 10_000)
    expect(lines()).toEqual(['Redis is away: other nodes are notified when it is back', 'Redis is back'])
    expect(server.log()).not.toMatch(/right.*one/)
  } finally {
    expect(await server.end()).toBe(0)
    rmSync(dataDir, { recursive: true, force: true })
  }
})

redisServerTest('check says whether Redis answers', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-test-'))
  try {
    await using server = await startRedis()
    const settings = { DATA_DIR: dataDir, REDIS_URL: server.url }
    expect((await convene(['check'], settings)).out).toContain(`ok     Redis answers: 127.0.0.1:${server.port}\n`)
    // The server does not start with one that refuses it, and starts with one that is away.
    const refused = await convene(['check'], {
      ...settings,
      REDIS_URL: `redis://nobody:wrong@127.0.0.1:${server.port}`,
    })
    expect(refused.out).toContain('to fix it: correct REDIS_URL: the server does not start with it\n')
    using redis = Object.assign(new Redis(server.url), { [Symbol.dispose]: () => redis.disconnect() })
    await redis.config('SET', 'maxmemory', '1')
    expect((await convene(['check'], settings)).out).toContain(
      `WRONG  REDIS_URL names a Redis that refuses writes: 127.0.0.1:${server.port} (OOM`,
    )
    await redis.config('SET', 'maxmemory', '0')
    await redis.replicaof('127.0.0.1', 1)
    expect((await convene(['check'], settings)).out).toContain(
      `WRONG  REDIS_URL names a replica, which takes no writes: 127.0.0.1:${server.port}\n       to fix it: correct REDIS_URL`,
    )
    redis.disconnect()
    await server.stop()
    const { code, out } = await convene(['check'], settings)
    expect(code).toBe(1)
    expect(out).toContain(
      `WRONG  REDIS_URL names a Redis that does not answer: 127.0.0.1:${server.port} (ECONNREFUSED)\n       to fix it: start Redis`,
    )
    expect(out).not.toContain('does not start')
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
