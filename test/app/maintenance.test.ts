import { afterEach, expect, test } from 'bun:test'
import { isRefused, readMaintenance } from '../../src/features/maintenance/rules.ts'
import { password, type TestApp, testApp } from '../app.ts'
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
    'POST /api/v1/auth/oidc/acme',
    'POST /api/v1/auth/oidc/acme/start',
  ]
  const allowed = [
    'GET /api/v1/chats',
    'HEAD /',
    'OPTIONS /api/v1/chats',
    'POST /api/v1/auth/login',
    'POST /api/v1/auth/passkey/options',
    'POST /api/v1/auth/oidc/apple/callback',
    'PUT /api/v1/admin/rules/1',
  ]
  const outcome = (each: string) => isRefused(...(each.split(' ') as [string, string]))
  expect([refused.map(outcome), allowed.map(outcome)]).toEqual([refused.map(() => true), allowed.map(() => false)])
})

test('a stored value of another release counts as no maintenance, and causes no error', () => {
  for (const stored of [undefined, '', '{', '{"text":1}', 'null', '[]']) expect(readMaintenance(stored)).toBeNull()
})
