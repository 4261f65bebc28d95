import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWebFiles, type WebFile } from '../../src/http/web-files.ts'
import { consents, password } from '../app.ts'
import { convene, startServer } from '../convene.ts'
import { painting, uploadOf, pngOf } from '../pictures.ts'
import { openSilentClients } from '../silent-clients.ts'
import { type Client, connect, ofType } from '../socket-client.ts'
import { until } from '../until.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

type Person = { id: string; token: string }

/** A server with three threads that answer. Each request opens a connection of its own, and so reaches any of them. */
async function start(settings: Record<string, string> = {}, dataDir = newDirectory()) {
  const server = await startServer({ DATA_DIR: dataDir, RATE_LIMIT: 'off', WORKERS: '3', ...settings })
  cleanUp.push(() => server.end('SIGKILL'))
  const ask = async (method: string, path: string, { token }: { token?: string } = {}, body?: object, more = {}) => {
    const isForm = body instanceof FormData
    const answer = await fetch(new URL(path, server.base), {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
        ...more,
      },
      body: body && (isForm ? body : JSON.stringify(body)),
      keepalive: false,
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false
    return { status: answer.status, headers: answer.headers, text, body: isJson && text ? JSON.parse(text) : null }
  }
  const person = async (name: string): Promise<Person> => {
    const email = `${name}-${crypto.randomUUID()}@example.org`
    const { body } = await ask('POST', '/api/v1/auth/register', {}, { email, password, name, consents })
    return { id: body.user.id, token: body.access_token }
  }
  const sockets = (of: Person, count: number): Promise<Client[]> =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const client = connect(server.base, of.token)
        await client.until(ofType('hello'))
        return client
      }),
    )
  return { server, dataDir, ask, person, sockets }
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'convene-workers-'))
  cleanUp.push(() => rmSync(directory, { recursive: true }))
  return directory
}

test('sockets on any thread get each event once and in order, and whoever is answered reads it on any thread', async () => {
  const { ask, person, sockets } = await start()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const chat = (await ask('POST', '/api/v1/chats', ada, { user_id: bob.id })).body.id
  const clients = [...(await sockets(ada, 6)), ...(await sockets(bob, 6))]
  const talk = async (sender: Person, other: Person) => {
    for (let i = 0; i < 40; i++) {
      const sent = await ask('POST', `/api/v1/chats/${chat}/messages`, sender, { text: `Message ${i}` })
      expect(sent.status).toBe(201)
      const list = await ask('GET', `/api/v1/chats/${chat}/messages?limit=20`, other)
      expect(list.body.items.map(({ id }: { id: string }) => id)).toContain(sent.body.id)
    }
  }
  await Promise.all([talk(ada, bob), talk(bob, ada)])
  for (const { seqs, frames } of clients) {
    await until(() => frames.filter(ofType('message')).length >= 80, 'all messages have come')
    const numbers = seqs()
    expect(numbers).toEqual(numbers.map((_, i) => numbers[0]! + i))
    expect(frames.filter(ofType('message'))).toHaveLength(80)
  }
})

test('a session that has ended is refused by every thread from then on, and its sockets close on all of them', async () => {
  const { ask, person, sockets } = await start()
  const ada = await person('Ada')
  const clients = await sockets(ada, 9)
  // Every thread remembers the token.
  await Promise.all(Array.from({ length: 20 }, () => ask('GET', '/api/v1/me', ada)))
  expect((await ask('POST', '/api/v1/auth/logout', ada)).status).toBe(204)
  const after = await Promise.all(Array.from({ length: 30 }, () => ask('GET', '/api/v1/me', ada)))
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
  expect(new Set(await Promise.all(clients.map(({ closed }) => closed)))).toEqual(new Set([4401]))
})

