import { describe, expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import pino from 'pino'
import { errors, serverError } from '../../src/http/errors.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { requestId } from '../../src/http/request-id.ts'
import { type Answer, consents, password, testApp } from '../app.ts'
import { oneNodeTest, sqliteTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'

const ofOneNode = oneNodeTest('nginx refuses such paths itself')

const json = { 'content-type': 'application/json' }
const unknownId = '01a1fdfa-4600-7000-8000-000000000000'

test('every answer has its own request id, and errors contain it', async () => {
  const { request, person } = await testApp()
  const ada = await person('Ada')
  const answers = [
    await ada.get('me'),
    await request('HEAD', 'me', { headers: { authorization: `Bearer ${ada.token}` } }),
    await request('GET', 'me'),
    await request('GET', 'legal/terms'),
    await request('GET', 'legal/terms', { headers: { accept: 'text/markdown' } }),
    await request('GET', '/nowhere'),
    await request('PATCH', 'me'),
    await request('POST', 'auth/login', { body: '{', headers: json }),
    await request('POST', 'auth/login', { body: {} }),
    await ada.get(`users/${unknownId}`),
    await ada.post('auth/logout'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200, 200, 404, 405, 400, 422, 404, 204])
  const ids = answers.map(({ headers }) => headers.get('x-request-id'))
  for (const id of ids) expect(id).toMatch(/^[0-9a-z-]{8,}$/)
  expect(new Set(ids).size).toBe(ids.length)
})

ofOneNode('is a problem where it is an error, also over real HTTP', async () => {
  const { listen } = await testApp()
  const base = await listen()
  for (const [method, path, status, code] of [
    ['GET', '/nowhere', 404, 'not_found'],
    ['GET', '/api/v1/me', 401, 'unauthenticated'],
    ['PUT', '/api/v1/legal/terms', 405, 'method_not_allowed'],
    ['PROPFIND', '/api/v1/me', 405, 'method_not_allowed'],
    ['GET', '/api/v1/legal/%ZZ', 404, 'not_found'],
    ['GET', '/api/v1/legal/%00', 404, 'not_found'],
    ['GET', '/%', 404, 'not_found'],
  ] as const)
    expectProblem(await answerOf(fetch(`${base.origin}${path}`, { method })), status, code)
})

describe('a method that a path does not support', () => {
  test.each([
    ['PATCH', 'me', 'GET, HEAD, PUT'],
    ['DELETE', 'me/prefs', 'GET, HEAD, PUT'],
    ['DELETE', 'me/prefs/', 'GET, HEAD, PUT'],
    ['GET', 'auth/login', 'POST'],
    ['HEAD', 'auth/login', 'POST'],
    ['OPTIONS', 'auth/login', 'POST'],
    ['POST', `users/${unknownId}`, 'GET, HEAD'],
    ['GET', `me/sessions/${unknownId}`, 'DELETE'],
    ['POST', 'legal/terms', 'GET, HEAD'],
  ])('%s %s is 405, and Allow names those that it does', async (method, path, allow) => {
    const { request } = await testApp()
    const answer = await request(method, path)
    if (method === 'HEAD') expect(answer.status).toBe(405)
    else expectProblem(answer, 405, 'method_not_allowed')
    const allowed = answer.headers.get('allow')!.split(', ')
    // Other features may add methods to a path.
    expect(allowed).toEqual(expect.arrayContaining(allow.split(', ')))
    expect(allowed).not.toContain(method)
  })

  test('is 404 if there is no such path', async () => {
    const { request } = await testApp()
    for (const path of ['/api', '/api/v1', '/api/v1/', '/api/v2/me', '/me', '/api/v1/users', '/api/v1/me/prefs/x']) {
      const answer = await request('PATCH', path)
      expectProblem(answer, 404, 'not_found')
      expect(answer.headers.get('allow')).toBeNull()
    }
  })
})

describe('an error contains nothing of the request', () => {
  const marker = 'xyzzy-plugh-4711'
  test.each([
    ['GET', `${marker}`, undefined, {}],
    ['GET', `legal/${marker}`, undefined, {}],
    ['GET', `legal/terms?lang=${marker.repeat(3)}`, undefined, {}],
    ['GET', `me?_t=${marker}`, undefined, {}],
    ['GET', 'me', undefined, { authorization: `Bearer ${marker}` }],
    ['GET', 'me', undefined, { cookie: `app_at=${marker}` }],
    ['POST', 'auth/login', { email: marker, password: [marker] }, {}],
    ['POST', 'auth/login', { email: marker, password: marker }, {}],
    ['POST', 'auth/refresh', { refresh_token: marker }, {}],
    ['POST', 'auth/messenger', { init_data: marker }, {}],
    ['POST', 'auth/register', { email: marker, phone: marker, password: [marker], name: { [marker]: marker } }, {}],
    ['POST', 'auth/register', { email: marker, password: '\u0000', name: marker, gender: marker, consents }, {}],
    ['POST', 'auth/login', marker, {}],
    ['POST', 'auth/login', `{"${marker}":`, json],
    ['POST', 'auth/login', 'x', { 'content-type': marker }],
  ] as [string, string, unknown, Record<string, string>][])('%s %s %j', async (method, path, body, headers) => {
    const { request } = await testApp()
    const answer = await request(method, path, { body, headers })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).not.toBe(500)
    expect(answer.text).not.toContain(marker)
    expect(JSON.stringify(answer.headers)).not.toContain(marker)
  })

  test('and for an invalid answer of our own, neither the client nor the log gets the values', async () => {
    const lines: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) })
    const app = new Elysia()
      .use(requestId)
      .use(
        errors({
          log,
          storage: { failed() {} },
          room: { refused() {} },
          allowedMethods: () => [],
          notFoundPage: () => null,
        }),
      )
      .get('/wrong', () => ({ access_token: 'eyJ-secret', position: 48.85 }) as never, {
        response: { 200: t.Object({ access_token: t.Number(), position: t.String() }) },
      })
    const response = await app.handle(new Request('http://localhost/wrong'))
    expectProblem(await answerOf(response), 500, 'internal_error')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('/access_token')
    expect(lines[0]).not.toContain('eyJ-secret')
    expect(lines[0]).not.toContain('48.85')
  })
})

