import { RedisClient } from 'bun'
import { afterEach, expect } from 'bun:test'
import { limitTable } from '../../src/lib/rate-limits.ts'
import { password, type TestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { held, openNodes as openAll, redisServerTest, redisTest, redisUrl, startRedis, sweep } from '../redis.ts'
import { until } from '../until.ts'

const environment = { RATE_LIMIT: 'on', TRUST_PROXY: '1' }
const address = '198.51.100.77'

const prefixes: string[] = []
afterEach(async () => {
  for (const prefix of prefixes.splice(0)) await sweep(prefix)
})

async function openNodes() {
  const nodes = await openAll(2, { environment })
  prefixes.push(nodes.prefix)
  return nodes
}

const headers = { 'x-forwarded-for': address }
const login = (app: TestApp, email: string, guess: string) =>
  app.request('POST', 'auth/login', { body: { email, password: guess }, headers })
const remaining = ({ headers }: { headers: Headers }) => Number(headers.get('ratelimit-remaining'))

redisTest('what an account or an address may do is counted over all nodes', async () => {
  const { apps } = await openNodes()
  const ada = await apps[0].person('Ada')
  const { points } = limitTable.write
  for (let i = 1; i <= points; i++)
    expect(remaining(await apps[i % 2]!.as(ada.token).put('me/prefs', {}))).toBe(points - i)
  for (const app of apps) expectProblem(await app.as(ada.token).put('me/prefs', {}), 429, 'rate_limited')
  const bob = await apps[0].person('Bob')
  expect(remaining(await apps[1].as(bob.token).put('me/prefs', {}))).toBe(points - 1)
})

redisTest(
  'passwords are guessed as often on all nodes together as on one; the right one begins anew everywhere',
  async () => {
    const { apps } = await openNodes()
    const [ada, bob] = [await apps[0].person('Ada'), await apps[0].person('Bob')]
    const { points } = limitTable.password
    for (const person of [ada, bob])
      for (let i = 1; i < points; i++)
        expectProblem(await login(apps[i % 2]!, person.email, `wrong ${i}`), 401, 'invalid_credentials')
    expect((await login(apps[1], bob.email, password)).status).toBe(200)
    for (const person of [ada, bob])
      expectProblem(await login(apps[0], person.email, 'wrong again'), 401, 'invalid_credentials')
    expectProblem(await login(apps[1], ada.email, password), 429, 'rate_limited')
    expect((await login(apps[1], bob.email, password)).status).toBe(200)
  },
)

redisTest('the places that an account searches are counted over all nodes', async () => {
  const { apps } = await openNodes()
  const user = crypto.randomUUID()
  const spend = (app: TestApp, i: number) => app.services.budget.spend(user, { latitude: 10 + i / 50, longitude: 20 })
  for (let i = 0; i < 500; i++) await spend(apps[i % 2]!, i)
  for (const app of apps) {
    expect(() => spend(app, 500)).toThrow(expect.objectContaining({ code: 'rate_limited' }))
    // Where one was before costs nothing.
    await spend(app, 0)
  }
})

redisTest('the people that an account is shown are counted over all nodes', async () => {
  const { apps } = await openNodes()
  const [user, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const page = (n: number) => Array.from({ length: 50 }, (_, i) => `person ${50 * n + i}`)
  const show = async (i: number, people: string[], account = user) => apps[i % 2]!.services.budget.show(account, people)
  for (let n = 0; n < 60; n++) await show(n, page(n))
  for (const i of [0, 1]) {
    expect(show(i, ['person 3000'])).rejects.toMatchObject({ code: 'rate_limited' })
    await show(i, page(i))
    await show(i, ['person 3000'], other)
  }
})

redisTest('a day of places begins with the first one, and no later one draws it out', async () => {
  const { apps, prefix } = await openNodes()
  const user = crypto.randomUUID()
  const spend = (i: number) => apps[0].services.budget.spend(user, { latitude: 10 + i / 50, longitude: 20 })
  await spend(0)
  const key = [...(await held(prefix)).keys()].find((name) => name.includes(':places:'))!
  const redis = new RedisClient(redisUrl)
  expect(await redis.pttl(key)).toBeWithin(86_300_000, 86_400_001)
  await redis.pexpire(key, 60_000)
  await spend(1)
  expect(await redis.pttl(key)).toBeWithin(1, 60_001)
  redis.close()
})

redisTest('Redis learns no name, address or place, and nothing of what people write', async () => {
  const { apps, prefix } = await openNodes()
  const [ada, bob] = [await apps[0].person('Ada'), await apps[0].person('Bob')]
  await login(apps[0], ada.email, 'a wrong password')
  await login(apps[0], 'nobody@example.org', 'a wrong password')
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  await ada.post(`chats/${chat.id}/messages`, { text: 'a secret meeting' })
  await ada.get('search/nearby?lat=56.9496&lng=24.1052&radius=5000')
  const all = JSON.stringify([...(await held(prefix))])
  expect(all).toContain(':limit:password')
  expect(all).toContain(':places:')
  for (const secret of [ada.email, 'nobody@', address, 'wrong password', 'Ada', 'secret meeting', '56.9', '24.1'])
    expect(all).not.toContain(secret)
  // The cell of a search, by which it could be told where somebody is.
  expect(all).not.toContain(String(Math.floor((56.9496 + 90) * 100) * 36_000 + Math.floor((24.1052 + 180) * 100)))
  expect(all).not.toContain(ada.token)
})

redisServerTest('while Redis is away each node counts for itself, and no request fails', async () => {
  await using server = await startRedis()
  const { apps } = await openAll(2, { urls: [server.url], environment })
  const ada = await apps[0].person('Ada')
  const { points } = limitTable.write
  for (let i = 0; i < points; i++) await ada.put('me/prefs', {})
  expectProblem(await ada.put('me/prefs', {}), 429, 'rate_limited')
  await server.stop()
  // Whatever was under way when it went, too.
  for (const left of [1, 2, 3].map((n) => points - n))
    for (const app of apps) {
      const answer = await app.as(ada.token).put('me/prefs', {})
      expect([answer.status, remaining(answer)]).toEqual([200, left])
    }
  expect((await ada.get('search/nearby?lat=56.95&lng=24.1&radius=5000')).status).toBe(200)
  for (let i = 0; i < limitTable.password.points; i++)
    expectProblem(await login(apps[0], ada.email, `wrong ${i}`), 401, 'invalid_credentials')
  expectProblem(await login(apps[0], ada.email, password), 429, 'rate_limited')
  await server.start()
  await until(() => apps.every(({ services }) => services.shared!.isUp()), 'Redis is back')
  expect(remaining(await ada.put('me/prefs', {}))).toBe(points - 1)
  expect(remaining(await apps[1].as(ada.token).put('me/prefs', {}))).toBe(points - 2)
})
