import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefused, longestText, readMaintenance } from '../../src/features/maintenance/rules.ts'
import { consents, password, type TestApp, testApp } from '../app.ts'
import { convene, startServer } from '../convene.ts'
import { connect, ofType } from '../socket-client.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

const text = 'We move until 22:00 UTC.'

/** Does what the command does, and what each node does within a second. */
async function mode(app: TestApp, on: boolean) {
  await app.services.maintenance.set(on ? { text, since: app.clock.now, retryAfterS: 90 } : null)
  for (const { services } of app.nodes) await services.maintenance.look()
}

test('users can read but not write, and are told why, until it is over', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  const chat = (await ada.post('chats', { user_id: bob.id })).body
  await mode(app, true)
  const refused = await ada.post(`chats/${chat.id}/messages`, { text: 'hello' })
  expect([refused.status, refused.body]).toEqual([
    503,
    {
      type: 'urn:convene:problem:maintenance',
      title: 'Maintenance',
      status: 503,
      detail: text,
      code: 'maintenance',
      request_id: expect.any(String),
    },
  ])
  expect(refused.headers.get('retry-after')).toBe('90')
  expect(refused.headers.get('x-request-id')).toBe(refused.body.request_id)
  for (const answer of [
    await ada.put('me', { name: 'Eve' }),
    await app.request('DELETE', '/api/v1/me', { headers: { authorization: `Bearer ${ada.token}` } }),
    await app.request('POST', '/api/v1/auth/register', { body: {} }),
    await app.request('POST', '/api/v1/auth/messenger', { body: {} }),
    // This check comes before any other, such as that of an unknown path.
    await app.request('POST', '/api/v1/none'),
  ])
    expect([answer.status, answer.body.code]).toEqual([503, 'maintenance'])
  expect((await ada.get(`chats/${chat.id}/messages`)).body.items).toEqual([])
  expect((await ada.get('me')).body.name).toBe('Ada')
  expect((await app.request('GET', '/ready')).status).toBe(200)

  await mode(app, false)
  expect((await ada.post(`chats/${chat.id}/messages`, { text: 'hello' })).status).toBe(201)
  expect((await ada.get('me')).body.name).toBe('Ada')
})

test('users sign in and stay signed in, and staff continue to decide', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  await mode(app, true)
  const signedIn = await app.request('POST', '/api/v1/auth/login', { body: { email: ada.email, password } })
  expect(signedIn.status).toBe(200)
  const refreshed = await app.request('POST', '/api/v1/auth/refresh', {
    body: { refresh_token: signedIn.body.refresh_token },
  })
  expect(refreshed.status).toBe(200)
  // It gives nobody a role.
  expect((await ada.post('admin/rules', {})).status).toBe(403)
  expect((await app.as(refreshed.body.access_token).post('auth/logout')).status).toBe(204)
})

test('a page of another origin may read the reason', async () => {
  const app = await testApp({ CORS_ORIGINS: 'https://app.example.org' })
  await mode(app, true)
  const answer = await app.request('POST', '/api/v1/chats', { headers: { origin: 'https://app.example.org' } })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([503, 'https://app.example.org'])
})

test('open sockets are told when it begins and ends', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const client = connect(await app.listen(), ada.token)
  cleanUp.push(() => client.socket.close())
  await client.until(ofType('hello'))
  await mode(app, true)
  expect((await client.until(ofType('maintenance'))).data).toEqual({ on: true, text })
  await mode(app, false)
  const over = await client.until((frame) => frame.type === 'maintenance' && !(frame.data as { on: boolean }).on)
  expect(over.data).toEqual({ on: false, text: null })
})

test('every write is refused except signing in and out and the work of staff', () => {
  const refused = [
    'POST /api/v1/chats',
    'PUT /api/v1/me',
    'PATCH /x',
    'POST /api/v1/auth/register',
    'POST /api/v1/auth/loginx',
  ]
  const allowed = [
    'GET /api/v1/chats',
    'HEAD /',
    'OPTIONS /api/v1/chats',
    'POST /api/v1/auth/login',
    'POST /api/v1/auth/passkey/options',
    'PUT /api/v1/admin/rules/1',
  ]
  const outcome = (each: string) => isRefused(...(each.split(' ') as [string, string]))
  expect([refused.map(outcome), allowed.map(outcome)]).toEqual([refused.map(() => true), allowed.map(() => false)])
})

test('a stored value of another release counts as no maintenance, and causes no error', () => {
  for (const stored of [undefined, '', '{', '{"text":1}', 'null', '[]']) expect(readMaintenance(stored)).toBeNull()
})

test('the command has taken effect on a running server when it returns, and after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'convene-maintenance-'))
  cleanUp.push(() => rmSync(dataDir, { recursive: true }))
  const settings = { DATA_DIR: dataDir, RATE_LIMIT: 'off' }
  let server = await startServer(settings)
  cleanUp.push(() => server.end('SIGKILL'))
  const register = async (email: string) => {
    const answer = await fetch(new URL('/api/v1/auth/register', server.base), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password, name: 'Ada', consents }),
    })
    return [answer.status, ((await answer.json()) as { code?: string }).code]
  }
  expect(await register('ada@example.org')).toEqual([201, undefined])
  expect((await convene(['maintenance', 'status'], settings)).out).toBe('maintenance is off\n')
  expect(await convene(['maintenance', 'on', text], settings)).toMatchObject({
    code: 0,
    out: 'maintenance is on: people can read but not write\n',
  })
  expect(await register('bob@example.org')).toEqual([503, 'maintenance'])
  const shown = JSON.parse((await convene(['maintenance', 'status', '--json'], settings)).out)
  expect(shown.maintenance).toEqual({ text, since: expect.any(String), retry_after_s: 60 })
  expect(await server.end()).toBe(0)
  server = await startServer(settings)
  expect(await register('bob@example.org')).toEqual([503, 'maintenance'])
  expect((await convene(['maintenance', 'off'], settings)).code).toBe(0)
  expect(await register('bob@example.org')).toEqual([201, undefined])
  expect(await server.end()).toBe(0)

  for (const args of [
    ['on'],
    ['on', ' '],
    ['on', 'a\nb'],
    ['on', 'x'.repeat(longestText + 1)],
    ['on', 'a', 'b'],
    ['off', 'a'],
    ['on', 'a', '--retry-after', '0'],
    [],
  ])
    expect([args, (await convene(['maintenance', ...args], settings)).code]).toEqual([args, 2])
}, 60_000)