test('an internal error is a 500 with only its request id, and the log has the details', async () => {
  const { person, rows, services } = await testApp()
  const ada = await person('Ada')
  const logged: unknown[] = []
  services.log.error = ((fields: unknown) => logged.push(fields)) as never
  await rows('ALTER TABLE preferences RENAME TO mislaid')
  for (const ask of [() => ada.get('me/prefs'), () => ada.put('me/prefs', { drinks: ['tea'] })]) {
    const answer = await ask()
    expectProblem(answer, 500, 'internal_error')
    expect(answer.text).not.toMatch(/preferences|SQL|table|\.ts|at /i)
    expect(logged.pop()).toMatchObject({ request_id: answer.body.request_id, err: expect.any(Error) })
  }
  // The server continues.
  expect((await ada.get('me')).status).toBe(200)
})

sqliteTest('a disk without room is a 503 that says when to come back', async () => {
  const { person, db, logged } = await testApp()
  const ada = await person('Ada')
  // No page of the file is free any longer, once the reads of this turn have ended.
  await new Promise(setImmediate)
  db.$client.run('VACUUM')
  const { page_count } = db.$client.query<{ page_count: number }, []>('PRAGMA page_count').get()!
  db.$client.run(`PRAGMA max_page_count = ${page_count}`)
  const large = Array.from({ length: 20 }, (_, i) => `${i} ${'ж'.repeat(37)}`)
  const answer = await ada.put('me/prefs', { drinks: large, activities: large, purposes: large })
  expectProblem(answer, 503, 'storage_full')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  const told = logged()
    .split('\n')
    .filter((line) => line.includes('request failed'))
  expect(told.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', request_id: answer.body.request_id }])
  db.$client.run('PRAGMA max_page_count = 1000000')
  expect((await ada.get('me/prefs')).body.drinks).toEqual([])
  expect((await ada.put('me/prefs', { drinks: large, activities: large, purposes: large })).status).toBe(200)
})

test('internal errors are passed to storage, which can tell a failed disk, and refusals are not', async () => {
  const told: unknown[] = []
  const log = pino({ level: 'silent' })
  const broken = new Error('database disk image is malformed')
  const app = new Elysia()
    .use(requestId)
    .use(
      errors({
        log,
        storage: { failed: (error) => void told.push(error) },
        room: { refused() {} },
        allowedMethods: () => [],
        notFoundPage: () => null,
      }),
    )
    .get('/broken', () => Promise.reject(broken))
    .get('/busy', () => Promise.reject(new Refusal('busy', 'Later.')))
  for (const path of ['busy', 'broken']) await app.handle(new Request(`http://localhost/${path}`))
  expect(told).toEqual([broken])
})

test('an error outside every route is an internal error too', async () => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) })
  expectProblem(await answerOf(serverError(log)(new Error('ENOENT /var/lib/convene'))), 500, 'internal_error')
  expect(lines[0]).toContain('ENOENT')
})

