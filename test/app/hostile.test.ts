import { describe, expect, test } from 'bun:test'
import { connect as tcpConnect } from 'node:net'
import { password, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'
import { connect, ofType } from '../socket-client.ts'

const json = { 'content-type': 'application/json' }

const listed = 'https://app.example.org'
const foreign = [
  'null',
  'https://evil.example',
  'https://app.example.org.evil.example',
  'https://evilapp.example.org',
  'https://sub.app.example.org',
  'http://app.example.org',
  'https://app.example.org:8443',
  'https://app.example.org@evil.example',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  '',
]

test('a foreign page cannot open a socket with a valid token, but a listed page, our own and no page can', async () => {
  const { listen, person } = await testApp({ CORS_ORIGINS: listed })
  const base = await listen()
  const ada = await person('Ada')
  for (const origin of foreign) {
    const { status, code } = await upgrade(base, `/ws?token=${ada.token}`, { origin })
    expect([origin, status, code]).toEqual([origin, 403, 'forbidden'])
  }
  for (const headers of [{ origin: listed }, { origin: base.origin }, {}] as Record<string, string>[]) {
    const client = connect(base, ada.token, '', headers)
    await client.until(ofType('hello'))
    client.socket.close()
  }
})

test('a foreign page can change nothing by a form, which browsers send with the cookie and without a preflight', async () => {
  const { person, request } = await testApp({ CORS_ORIGINS: listed })
  const ada = await person('Ada')
  const forms: [string, string][] = [
    ['application/x-www-form-urlencoded', 'name=Eve&visible=false'],
    ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nEve\r\n--x--\r\n'],
    // A form with one field whose name and value together are JSON.
    ['text/plain', '{"name":"Eve","ignored":"="}'],
  ]
  const posts = ['auth/logout', 'auth/consents', 'chats', 'blocks', 'reports', 'reviews', 'media']
  for (const path of posts)
    for (const [type, body] of forms)
      for (const origin of [...foreign.filter(Boolean), undefined]) {
        const headers: Record<string, string> = { cookie: `app_at=${ada.token}`, 'content-type': type }
        if (origin !== undefined) headers.origin = origin
        const { status } = await request('POST', path, { body, headers })
        // A request without Origin is not from a browser. Even so, forms are accepted only as uploads.
        const refused = origin === undefined ? (path === 'media' && type.startsWith('multipart') ? 422 : 415) : 403
        expect([path, type, origin, status]).toEqual([path, type, origin, refused])
      }
  expect((await ada.get('me')).body).toMatchObject({ name: 'Ada', visible: true })
  expect((await ada.get('chats')).body.items).toEqual([])
  expect((await ada.get('blocks')).body.items).toEqual([])
})

test('a foreign page cannot sign a user in as somebody else, because a login accepts no form', async () => {
  const { person, request } = await testApp()
  const eve = await person('Eve')
  const body = JSON.stringify({ email: eve.email, password })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await request('POST', 'auth/login', { body, headers: { 'content-type': type } })
    expectProblem(answer, 415, 'unsupported_media_type')
    expect(answer.headers.get('set-cookie')).toBeNull()
  }
})

describe('a body', () => {
  test.each(['toString', 'valueOf', 'toJSON', 'constructor', 'hasOwnProperty', '__proto__', 'then', 'length'])(
    'with a field %s where a text belongs does not fit, and is no failure',
    async (name) => {
      const { person } = await testApp()
      const ada = await person('Ada')
      const bodies: [string, string, string][] = [
        ['POST', 'appeals', `{"notice_id":{"${name}":false},"text":{"${name}":1}}`],
        ['POST', 'chats', `{"user_id":{"${name}":[]}}`],
        ['POST', 'chats', `{"user_id":[{"${name}":null}]}`],
        ['PUT', 'me/prefs', `{"language":{"${name}":{}},"drinks":[{"${name}":0}]}`],
        ['POST', 'reviews', `{"chat_id":{"${name}":0},"rating":{"${name}":0}}`],
        ['PUT', 'me/location', `{"latitude":{"${name}":0},"longitude":0}`],
        ['PUT', 'me/password', `{"current_password":{"${name}":0},"new_password":{"${name}":0}}`],
      ]
      for (const [method, path, body] of bodies) {
        const answer = await (method === 'PUT' ? ada.put(path, body, json) : ada.post(path, body, json))
        expect([path, answer.status, answer.body.code]).toEqual([path, 422, 'validation_failed'])
        expect(answer.body.errors.length).toBeGreaterThan(0)
      }
    },
  )

  test('may be nested 32 levels deep, not counting brackets in strings', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const nested = (levels: number) => `{"name":"Deep","more":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect((await ada.put('me', nested(31), json)).body.name).toBe('Deep')
    for (const levels of [32, 33, 1000, 30_000])
      expect(expectProblem(await ada.put('me', nested(levels), json), 422, 'validation_failed')).toEqual(['/'])
    const beside = `{"bio":"${'[{'.repeat(100)}\\"${'[{'.repeat(100)}\\\\","more":[${'[[]],'.repeat(100)}{}]}`
    expect((await ada.put('me', beside, json)).body.bio).toBe(`${'[{'.repeat(100)}"${'[{'.repeat(100)}\\`)
  })

  test('that breaks off is not logged as an error', async () => {
    const { listen, services } = await testApp()
    const base = await listen()
    const errors: unknown[] = []
    services.log.error = ((...args: unknown[]) => errors.push(args)) as never
    for (const length of ['content-length: 1000', 'transfer-encoding: chunked']) {
      const client = tcpConnect(Number(base.port), '127.0.0.1')
      client.write(
        `POST /api/v1/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}\r\n\r\n5\r\n{"a":`,
      )
      await Bun.sleep(50)
      client.resetAndDestroy()
    }
    await Bun.sleep(50)
    expect(errors).toEqual([])
    expect((await fetch(new URL('/health', base))).status).toBe(200)
  })
})

