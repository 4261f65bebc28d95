import { describe, expect, test } from 'bun:test'
import { limitTable } from '../../src/lib/rate-limits.ts'
import { type Answer, testApp } from '../app.ts'
import { exceptThreads, oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'

const limits = ({ headers }: Answer) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => {
    const value = headers.get(name)
    return value === null ? null : Number(value)
  })

/** Sends many cheap requests. */
async function ask(times: number, request: () => Promise<Answer>): Promise<Answer> {
  let answer = await request()
  for (let i = 1; i < times; i++) answer = await request()
  return answer
}

test('the longest period that a setting may name counts', async () => {
  const { request } = await testApp({ RATE_LIMIT: 'register=1/24d' })
  const register = () => request('POST', 'auth/register', { body: {} })
  expectProblem(await register(), 422, 'validation_failed')
  // A timer that is too long for the engine would end the count now.
  await Bun.sleep(50)
  expectProblem(await register(), 429, 'rate_limited')
})

describe('with RATE_LIMIT=on', () => {
  test('answers have the remaining number, errors too, and a refusal has the time to return', async () => {
    const { request } = await testApp({ RATE_LIMIT: 'on' })
    const register = () => request('POST', 'auth/register', { body: {} })
    const { points } = limitTable.register
    for (const left of [1, 2, 3].map((n) => points - n)) {
      const answer = await register()
      expectProblem(answer, 422, 'validation_failed')
      // A real clock counts, and continues meanwhile.
      expect(limits(answer)).toEqual([points, left, expect.any(Number)])
      expect(limits(answer)[2]).toBeWithin(3500, 3601)
      expect(answer.headers.get('retry-after')).toBeNull()
    }
    expect(limits(await ask(points - 3, register))[1]).toBe(0)
    const answer = await register()
    expectProblem(answer, 429, 'rate_limited')
    const [limit, remaining, reset] = limits(answer)
    expect([limit, remaining]).toEqual([points, 0])
    expect(reset).toBeWithin(3500, 3601)
    expect(answer.headers.get('retry-after')).toBe(String(reset))
  })

  test('a limit by account counts over all its sessions, and not for others', async () => {
    const app = await testApp({ RATE_LIMIT: 'on' })
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const { access_token } = await app.services.auth.begin(ada.id, { address: '', user_agent: null, language: null })
    const phone = app.as(access_token)
    const { points } = limitTable.write
    expect(limits(await ask(points - 1, () => ada.put('me/prefs', {})))).toEqual([points, 1, expect.any(Number)])
    expect((await phone.put('me/prefs', { language: 'de' })).status).toBe(200)
    for (const session of [ada, phone])
      expectProblem(await session.put('me/prefs', { language: 'fr' }), 429, 'rate_limited')
    expect((await ada.get('me/prefs')).body.language).toBe('de')
    expect((await bob.put('me/prefs', {})).status).toBe(200)
    expect(limits(await bob.put('me/prefs', {}))[1]).toBe(points - 2)
  })

  test('a limit by address counts the address behind the trusted proxy', async () => {
    const { request } = await testApp({ RATE_LIMIT: 'on', TRUST_PROXY: '2' })
    const from = (forwarded: string) => () =>
      request('POST', 'auth/register', { body: {}, headers: { 'x-forwarded-for': forwarded } })
    const { points } = limitTable.register
    await ask(points, from('198.51.100.1, 10.0.0.1'))
    expectProblem(await from('198.51.100.1, 10.0.0.1')(), 429, 'rate_limited')
    // Neither the client's own header counts, nor which of the proxies it came by.
    expectProblem(await from('203.0.113.9, 198.51.100.1,10.0.0.2')(), 429, 'rate_limited')
    expectProblem(await from('203.0.113.9, 203.0.113.8, [::ffff:198.51.100.1]:4711, 10.0.0.1')(), 429, 'rate_limited')
    expectProblem(await from('198.51.100.2, 10.0.0.1')(), 422, 'validation_failed')
    expectProblem(await from('198.51.100.1, 198.51.100.2, 10.0.0.1')(), 422, 'validation_failed')
  })

  test('an IPv6 address counts for its whole /64', async () => {
    const { request } = await testApp({ RATE_LIMIT: 'on', TRUST_PROXY: '1' })
    const from = (forwarded: string) =>
      request('POST', 'auth/register', { body: {}, headers: { 'x-forwarded-for': forwarded } })
    const { points } = limitTable.register
    expect(limits(await from('2001:db8:1:2::1'))[1]).toBe(points - 1)
    expect(limits(await from('2001:db8:1:2:ffff::9'))[1]).toBe(points - 2)
    expect(limits(await from('2001:db8:1:3::1'))[1]).toBe(points - 1)
    // An IPv4 address in either of its IPv6 forms does not count for a /64.
    expect(limits(await from('::ffff:198.51.100.7'))[1]).toBe(points - 1)
    expect(limits(await from('::ffff:c633:6407'))[1]).toBe(points - 2)
    expect(limits(await from('::ffff:c633:6408'))[1]).toBe(points - 1)
  })

  test('sixty people in one Wi-Fi can register within an hour, and the next one has to wait', async () => {
    const { request } = await testApp({ RATE_LIMIT: 'on' })
    const register = () => request('POST', 'auth/register', { body: {} })
    expectProblem(await ask(60, register), 422, 'validation_failed')
    expectProblem(await register(), 429, 'rate_limited')
  })

  oneNodeTest('each node counts requests for itself')(
    'all requests of an account count together, reads too, and of nobody else',
    async () => {
      const app = await testApp({ RATE_LIMIT: 'request=5/10s,read=2/1m' })
      const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
      const paths = ['me', 'chats', 'blocks', 'sync?since=0', 'me/sessions']
      for (const path of paths) {
        const answer = await ada.get(path)
        expect([path, answer.status, limits(answer)[0]]).toEqual([path, 200, null])
      }
      for (const path of paths) {
        const answer = await ada.get(path)
        expectProblem(answer, 429, 'rate_limited')
        expect(limits(answer)).toEqual([5, 0, 10])
        expect(answer.headers.get('retry-after')).toBe('10')
      }
      expectProblem(await ada.put('me', { city: 'Riga' }), 429, 'rate_limited')
      expect((await bob.get('me')).status).toBe(200)
      app.clock.now += 9999
      expectProblem(await ada.get('me'), 429, 'rate_limited')
      app.clock.now += 1
      expect((await ada.get('me')).body.city).toBeNull()
    },
  )

  oneNodeTest('each node counts requests for itself')(
    'a clock that is set back does not lock anybody out',
    async () => {
      const app = await testApp({ RATE_LIMIT: 'request=1/1d' })
      const ada = await app.person('Ada')
      expect((await ada.get('me')).status).toBe(200)
      expectProblem(await ada.get('me'), 429, 'rate_limited')
      app.clock.now -= 1
      expect((await ada.get('me')).status).toBe(200)
    },
  )

  test('of two limits, either can refuse, and answers have the one with less remaining', async () => {
    const app = await testApp({ RATE_LIMIT: 'send=4/1m,send_day=6/1d' })
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    const send = () => ada.post(`chats/${chat.id}/messages`, { text: 'hi' })
    const sent = await send()
    expect(limits(sent).slice(0, 2)).toEqual([4, 3])
    expect(limits(await ada.put(`messages/${sent.body.id}`, { text: 'hello' })).slice(0, 2)).toEqual([4, 2])
    await ask(2, send)
    expectProblem(await send(), 429, 'rate_limited')
    expect((await ada.get(`chats/${chat.id}/messages`)).body.items).toHaveLength(3)
    const other = await testApp({ RATE_LIMIT: 'send_day=1/1d' })
    const [cay, dan] = [await other.person('Cay'), await other.person('Dan')]
    const talk = (await cay.post('chats', { user_id: dan.id })).body
    const said = await cay.post(`chats/${talk.id}/messages`, { text: 'hi' })
    expect([said.status, ...limits(said).slice(0, 2)]).toEqual([201, 1, 0])
    expectProblem(await cay.post(`chats/${talk.id}/messages`, { text: 'hi' }), 429, 'rate_limited')
    expectProblem(await cay.put(`messages/${said.body.id}`, { text: 'hello' }), 429, 'rate_limited')
    expect((await cay.delete(`messages/${said.body.id}`)).status).toBe(204)
  })

  exceptThreads('this test stands in for their proxy')(
    'without a trusted proxy, the address is that of the connection, whatever the headers',
    async () => {
      const { listen } = await testApp({ RATE_LIMIT: 'on' })
      const url = new URL('/api/v1/auth/register', await listen())
      const { points } = limitTable.register
      const statuses: number[] = []
      for (let i = 0; i <= points; i++) {
        const headers = {
          'content-type': 'application/json',
          'x-forwarded-for': `198.51.100.${i}`,
          'x-real-ip': `198.51.100.${i}`,
        }
        const response = await fetch(url, { method: 'POST', body: '{}', headers })
        await response.text()
        statuses.push(response.status)
      }
      expect(statuses).toEqual([...Array(points).fill(422), 429])
    },
  )

  test('each limit is counted separately', async () => {
    const { request } = await testApp({ RATE_LIMIT: 'on' })
    const post = (path: string) => () => request('POST', `auth/${path}`, { body: {} })
    await ask(limitTable.register.points, post('register'))
    expectProblem(await post('register')(), 429, 'rate_limited')
    for (const [path, name] of [
      ['login', 'login'],
      ['messenger', 'messenger'],
      ['refresh', 'refresh'],
    ] as const) {
      const { points } = limitTable[name]
      expect(limits(await post(path)())).toEqual([points, points - 1, expect.any(Number)])
      expect(limits(await ask(points - 1, post(path)))[1]).toBe(0)
      expectProblem(await post(path)(), 429, 'rate_limited')
    }
    expect((await request('GET', 'legal/terms')).status).toBe(200)
  })

  test('a request without a token is refused as such before it is limited', async () => {
    const { request } = await testApp({ RATE_LIMIT: 'on' })
    const answer = await request('PUT', 'me/prefs', { body: {} })
    expectProblem(answer, 401, 'unauthenticated')
    expect(limits(answer)).toEqual([null, null, null])
  })
})