test('a profile that was changed is shown so by every thread from the answer on', async () => {
  const { ask, person } = await start()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  for (let i = 0; i < 15; i++) {
    expect((await ask('PUT', '/api/v1/me', ada, { name: `Ada ${i}` })).status).toBe(200)
    const seen = await Promise.all(Array.from({ length: 8 }, () => ask('GET', `/api/v1/users/${ada.id}`, bob)))
    expect(new Set(seen.map(({ body }) => body.name))).toEqual(new Set([`Ada ${i}`]))
  }
})

test('the threads count limits together, by where a request comes from', async () => {
  const { ask, person } = await start({ RATE_LIMIT: 'send=10/1m,register=3/1h' })
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const chat = (await ask('POST', '/api/v1/chats', ada, { user_id: bob.id })).body.id
  const sent = await Promise.all(
    Array.from({ length: 25 }, (_, i) => ask('POST', `/api/v1/chats/${chat}/messages`, ada, { text: `Number ${i}` })),
  )
  expect(sent.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(sent.filter(({ status }) => status === 429)).toHaveLength(15)
  // Nobody says for themselves where they come from.
  const account = { email: 'cleo@example.org', password, name: 'Cleo', consents }
  const register = (i: number) =>
    ask(
      'POST',
      '/api/v1/auth/register',
      {},
      { ...account, email: `cleo-${i}@example.org` },
      { 'x-convene-peer': `203.0.113.${i}` },
    )
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await register(i)).status)
  expect(statuses).toEqual([201, 429, 429])
})

