import { expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { openAdmission, overload } from '../../src/http/overload.ts'
import { requestId } from '../../src/http/request-id.ts'
import { openMetrics } from '../../src/telemetry/metrics.ts'
import { testApp } from '../app.ts'

function turns() {
  const clock = { now: 0 }
  const { admit } = openAdmission(() => clock.now)
  /** The number that arrives between two checks, and the time between them. Returns how many are admitted. */
  return async (requests: number, ms: number) => {
    let admitted = 0
    for (let i = 0; i < requests; i++) if (admit()) admitted++
    clock.now += ms
    await Bun.sleep(6)
    return admitted
  }
}

test('everybody is admitted while turns are short', async () => {
  const turn = turns()
  for (let i = 0; i < 5; i++) expect(await turn(1000, 10)).toBe(1000)
})

test('after a long turn, as many are admitted as fit into one, and more again once turns are short', async () => {
  const turn = turns()
  expect(await turn(1000, 50)).toBe(1000)
  expect(await turn(1000, 10)).toBe(200)
  expect(await turn(1000, 9)).toBe(221)
  expect(await turn(1000, 22)).toBe(244)
  expect(await turn(1000, 10)).toBe(110)
})

test('a long turn of few requests does not lower the limit, because they are not the cause', async () => {
  const turn = turns()
  expect(await turn(60, 5000)).toBe(60)
  expect(await turn(1000, 10)).toBe(1000)
  expect(await turn(1000, 5000)).toBe(1000)
  expect(await turn(1000, 5000)).toBe(64)
  expect(await turn(1000, 5000)).toBe(64)
})

test('when all sockets reconnect at once, few pass in a turn, and requests keep their share', async () => {
  const clock = { now: 0 }
  const { admit, waitS } = openAdmission(() => clock.now)
  const admitted = (kind: 'socket' | 'request') =>
    Array.from({ length: 1000 }, () => admit(kind)).filter(Boolean).length
  expect(admitted('socket')).toBe(256)
  clock.now += 80
  await Bun.sleep(6)
  // Now 32 fit into a turn.
  expect([admitted('socket'), admitted('request')]).toEqual([32, 1000])
  // The first turn handled 3,200 a second.
  const waits = Array.from({ length: 3201 }, () => waitS('socket'))
  expect(waits.filter((wait) => wait === 1)).toHaveLength(3200)
  clock.now += 10
  await Bun.sleep(6)
  expect([admitted('socket'), admitted('request')]).toEqual([36, 1000])
  clock.now += 1000
  await Bun.sleep(6)
  expect(admitted('socket')).toBe(4)
})

test('sockets that arrive together wait for their turns, in their order, and those that would wait a second are refused', async () => {
  const clock = { now: 0 }
  const { socketTurn, hasRoomForSocket } = openAdmission(() => clock.now)
  const opened: number[] = []
  let count = 0
  const arrive = () => {
    const n = count++
    void socketTurn().then(() => opened.push(n))
  }
  while (hasRoomForSocket()) arrive()
  // Of the first turn 256, and of 400 a second those that wait.
  expect(count).toBe(256 + 400)
  for (let turns = 0; opened.length < count && turns < 100; turns++) {
    clock.now += 5
    await Bun.sleep(6)
  }
  expect(opened).toEqual(Array.from({ length: count }, (_, i) => i))
  expect(hasRoomForSocket()).toBe(true)
})

test('400 sockets that reconnect at once are told to return within a second', () => {
  const { admit, waitS } = openAdmission(() => 0)
  const waits = Array.from({ length: 400 }, () => (admit('socket') ? 0 : waitS('socket')))
  expect(Math.max(...waits)).toBe(1)
})

test('a long turn with few sockets, which has another cause, does not make others wait longer', async () => {
  const clock = { now: 0 }
  const { admit, waitS } = openAdmission(() => clock.now)
  for (let i = 0; i < 4; i++) admit('socket')
  clock.now += 5000
  await Bun.sleep(6)
  expect(Array.from({ length: 400 }, () => waitS('socket'))).not.toContain(2)
})

test('refused clients return at different times, as many a second as can be admitted', async () => {
  const clock = { now: 0 }
  const admission = openAdmission(() => clock.now)
  const turn = async (requests: number, ms: number) => {
    for (let i = 0; i < requests; i++) admission.admit()
    clock.now += ms
    await Bun.sleep(6)
  }
  await turn(1000, 500)
  const storm = Map.groupBy(
    Array.from({ length: 100_000 }, () => admission.waitS()),
    (wait) => wait,
  )
  expect([...storm.keys()]).toEqual(Array.from({ length: 30 }, (_, i) => i + 1))
  for (const [wait, { length }] of storm) if (wait < 30) expect(length).toBe(2000)
  // By then, half of the queue is through.
  clock.now += 15_000
  expect(admission.waitS()).toBe(16)
  clock.now += 60_000
  expect(admission.waitS()).toBe(1)
  // Full turns in time show that more can be admitted, and the queue is told so.
  for (let i = 0; i < 40; i++) await turn(1000, 5)
  expect(admission.waitS()).toBe(1)
  const later = Array.from({ length: 100_000 }, () => admission.waitS())
  expect(later.filter((wait) => wait === 1).length).toBeGreaterThan(10_000)
  clock.now += 60_000
  // A turn that was long for another reason does not change the limit.
  await turn(3, 60_000)
  expect([admission.waitS(), admission.waitS()]).toEqual([1, 1])
})

test('a refused request gets 503 busy before any route runs, but health endpoints still answer', async () => {
  const clock = { now: 0 }
  const metrics = openMetrics()
  let asked = 0
  let pending = 100
  const admission = openAdmission(() => clock.now)
  const app = new Elysia()
    .use(requestId)
    .use(overload({ metrics, admission, pending: () => pending }))
    .get('/api/v1/me', () => ++asked)
    .get('/ws', async () => {
      await admission.socketTurn()
      return 'open'
    })
    .get('/health', () => 'ok')
  const ask = (path: string) => app.handle(new Request(`http://localhost${path}`))
  const burst = () => Promise.all(Array.from({ length: 100 }, () => ask('/api/v1/me')))
  const first = burst()
  clock.now += 10_000
  expect((await first).every(({ status }) => status === 200)).toBe(true)
  await Bun.sleep(6)
  const second = burst()
  const health = ask('/health?x')
  const statuses = (await second).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(64)
  expect(statuses.filter((status) => status === 503)).toHaveLength(36)
  expect((await health).status).toBe(200)
  expect(asked).toBe(164)
  // The previous turn handled a hundred in ten seconds: ten of the refused clients return each second.
  const waits = (await second).map(({ headers }) => headers.get('retry-after')).filter((wait) => wait !== null)
  const tens = (wait: string) => Array<string>(10).fill(wait)
  expect(waits).toEqual([...tens('1'), ...tens('2'), ...tens('3'), ...Array<string>(6).fill('4')])
  expect(await (await second).at(-1)!.json()).toMatchObject({
    code: 'busy',
    status: 503,
    request_id: expect.stringMatching(/./),
  })
  expect(await metrics.text()).toContain('convene_requests_refused_early_total 36')
  // A few expensive requests are not an overload.
  pending = 64
  expect((await burst()).every(({ status }) => status === 200)).toBe(true)
  pending = 100
  clock.now += 10_000
  await Bun.sleep(6)
  const sockets = () => Promise.all(Array.from({ length: 100 }, () => ask('/ws?since=1')))
  const opened = (answers: Response[]) => answers.filter(({ status }) => status === 200).length
  const before = sockets()
  clock.now += 10_000
  expect(opened(await before)).toBe(100)
  await Bun.sleep(6)
  // Four in this turn, and of ten a second those that wait for a later one.
  expect(opened(await sockets())).toBe(14)
})

test('a listed page can read that the server was busy, and a preflight is always answered', async () => {
  const origin = 'https://app.example.org'
  const { app } = await testApp({ CORS_ORIGINS: origin, RATE_LIMIT: 'on' })
  // Used by each admitted request, to count it against its limit.
  const busily = () => (Bun.sleepSync(2), null)
  Object.defineProperty(app, 'server', { value: { pendingRequests: 100, requestIP: busily, stop() {} } })
  const ask = async (method = 'GET') =>
    app.handle(new Request('http://localhost/api/v1/legal/terms', { method, headers: { origin } }))
  const burst = () => Promise.all(Array.from({ length: 100 }, () => ask()))
  await burst()
  await Bun.sleep(10)
  const second = burst()
  const preflight = await ask('OPTIONS')
  const refused = (await second).filter(({ status }) => status === 503)
  expect(refused).toHaveLength(36)
  for (const { headers } of refused) {
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    expect(headers.get('access-control-expose-headers')).toContain('retry-after')
    expect(headers.get('vary')).toBe('Origin')
    expect(headers.get('content-type')).toBe('application/problem+json')
  }
  expect(preflight.status).toBe(204)
})