test('RATE_LIMIT changes single limits and leaves all others', async () => {
  const app = await testApp({ RATE_LIMIT: 'register=2/1h,search=3/1m' })
  const register = () => app.request('POST', 'auth/register', { body: {} })
  expect(limits(await register()).slice(0, 2)).toEqual([2, 1])
  await register()
  expectProblem(await register(), 429, 'rate_limited')
  const ada = await app.person('Ada')
  expect(limits(await ada.get('search/nearby?lat=1&lng=1')).slice(0, 2)).toEqual([3, 2])
  const { points } = limitTable.write
  expect(limits(await ada.put('me/prefs', {})).slice(0, 2)).toEqual([points, points - 1])
})

test('with RATE_LIMIT=off nothing is counted, and no header mentions it', async () => {
  const { request } = await testApp({ RATE_LIMIT: 'off' })
  const answer = await ask(limitTable.register.points + 2, () => request('POST', 'auth/register', { body: {} }))
  expectProblem(answer, 422, 'validation_failed')
  expect(limits(answer)).toEqual([null, null, null])
})

test('every expensive route has its own limit', async () => {
  const app = await testApp({ RATE_LIMIT: 'on' })
  const ada = await app.person('Ada')
  const stranger = (path: string) => () => app.request('POST', path, { body: {} })
  const unknown = '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'
  const table: [keyof typeof limitTable, () => Promise<Answer>][] = [
    ['register', stranger('auth/register')],
    ['login', stranger('auth/login')],
    ['login', stranger('auth/appeals')],
    ['messenger', stranger('auth/messenger')],
    ['refresh', stranger('auth/refresh')],
    ['read', () => app.request('GET', `users/${ada.id}/reviews`)],
    ['read', () => app.request('GET', `users/${ada.id}/stats`)],
    ['location', () => ada.put('me/location', {})],
    ['search', () => ada.get('search/nearby?lat=1&lng=1')],
    ['upload', () => ada.post('media', {})],
    ['report', () => ada.post('reports', {})],
    ['export', () => ada.get('me/export')],
    ['send', () => ada.post(`chats/${unknown}/messages`, {})],
    ...['chats', 'blocks', 'reviews', 'appeals'].map((path) => ['write', () => ada.post(path, {})] as const),
    ...['me', 'me/prefs', 'me/visibility', 'me/password', `messages/${unknown}`].map(
      (path) => ['write', () => ada.put(path, {})] as const,
    ),
  ] as never
  for (const [name, call] of table) {
    const answer = await call()
    expect([name, limits(answer)[0]]).toEqual([name, limitTable[name].points])
  }
})

test('an account begins 50 chats a day, and existing ones and refusals are free', async () => {
  const app = await testApp({ RATE_LIMIT: 'on' })
  const { points } = limitTable.new_chat
  expect(points).toBe(50)
  const [ada, blocker] = [await app.person('Ada'), await app.person('Eve')]
  const others = await Promise.all(Array.from({ length: points + 1 }, () => app.person()))
  await blocker.post('blocks', { user_id: ada.id })
  expect((await ada.post('chats', { user_id: blocker.id })).status).toBe(404)
  expect((await ada.post('chats', { user_id: ada.id })).status).toBe(422)
  for (const other of others.slice(0, points)) expect((await ada.post('chats', { user_id: other.id })).status).toBe(201)
  const last = others[points]!
  const refused = await ada.post('chats', { user_id: last.id })
  expectProblem(refused, 429, 'rate_limited')
  expect(limits(refused)).toEqual([points, 0, expect.any(Number)])
  expect((await ada.post('chats', { user_id: others[0]!.id })).status).toBe(200)
  // An account at its limit can still be contacted by others, whose own limits count.
  expect((await last.post('chats', { user_id: ada.id })).status).toBe(201)
  expect((await ada.post('chats', { user_id: last.id })).status).toBe(200)
})