test('images, exports, errors, cookies and preflights are as with one thread', async () => {
  const { ask, person } = await start({ CORS_ORIGINS: 'https://app.example.org' })
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const photo = await ask('POST', '/api/v1/media', ada, uploadOf(pngOf(painting(1), 64, 48)))
  expect(photo.status).toBe(201)
  const chat = (await ask('POST', '/api/v1/chats', ada, { user_id: bob.id })).body.id
  const message = await ask('POST', `/api/v1/chats/${chat}/messages`, ada, { kind: 'photo', photo: photo.body.id })
  expect(message.status).toBe(201)
  expect((await ask('GET', message.body.photo.url, bob)).headers.get('content-type')).toBe('image/webp')
  const whole = await ask('GET', '/api/v1/me/export', ada)
  expect([whole.status, JSON.stringify(whole.body)]).toEqual([200, expect.stringContaining(message.body.id)])

  expect((await ask('GET', '/api/v1/nothing', ada)).status).toBe(404)
  expect((await ask('PATCH', '/api/v1/me', ada)).status).toBe(405)
  expect((await ask('PUT', '/api/v1/me', ada, { name: 'x'.repeat(70_000) })).status).toBe(413)
  const unknown = await ask('GET', `/api/v1/chats/${crypto.randomUUID()}/messages`, ada)
  expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found'])
  const preflight = await ask('OPTIONS', '/api/v1/me', {}, undefined, {
    origin: 'https://app.example.org',
    'access-control-request-method': 'PUT',
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example.org')
  const account = { email: 'dan@example.org', password, name: 'Dan', consents }
  const cookies = (await ask('POST', '/api/v1/auth/register', {}, account)).headers.getSetCookie()
  expect(cookies.length).toBeGreaterThan(1)
})

test('SIGHUP reloads the settings of all threads, and the log says so once', async () => {
  const dataDir = newDirectory()
  const legal = join(dataDir, 'legal')
  mkdirSync(legal)
  const write = (text: string) => writeFileSync(join(legal, 'terms.en.md'), text)
  write('The terms of old.')
  const { server, ask } = await start({ LEGAL_DIR: legal, LOG_LEVEL: 'info' }, dataDir)
  const texts = () =>
    Promise.all(Array.from({ length: 24 }, async () => (await ask('GET', '/api/v1/legal/terms')).body.text))
  expect([...new Set(await texts())]).toEqual(['The terms of old.'])
  const count = (line: string) => server.log().split(line).length - 1

  write('The terms of today.')
  process.kill(server.pid, 'SIGHUP')
  await until(async () => !(await texts()).includes('The terms of old.'), 'all threads have the new text')
  expect(count('settings and texts are reloaded')).toBe(1)

  write(' ')
  process.kill(server.pid, 'SIGHUP')
  await until(() => count('settings are not reloaded') > 0, 'it says that the text is empty')
  expect([...new Set(await texts())]).toEqual(['The terms of today.'])
  expect(count('settings are not reloaded')).toBe(1)
}, 60_000)

test('metrics are those of all threads', async () => {
  const { ask, person, sockets } = await start()
  const ada = await person('Ada')
  await sockets(ada, 7)
  await Promise.all(Array.from({ length: 12 }, () => ask('GET', '/api/v1/chats', ada)))
  const { text } = await ask('GET', '/metrics')
  const valueOf = (metric: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${metric} `))
        ?.split(' ')
        .at(-1),
    )
  expect(valueOf('convene_sockets')).toBe(7)
  expect(valueOf('convene_starts_recent')).toBe(1)
  expect(valueOf('convene_write_group_size_count')).toBeGreaterThan(0)
  const answered = 'convene_http_request_duration_seconds_count{method="GET",route="/api/v1/chats",status="200"}'
  expect(valueOf(answered)).toBe(12)
  expect(valueOf('process_resident_memory_bytes')).toBeGreaterThan(0)
  // That of the process, not a sum.
  expect(Math.abs(valueOf('process_start_time_seconds') - Date.now() / 1000)).toBeLessThan(600)
  expect(valueOf('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
})

async function silentClients(count: number, { base }: { base: URL }, request: string) {
  const clients = await openSilentClients(count, Number(base.port), request)
  cleanUp.push(clients.close)
}

/** What is answered to a request that is written as it is, headers and body. */
async function answerTo({ base }: { base: URL }, request: string): Promise<string> {
  const answered = Promise.withResolvers<void>()
  let answer = ''
  const client = await Bun.connect({
    ...{ hostname: base.hostname, port: Number(base.port) },
    socket: {
      open: (socket) => void socket.write(request),
      data(_, bytes) {
        answer += bytes.toString()
        if (/\r\n\r\n./s.test(answer)) answered.resolve()
      },
      close: () => answered.resolve(),
    },
  })
  await answered.promise
  client.end()
  return answer
}

const login = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
const chunked = `${login}Transfer-Encoding: chunked\r\n\r\n`

test('a client that sends its body slowly holds up nobody', async () => {
  const { server, ask, person } = await start()
  const ada = await person('Ada')
  await silentClients(300, server, `${login}Content-Length: 90\r\n\r\n{`)
  await silentClients(300, server, `${chunked}1\r\n{\r\n`)
  expect((await ask('GET', '/api/v1/me/sessions', ada)).status).toBe(200)
  const body = JSON.stringify({ email: 'nobody@example.org', password })
  const answer = await answerTo(server, `${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
  expect(answer).toContain('invalid_credentials')
})

test('the refusal of one upload too many has a request id, and is counted', async () => {
  const { server, ask } = await start({ WORKERS: '1' })
  const upload = `${login}Content-Length: 100000\r\n\r\n${' '.repeat(70_000)}`
  const answers = await Promise.all(Array.from({ length: 200 }, () => answerTo(server, upload)))
  const refusals = answers.filter((answer) => answer.includes('"code":"busy"'))
  expect(refusals.length).toBeGreaterThan(0)
  for (const refusal of refusals) expect(refusal).toMatch(/"request_id":"[^"]+"/)
  expect((await ask('GET', '/metrics')).text).toContain(`convene_problems_total{code="busy"} ${refusals.length}\n`)
})

const web = await openWebFiles()

test.skipIf(web === null)('clients that do not read their answers hold up nobody', async () => {
  const { server } = await start({ WORKERS: '2' })
  const sizeOf = ({ encodings }: WebFile) => Bun.file(encodings.identity!).size
  const [largest] = web!.assets.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  await silentClients(400, server, `GET /assets/${largest!.name} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  for (let i = 0; i < 5; i++) {
    const signal = AbortSignal.timeout(10_000)
    expect((await fetch(new URL('/health', server.base), { keepalive: false, signal })).status).toBe(200)
  }
})

test('a path that begins with two slashes, or has a fragment, is as unknown as with one thread', async () => {
  const statuses = (server: { base: URL }) =>
    Promise.all(
      ['/ready', '//ready', '///ready', '/\\ready', '/ready#f', '/ready?x#f', '/READY', '//api/v1/me'].map(
        async (path) => (await answerTo(server, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)).split(' ')[1],
      ),
    )
  const { server } = await start({ WORKERS: '1' })
  const { server: alone } = await start({ WORKERS: '0' })
  const found = await statuses(alone)
  expect(found.slice(0, 5)).toEqual(['200', '404', '404', '404', '404'])
  expect(await statuses(server)).toEqual(found)
})

test('a stop closes the sockets of all threads for a restart, finishes requests, and leaves one whole file', async () => {
  const { server, dataDir, ask, person, sockets } = await start()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const chat = (await ask('POST', '/api/v1/chats', ada, { user_id: bob.id })).body.id
  const clients = await sockets(bob, 6)
  let sent = 0
  let isOver = false
  const sending = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const answer = await ask('POST', `/api/v1/chats/${chat}/messages`, ada, { text: 'Hello' }).catch(() => null)
        if (answer?.status === 201) sent++
        else isOver = true
      }
    }),
  )
  await Bun.sleep(300)
  expect(await server.end('SIGTERM')).toBe(0)
  isOver = true
  await sending
  expect(new Set(await Promise.all(clients.map(({ closed }) => closed)))).toEqual(new Set([1012]))
  expect(messagesIn(dataDir)).toBeGreaterThanOrEqual(sent)
  expect((await convene(['check'], { DATA_DIR: dataDir })).out).not.toContain('damaged')
})

test('every send that was answered is there after a kill', async () => {
  const { server, dataDir, ask, person } = await start()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const chat = (await ask('POST', '/api/v1/chats', ada, { user_id: bob.id })).body.id
  let sent = 0
  const sending = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (;;) {
        const answer = await ask('POST', `/api/v1/chats/${chat}/messages`, ada, { text: 'Hello' }).catch(() => null)
        if (answer?.status !== 201) return
        sent++
      }
    }),
  )
  await Bun.sleep(500)
  await server.end('SIGKILL')
  await sending
  expect(sent).toBeGreaterThan(0)
  expect(messagesIn(dataDir)).toBeGreaterThanOrEqual(sent)
  // And the next start, without threads, goes on.
  const again = await start({ WORKERS: '0' }, dataDir)
  expect((await again.ask('GET', `/api/v1/chats/${chat}/messages`, bob)).status).toBe(200)
})

function messagesIn(dataDir: string): number {
  const db = new Database(join(dataDir, 'convene.db'))
  const { n } = db.query<{ n: number }, []>('SELECT count(*) AS n FROM messages').get()!
  db.close()
  return n
}

test('is for one server on a file: elsewhere the start says what to do', async () => {
  const dataDir = newDirectory()
  const places: Record<string, string>[] = [{ DATABASE_URL: 'sqlite::memory:' }, { REDIS_URL: 'redis://127.0.0.1:1' }]
  for (const elsewhere of places) {
    const { code, err } = await convene(['serve'], { DATA_DIR: dataDir, WORKERS: '2', PORT: '0', ...elsewhere })
    expect([code, err]).toEqual([1, expect.stringContaining('WORKERS is for one server on a file of SQLite')])
  }
  const withReplica = { DATA_DIR: dataDir, WORKERS: '2', PORT: '0', REPLICA_URL: newDirectory() }
  const { code, err } = await convene(['serve'], withReplica)
  expect([code, err]).toEqual([1, expect.stringContaining('WORKERS and REPLICA_URL exclude each other')])
})