describe('a body', () => {
  const put = async (body: string | Uint8Array, headers: Record<string, string> = json) => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const answer = await ada.put('me', body, headers)
    return { answer, name: (await ada.get('me')).body.name }
  }

  test.each([
    ['not JSON', '{"name": "Eve"'],
    ['JSON with more after it', '{"name": "Eve"} {}'],
    ['not UTF-8', Buffer.from('{"name": "Ev\xe9"}', 'latin1')],
    ['UTF-16', Buffer.from('\ufeff{"name": "Eve"}', 'utf16le')],
    ['NaN', '{"name": NaN}'],
    ['white space', '   '],
  ])('that is %s is malformed', async (_, body) => {
    const { answer, name } = await put(body as string | Uint8Array)
    expectProblem(answer, 400, 'malformed_body')
    expect(name).toBe('Ada')
  })

  test.each(['[]', '"Eve"', '1', 'null', 'true'])('that is %s instead of an object is invalid', async (body) => {
    expectProblem((await put(body)).answer, 422, 'validation_failed')
  })

  test.each([
    ['a form', 'application/x-www-form-urlencoded', 'name=Eve'],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="name"\r\n\r\nEve\r\n--x--\r\n',
    ],
    ['plain text', 'text/plain', '{"name": "Eve"}'],
    ['plain text with a hint', 'text/plain; application/json', '{"name": "Eve"}'],
    ['JSON by another name', 'application/jsonp', '{"name": "Eve"}'],
    ['bytes', 'application/octet-stream', '{"name": "Eve"}'],
  ])('that is %s is not taken', async (_, type, body) => {
    const { answer, name } = await put(body, { 'content-type': type })
    expectProblem(answer, 415, 'unsupported_media_type')
    expect(name).toBe('Ada')
  })

  test('without a content type is refused', async () => {
    const { answer } = await put(Buffer.from('{"name": "Eve"}'), {})
    expectProblem(answer, 415, 'unsupported_media_type')
  })

  test('that is compressed is refused', async () => {
    const { answer, name } = await put(Bun.gzipSync(Buffer.from('{"name": "Eve"}')), {
      ...json,
      'content-encoding': 'gzip',
    })
    expectProblem(answer, 415, 'unsupported_media_type')
    expect(name).toBe('Ada')
  })

  test('may state its charset, and begin with a byte order mark', async () => {
    const { name } = await put('\ufeff{"name": "Евa"}', { 'content-type': 'Application/JSON; charset=utf-8' })
    expect(name).toBe('Евa')
  })

  test('may be absent if none is needed', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    expect((await ada.post('auth/logout')).status).toBe(204)
  })

  test.each(['', 'application/json'])('may be empty without a declared length, with the type "%s"', async (type) => {
    const { person, listen } = await testApp()
    const [ada, bob] = [await person('Ada'), await person('Bob')]
    const chat = (await ada.post('chats', { user_id: bob.id })).body
    // A stream that ends later is sent in chunks.
    const body = new ReadableStream({ pull: (controller) => Bun.sleep(0).then(() => controller.close()) })
    const headers = { authorization: `Bearer ${ada.token}`, ...(type !== '' && { 'content-type': type }) }
    const url = new URL(`/api/v1/chats/${chat.id}/read`, await listen())
    expect((await answerOf(fetch(url, { method: 'PUT', body, headers }))).body).toEqual({ read: 0, read_at: null })
  })

  test('loses unknown fields, and never sets a prototype', async () => {
    const { person, rows } = await testApp()
    const ada = await person('Ada')
    const body =
      '{"name":"Eve","id":"x","role":"admin","email":"eve@example.org","password_hash":"x","visible":false,"deleted_at":1,' +
      '"__proto__":{"role":"admin","polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    const answer = await ada.put('me', body, json)
    expect(answer.body).toMatchObject({ id: ada.id, name: 'Eve', role: 'user', email: ada.email, visible: true })
    expect(answer.body).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('polluted')
    const [row] = await rows('SELECT * FROM users WHERE id = ?', ada.id)
    expect(row).toMatchObject({ role: 'user', email: ada.email, deleted_at: null })
    expect(row!.password_hash).not.toBe('x')
  })

  test('that is nested too deeply is refused and is no internal error', async () => {
    const { request } = await testApp()
    const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const person = '"email":"deep@example.org","password":"correct horse battery","name":"Deep"'
    for (const depth of [100, 10_000, 32_000])
      for (const body of [deep(depth), `{${person},"consents":${deep(depth)}}`, `{${person},"bio":${deep(depth)}}`]) {
        const answer = await request('POST', 'auth/register', { body, headers: json })
        expect([400, 422]).toContain(answer.status)
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
      }
  })
})

