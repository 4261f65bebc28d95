import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consents, password } from '../app.ts'
import { command, convene, startServer } from '../convene.ts'
import { type Client, connect, ofType } from '../socket-client.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

async function start(settings: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-drain-'))
  const server = await startServer({ DATA_DIR: dataDir, RATE_LIMIT: 'off', ...settings })
  cleanUp.push(
    () => rmSync(dataDir, { recursive: true }),
    () => server.end('SIGKILL'),
  )
  const ask = async (method: string, path: string, token = '', body?: object) => {
    const answer = await fetch(new URL(path, server.base), {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    })
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
  }
  const person = async (name: string) => {
    const { body } = await ask('POST', '/api/v1/auth/register', '', {
      email: `${name}@example.org`,
      password,
      name,
      consents,
    })
    return { id: body.user.id as string, token: body.access_token as string }
  }
  const socket = async (token: string): Promise<Client> => {
    const client = connect(server.base, token)
    await client.until(ofType('hello'))
    return client
  }
  return { server, ask, person, socket }
}

test('a node that is drained is not ready, answers on, and gives its sockets back one by one', async () => {
  const { server, ask, person, socket } = await start({ DRAIN_SECONDS: '4' })
  const [ada, bob] = [await person('ada'), await person('bob')]
  const chat = (await ask('POST', '/api/v1/chats', ada.token, { user_id: bob.id })).body
  const sockets = await Promise.all(Array.from({ length: 20 }, () => socket(bob.token)))
  const stillOpen = sockets.map(({ closed }) =>
    closed.then((code) => [code, sockets.filter(({ socket }) => socket.readyState === WebSocket.OPEN).length]),
  )
  expect((await ask('GET', '/ready')).headers.get('connection')).not.toBe('close')

  const over = server.end('SIGTERM')
  while ((await ask('GET', '/ready')).status === 200);
  const ready = await ask('GET', '/ready')
  expect([ready.status, ready.body.checks]).toEqual([
    503,
    { storage: 'ok', migrations: 'ok', room: 'ok', running: 'failed' },
  ])
  expect(ready.headers.get('connection')).toBe('close')
  const health = await convene(['health', '--ready'], { PORT: server.base.port })
  expect([health.code, health.err]).toEqual([1, expect.stringMatching(/^convene: Convene \S+ at \S+ is not ready\n$/)])
  expect((await ask('GET', '/health')).status).toBe(200)
  const sent = await ask('POST', `/api/v1/chats/${chat.id}/messages`, ada.token, { text: 'Before it goes.' })
  expect([sent.status, sent.headers.get('connection')]).toEqual([201, 'close'])
  for (const client of sockets) await client.until(({ data }) => data.text === 'Before it goes.')
  const refused = await fetch(new URL(`/ws?token=${bob.token}`, server.base), {
    headers: { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-version': '13', 'sec-websocket-key': 'x' },
  })
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([503, 'shutting_down'])

  const ends = await Promise.all(stillOpen)
  expect(new Set(ends.map(([code]) => code))).toEqual(new Set([1012]))
  // Where the first one went, most were still there.
  expect(Math.max(...ends.map(([, others]) => others!))).toBeGreaterThan(10)
  expect(await over).toBe(0)
})

test('without a time to drain in, all sockets close and the server ends', async () => {
  const { server, person, socket } = await start({})
  const { token } = await person('ada')
  const sockets = await Promise.all([socket(token), socket(token)])
  expect(await server.end('SIGTERM')).toBe(0)
  expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([1012, 1012])
})

test.each(['SIGINT', 'SIGQUIT'] as const)('the end by %s is the same', async (signal) => {
  const { server, person, socket } = await start({})
  const client = await socket((await person('ada')).token)
  expect(await server.end(signal)).toBe(0)
  expect(await client.closed).toBe(1012)
})

test('signals that ask for something else are logged, and end nothing', async () => {
  const { server, ask, person, socket } = await start({})
  const { token } = await person('ada')
  const client = await socket(token)
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
    process.kill(server.pid, signal)
    while (!server.log().includes(`"signal":"${signal}"`)) await Bun.sleep(10)
  }
  expect((await ask('GET', '/api/v1/me', token)).status).toBe(200)
  expect(client.socket.readyState).toBe(WebSocket.OPEN)
  expect(await server.end('SIGTERM')).toBe(0)
})

test('a second SIGINT ends it at once, though it drains', async () => {
  const { server, ask } = await start({ DRAIN_SECONDS: '600' })
  process.kill(server.pid, 'SIGINT')
  while ((await ask('GET', '/ready')).status === 200);
  // A service manager that repeats itself cuts nothing off.
  process.kill(server.pid, 'SIGTERM')
  expect((await ask('GET', '/health')).status).toBe(200)
  expect(await server.end('SIGINT')).toBe(130)
})

test('a terminal that goes ends the server that ran in it like Ctrl+C', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-drain-'))
  const ready = Promise.withResolvers<void>()
  let shown = ''
  const child = Bun.spawn(command, {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir },
    terminal: {
      data(_, bytes) {
        shown += new TextDecoder().decode(bytes)
        if (shown.includes('is ready at')) ready.resolve()
      },
    },
  })
  cleanUp.push(
    () => rmSync(dataDir, { recursive: true }),
    () => child.kill('SIGKILL'),
  )
  await ready.promise
  // Text for people, in place of JSON.
  expect(shown).not.toContain('"level"')
  child.kill('SIGHUP')
  expect(await child.exited).toBe(0)
  expect(shown).toContain('SIGHUP')
})
