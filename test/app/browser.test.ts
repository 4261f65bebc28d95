import { describe, expect, test } from 'bun:test'
import { type Answer, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'

const listed = 'https://app.example.org'
const alsoListed = 'http://localhost:5173'
const CORS_ORIGINS = `${listed},${alsoListed}`

const hostile = [
  'null',
  'https://evil.example',
  'https://app.example.org.evil.example',
  'https://evilapp.example.org',
  'https://app.example.orgx',
  'https://sub.app.example.org',
  'https://example.org',
  'http://app.example.org',
  'https://app.example.org:8443',
  'https://app.example.org/',
  'https://app.example.org@evil.example',
  'HTTPS://APP.EXAMPLE.ORG',
  'app.example.org',
  'http://localhost:5174',
  'http://localhost',
  'constructor',
  '__proto__',
  '*',
  `${listed}, ${alsoListed}`,
  `${listed} ${alsoListed}`,
]

const corsHeaders = ({ headers }: Answer) =>
  Object.keys(headers.toJSON()).filter((name) => name.startsWith('access-control'))

describe('with CORS_ORIGINS', () => {
  test('a listed page may read the answer with credentials, including errors and useful headers', async () => {
    const { request, person } = await testApp({ CORS_ORIGINS, RATE_LIMIT: 'on' })
    const ada = await person('Ada')
    for (const origin of [listed, alsoListed])
      for (const answer of [
        await ada.get('me', undefined, { origin }),
        await request('GET', 'me', { headers: { origin } }),
        await request('GET', 'nowhere', { headers: { origin } }),
        await request('PATCH', 'me', { headers: { origin } }),
        await request('POST', 'auth/login', { body: {}, headers: { origin } }),
        await request('PUT', 'me', { body: {}, headers: { origin, cookie: 'app_at=x' } }),
      ]) {
        expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
        expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
        expect(answer.headers.get('vary')).toBe('Origin')
        expect(answer.headers.get('access-control-expose-headers')!.split(', ').sort()).toEqual([
          'ratelimit-limit',
          'ratelimit-remaining',
          'ratelimit-reset',
          'retry-after',
          'x-request-id',
        ])
      }
  })

  test('and a preflight tells it what it may send', async () => {
    const { request } = await testApp({ CORS_ORIGINS })
    for (const path of ['me', 'auth/login', 'nowhere']) {
      const answer = await request('OPTIONS', path, {
        headers: {
          origin: listed,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-type, x-anything',
        },
      })
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(answer.headers.get('access-control-allow-origin')).toBe(listed)
      expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
      expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE')
      expect(answer.headers.get('access-control-allow-headers')).toBe('authorization, content-type')
      expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0)
      expect(answer.headers.get('x-request-id')).toBeString()
    }
  })

  test.each(hostile)('a page of %j may read nothing', async (origin) => {
    const { request, person } = await testApp({ CORS_ORIGINS })
    const ada = await person('Ada')
    for (const answer of [
      await ada.get('me', undefined, { origin }),
      await request('GET', 'legal/terms', { headers: { origin } }),
      await request('GET', 'me', { headers: { origin } }),
      await request('OPTIONS', 'me', { headers: { origin, 'access-control-request-method': 'PUT' } }),
    ]) {
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      expect(answer.headers.get('vary')).toMatch(/^Origin\b/)
    }
  })

  test('a request without an origin gets no CORS headers', async () => {
    const { person } = await testApp({ CORS_ORIGINS })
    const answer = await (await person('Ada')).get('me')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('answers that depend on more than the origin say so in Vary', async () => {
    const { request } = await testApp({ CORS_ORIGINS })
    for (const accept of ['*/*', 'text/markdown'])
      expect((await request('GET', 'legal/terms', { headers: { accept, origin: listed } })).headers.get('vary')).toBe(
        'Origin, Accept, Accept-Language',
      )
  })
})

test('without CORS_ORIGINS no answer has CORS headers, whatever the origin', async () => {
  const { request, person } = await testApp()
  const ada = await person('Ada')
  for (const origin of [listed, 'http://localhost:3000', 'null'])
    for (const answer of [
      await ada.get('me', undefined, { origin }),
      await request('GET', 'me', { headers: { origin } }),
      await request('OPTIONS', 'me', { headers: { origin, 'access-control-request-method': 'PUT' } }),
    ])
      expect(corsHeaders(answer)).toEqual([])
  expectProblem(await request('OPTIONS', 'me'), 405, 'method_not_allowed')
})

describe('a request with the cookie', () => {
  const open = async (environment: Record<string, string> = { CORS_ORIGINS }) => {
    const app = await testApp(environment)
    const ada = await app.person('Ada')
    const send = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
      app.request(method, path, { body, headers: { cookie: `app_at=${ada.token}`, ...headers } })
    return { ada, send }
  }

  test.each(hostile)('from a page of %j changes nothing', async (origin) => {
    const { ada, send } = await open()
    for (const [method, path, body] of [
      ['PUT', 'me', { name: 'Eve' }],
      ['POST', 'auth/consents', { consents: { terms: false } }],
      ['POST', 'auth/logout', undefined],
      ['DELETE', 'me/sessions', undefined],
    ] as const) {
      const answer = await send(method, path, { origin }, body)
      expectProblem(answer, 403, 'forbidden')
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect((await ada.get('me')).body).toMatchObject({ name: 'Ada', consents_missing: [] })
  })

  test('from a listed page, our own page or no page is accepted', async () => {
    const { ada, send } = await open()
    // The tests send their requests to http://localhost:3000.
    const own = { origin: 'http://localhost:3000', host: 'localhost:3000' }
    for (const [i, headers] of [{ origin: listed }, { origin: alsoListed }, own, {}].entries()) {
      expect((await send('PUT', 'me', headers as Record<string, string>, { name: `Ada ${i}` })).status).toBe(200)
      expect((await ada.get('me')).body.name).toBe(`Ada ${i}`)
    }
    for (const origin of ['https://localhost:3000', 'http://localhost:3001', 'http://localhost'])
      expectProblem(await send('PUT', 'me', { ...own, origin }, { name: 'Eve' }), 403, 'forbidden')
  })

  oneNodeTest('a proxy of its own is in front')(
    'behind a proxy the scheme of our own pages is what the proxy says',
    async () => {
      const own = { host: 'api.example.org', 'x-forwarded-proto': 'https' }
      const trusting = await open({ TRUST_PROXY: '1' })
      expect((await trusting.send('PUT', 'me', { ...own, origin: 'https://api.example.org' }, {})).status).toBe(200)
      expectProblem(
        await trusting.send('PUT', 'me', { ...own, origin: 'http://api.example.org' }, {}),
        403,
        'forbidden',
      )
      // Of several proxies, the first one counts, to which the page connected.
      const twice = { ...own, 'x-forwarded-proto': 'https, http', origin: 'https://api.example.org' }
      expect((await trusting.send('PUT', 'me', twice, {})).status).toBe(200)
      const alone = await open({})
      expectProblem(await alone.send('PUT', 'me', { ...own, origin: 'https://api.example.org' }, {}), 403, 'forbidden')
    },
  )

  test('the pages at PUBLIC_URL are our own, whatever a proxy leaves out', async () => {
    const { send } = await open({ PUBLIC_URL: 'https://api.example.org' })
    const own = { host: 'convene', origin: 'https://api.example.org' }
    expect((await send('PUT', 'me', own, {})).status).toBe(200)
    for (const origin of ['http://api.example.org', 'https://api.example.org:8443', 'https://example.org'])
      expectProblem(await send('PUT', 'me', { ...own, origin }, {}), 403, 'forbidden')
  })

  test('that only reads is answered, and the browser keeps the answer from the page', async () => {
    const { send } = await open()
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(method, 'me', { origin: 'https://evil.example' })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('depends on the origin, but a request with a bearer token may come from anywhere', async () => {
    const { ada } = await open()
    const origin = 'https://evil.example'
    expect((await ada.put('me', { name: 'Countess' }, { origin })).status).toBe(200)
    // In a request with both, the cookie decides.
    const both = { origin, cookie: `app_at=${ada.token}` }
    expectProblem(await ada.put('me', { name: 'Eve' }, both), 403, 'forbidden')
    expect((await ada.get('me')).body.name).toBe('Countess')
  })

  test('without a valid session is refused as unauthenticated, not as a foreign page', async () => {
    const { send } = await open()
    const headers = { cookie: 'app_at=x', origin: 'https://evil.example' }
    expectProblem(await send('PUT', 'me', headers, { name: 'Eve' }), 401, 'unauthenticated')
  })
})

test('every answer tells browsers not to sniff, frame, send referrers or cache', async () => {
  const { request, person, listen } = await testApp({ CORS_ORIGINS })
  const ada = await person('Ada')
  const base = await listen()
  const answers = [
    await ada.get('me'),
    await request('GET', 'me'),
    await request('GET', 'nowhere'),
    await request('POST', 'auth/login', { body: {} }),
    await request('GET', 'legal/terms', { headers: { accept: 'text/markdown' } }),
    await request('OPTIONS', 'me'),
    await fetch(new URL('/api/v1/me', base), { headers: { authorization: `Bearer ${ada.token}` } }),
    await fetch(new URL('/nowhere', base)),
    await ada.post('auth/logout'),
  ]
  for (const { headers } of answers) {
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})