describe('64 KiB', () => {
  const limit = 64 * 1024
  const sized = (bytes: number) => '{"name":"Eve"}'.padEnd(bytes)

  test('is the largest body, with a declared length or in chunks', async () => {
    const { person, listen } = await testApp()
    const ada = await person('Ada')
    const url = new URL('/api/v1/me', await listen())
    const put = (body: string | ReadableStream) =>
      answerOf(fetch(url, { method: 'PUT', body, headers: { ...json, authorization: `Bearer ${ada.token}` } }))
    const chunked = (text: string) =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < text.length; at += 10_000) controller.enqueue(Buffer.from(text.slice(at, at + 10_000)))
          controller.close()
        },
      })

    for (const form of [(text: string) => text, chunked]) {
      expect((await put(form(sized(limit)))).status).toBe(200)
      expectProblem(await put(form(sized(limit + 1))), 413, 'payload_too_large')
      expectProblem(await put(form(sized(limit * 20))), 413, 'payload_too_large')
      // The same connection or the next one continues to work.
      expect((await put(form(sized(100)))).status).toBe(200)
    }
  })

  test('counts bytes, not characters', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const body = `{"bio":"${'ж'.repeat(limit / 2)}"}`
    expect(body.length).toBeLessThan(limit)
    expectProblem(await ada.put('me', body, json), 413, 'payload_too_large')
  })
})

test('the body of a caller without a session is not read: they only learn that they are not signed in', async () => {
  const { request } = await testApp()
  for (const body of ['{', 'x'.repeat(70_000), '{"name":1}'])
    expectProblem(await request('PUT', 'me', { body, headers: json }), 401, 'unauthenticated')
})

describe('invalid fields are named', () => {
  test('in the body', async () => {
    const { request } = await testApp()
    const answer = await request('POST', 'auth/register', {
      body: {
        email: 'no address',
        phone: '123',
        password: 'short',
        name: ' ',
        gender: 'x',
        city: 1,
        bio: 'x'.repeat(501),
      },
    })
    const paths = expectProblem(answer, 422, 'validation_failed')
    expect(paths.sort()).toEqual(['/bio', '/city', '/email', '/gender', '/name', '/password', '/phone'])
    const messages = Object.fromEntries(
      answer.body.errors.map((e: { path: string; message: string }) => [e.path, e.message]),
    )
    expect(messages['/password']).toBe('Expected 8 to 200 characters')
    expect(messages['/gender']).toBe('Expected female, male or other, or null')
  })

  test('in the query', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    for (const limit of ['0', '101', '-1', '1.5', 'x', 'NaN', '', '٣'])
      expect(expectProblem(await ada.get(`me/sessions?limit=${limit}`), 422, 'validation_failed')).toEqual(['/limit'])
    for (const since of ['-1', '%20', '1e2', '0x10'])
      expect(expectProblem(await ada.get(`sync?since=${since}`), 422, 'validation_failed')).toEqual(['/since'])
    for (const cursor of ['x', 'bnVsbA', Buffer.from('["sessions","x",1]').toString('base64url')])
      expect(expectProblem(await ada.get(`me/sessions?cursor=${cursor}`), 422, 'validation_failed')).toEqual([
        '/cursor',
      ])
  })

  test('up to 20 of them, however many there are', async () => {
    const { person } = await testApp()
    const drinks = Array.from({ length: 60 }, () => 7)
    const answer = await (await person('Ada')).put('me/prefs', { drinks })
    expect(expectProblem(answer, 422, 'validation_failed')).toHaveLength(20)
  })

  ofOneNode('and a path parameter that is no id is like an unknown one', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    for (const id of [unknownId, 'x', '1', unknownId.slice(1), `${unknownId}0`, '%00', '..%2fme', "'%20OR%201=1"])
      expectProblem(await ada.get(`users/${id}`), 404, 'not_found')
  })
})