test('an invalid host is not logged as an error', async () => {
  const { listen, person } = await testApp()
  const base = await listen()
  const ada = await person('Ada')
  const query = `lat=1&lng=1&drinks=tea&_t=${ada.token}`
  for (const host of ['[::::', 'a b%', '', 'x:y:z']) {
    const client = tcpConnect(Number(base.port), '127.0.0.1')
    client.write(`GET /api/v1/search/nearby?${query} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    let answer = ''
    for await (const chunk of client) answer += chunk
    expect([host, answer.slice(0, 12)]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 (200|400)$/)])
  }
})

// In each of these URLs another part could be taken for the path.
const oddHosts = [
  ...['x', 'a', '', ':80', ' x ', '1', '[::1]', 'localhost', 'x:99999', 'api.example.org'],
  ...['a/b', 'health/', '/health', '../x', 'x?y', 'x#z', 'x\\y', 'u:p@x', 'x y', 'x%2f', 'http://x'],
]

const withoutProxy = oneNodeTest('a proxy in front refuses most of these hosts itself')

withoutProxy('the path is what the request line says, whatever the host', async () => {
  const { listen, logged, person, services } = await testApp()
  const base = await listen()
  const ada = await person('Ada')
  async function ask(method: string, path: string, host: string) {
    const client = tcpConnect(Number(base.port), '127.0.0.1')
    client.write(
      `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${ada.token}\r\nconnection: close\r\n\r\n`,
    )
    let answer = ''
    for await (const chunk of client) answer += chunk
    return Number(answer.slice(9, 12))
  }
  for (const host of oddHosts) {
    for (const path of [
      '/foo/health',
      '/foo/bar/health',
      '/x/y/health?z',
      '/health/health',
      '/foo?a=/health',
      '/a/ready',
    ])
      expect([host, path, await ask('GET', path, host)]).toEqual([host, path, 404])
    for (const path of ['/health', '/health?a=/b?c', '/api/v1/me', `/api/v1/users/${ada.id}`, '/api/v1/chats?limit=3'])
      expect([host, path, await ask('GET', path, host)]).toEqual([host, path, 200])
    // The server uses the real path for the allowed methods and the checks of the query too.
    expect([host, await ask('DELETE', '/api/v1/me/prefs', host)]).toEqual([host, 405])
    expect([host, await ask('GET', '/api/v1/chats?limit=0', host)]).toEqual([host, 422])
    expect([host, await ask('GET', '/api/v1/chats?a=/b?c&limit=0', host)]).toEqual([host, 422])
  }
  // Nor do the log and the metrics have a path that was not requested.
  const routes = new Set(Array.from(logged().matchAll(/"route":"([^"]*)"/g), ([, route]) => route))
  const asked = ['none', '/health', '/api/v1/me', '/api/v1/users/:id', '/api/v1/chats']
  expect(routes).toEqual(new Set(asked))
  expect(await services.metrics.text()).not.toContain('route="/ready"')
})

withoutProxy('a socket opens with any host, and nowhere but at its path', async () => {
  const { listen, person } = await testApp()
  const base = await listen()
  const ada = await person('Ada')
  for (const host of oddHosts)
    for (const [path, status] of [
      ['/ws', 101],
      ['/foo/ws', 404],
      ['/foo/bar/ws', 404],
    ] as const) {
      const client = tcpConnect(Number(base.port), '127.0.0.1')
      client.write(
        `GET ${path}?token=${ada.token} HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
          'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      )
      const first = await new Promise<Buffer>((resolve) => client.once('data', resolve))
      expect([host, path, Number(String(first).slice(9, 12))]).toEqual([host, path, status])
      client.destroy()
    }
})

/** Requests a socket and returns how that was refused. */
async function upgrade(base: URL, path: string, headers: Record<string, string>) {
  const response = await fetch(new URL(path, base), {
    headers: {
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    },
  })
  const body: any = await response.json()
  return { status: response.status, code: body.code }
}