test('null is accepted for optional fields, because some clients send all fields', async () => {
  const { person, request } = await testApp()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const account = { email: null, phone: '+4915112345678', password, name: 'Eve', consents }
  const eve = await request('POST', 'auth/register', { body: { ...account, city: null, bio: null, gender: null } })
  expect([eve.status, eve.body.user.email, eve.body.user.phone]).toEqual([201, null, account.phone])
  const login = { email: null, phone: account.phone, password }
  expect((await request('POST', 'auth/login', { body: login })).status).toBe(200)
  const nobody = { email: null, phone: null, password }
  expect(expectProblem(await request('POST', 'auth/login', { body: nobody }), 422, 'validation_failed')).toEqual([
    '/email',
  ])

  const { id } = (await ada.post('chats', { user_id: bob.id })).body
  const messages = `chats/${id}/messages`
  const plain = { kind: null, text: 'Hello', photo: null, client_id: null }
  for (let i = 0; i < 2; i++) {
    const { status, body } = await ada.post(messages, plain)
    // A client_id of null does not count as one.
    expect([status, body.kind, body.text, body.photo, body.client_id]).toEqual([201, 'text', 'Hello', null, null])
  }
  const pixel = Buffer.from('R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
  const form = new FormData()
  form.append('file', new Blob([pixel]))
  const photo = (await ada.post('media', form)).body.id
  const sent = await ada.post(messages, { kind: 'photo', text: null, photo, client_id: 'p1' })
  expect([sent.status, sent.body.text, sent.body.photo.id]).toEqual([201, null, photo])
  for (const [body, path] of [
    [{ ...plain, text: null }, '/text'],
    [{ ...plain, kind: 'photo' }, '/photo'],
  ] as const)
    expect(expectProblem(await ada.post(messages, body), 422, 'validation_failed')).toEqual([path])

  await bob.post(messages, { text: 'Hello too' })
  const review = { chat_id: id, rating: 5, anonymous: null, text: null }
  expect((await ada.post('reviews', review)).body).toMatchObject({ anonymous: false, text: null })
  const report = { user_id: bob.id, message_id: null, review_id: null, reason: 'spam', details: null }
  expect((await ada.post('reports', report)).status).toBe(201)
  const targetless = { ...report, user_id: null }
  expect(expectProblem(await ada.post('reports', targetless), 422, 'validation_failed')).toEqual(['/user_id'])
  for (const body of [{ password: null }, {}]) expectProblem(await ada.delete('me', body), 403, 'wrong_password')
})

test('an id is accepted in upper and lower case, in path, query and body, and returned in lower case', async () => {
  const { person } = await testApp()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const upper = (id: string) => id.toUpperCase()
  expect((await ada.get(`users/${upper(bob.id)}`)).body.id).toBe(bob.id)
  expect((await ada.post('chats', { user_id: upper(ada.id) })).body.code).toBe('self_not_allowed')
  const chat = (await ada.post('chats', { user_id: upper(bob.id) })).body
  expect(chat.user.id).toBe(bob.id)
  expect((await bob.post('chats', { user_id: ada.id })).body.id).toBe(chat.id)
  const first = (await ada.post(`chats/${upper(chat.id)}/messages`, { text: 'one' })).body
  expect(first.chat_id).toBe(chat.id)
  const second = (await ada.post(`chats/${chat.id}/messages`, { text: 'two' })).body
  const later = await bob.get(`chats/${chat.id}/messages?after=${upper(first.id)}`)
  expect(later.body.items.map(({ id }: { id: string }) => id)).toEqual([second.id])
  const block = await ada.post('blocks', { user_id: upper(bob.id) })
  expect(block.body.user_id).toBe(bob.id)
  expect((await ada.delete(`blocks/${upper(block.body.id)}`)).status).toBe(204)
})

async function answerOf(answered: Response | Promise<Response>): Promise<Answer> {
  const { status, headers, text } = await Promise.resolve(answered).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }))
  const isJson = /json/.test(headers.get('content-type') ?? '')
  return { status, headers, text, body: isJson ? JSON.parse(text) : null }
}
