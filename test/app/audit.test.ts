import { sign } from '@tma.js/init-data-node'
import { describe, expect, test } from 'bun:test'
import { Refusal } from '../../src/lib/refusal.ts'
import { iso } from '../../src/lib/time.ts'
import { consents, password, start, type TestApp, testApp } from '../app.ts'
import { engineOfApps, oneNodeTest } from '../engines.ts'
import { granted } from '../rows.ts'

type Row = { at: number; actor_id: string | null; action: string; subject_id: string | null; metadata: string }

const log = ({ rows }: TestApp) => rows<Row>('SELECT * FROM audit_log ORDER BY at, id')

/** The entries since the last call. */
function recorder(app: TestApp) {
  let seen = 0
  return async () => {
    const rows = (await log(app)).slice(seen)
    seen += rows.length
    return rows.map(({ actor_id, action, subject_id, metadata }) => [
      action,
      actor_id,
      subject_id,
      JSON.parse(metadata),
    ])
  }
}

const sessionOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sid

/** Signs in again after the access token has expired. */
async function again(app: TestApp, { id }: { id: string }) {
  return app.as((await app.services.auth.begin(id, { address: '', user_agent: null, language: null })).access_token)
}

const botToken = '12345678:the bot of these tests'.replaceAll(' ', '-')
const initData = () => sign({ user: { id: 42, first_name: 'Ada' } } as never, botToken, new Date(start))

describe('the audit log has', () => {
  test('registrations and logins, and their failures', async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const added = recorder(app)
    const post = (path: string, body: unknown) => app.request('POST', `auth/${path}`, { body })
    const grace = { email: 'grace@example.org', password: 'compilers are fun' }

    const { user } = (await post('register', { ...grace, name: 'Grace', consents })).body
    expect(await added()).toEqual([['register', user.id, user.id, { by: 'email' }]])
    await post('register', { ...grace, name: 'Grace', consents })
    await post('register', { ...grace, name: 'Grace' })
    expect(await added()).toEqual([])
    await post('login', grace)
    expect(await added()).toEqual([['login', user.id, user.id, { by: 'password' }]])
    await post('login', { ...grace, password: 'not this one' })
    await post('login', { ...grace, email: 'nobody@example.org' })
    expect(await added()).toEqual([
      ['login_failed', null, user.id, {}],
      ['login_failed', null, null, {}],
    ])

    const ada = (await post('messenger', { init_data: initData() })).body.user
    await post('messenger', { init_data: initData() })
    await post('messenger', { init_data: initData().replace('Ada', 'Eve') })
    expect(await added()).toEqual([
      ['register', ada.id, ada.id, { by: 'messenger' }],
      ['login', ada.id, ada.id, { by: 'messenger' }],
    ])
    expect((await log(app)).map(({ at }) => at)).toEqual(Array(6).fill(start))
  })

  test('consents, and the changed fields of the profile and the preferences without their values', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const added = recorder(app)
    await ada.post('auth/consents', { consents: { marketing: true, terms: false, other: 'x' } })
    await ada.put('me', { city: 'London', bio: 'Notes', role: 'admin' })
    await ada.put('me', { name: '' })
    await ada.put('me/prefs', { drinks: ['tea'] })
    expect(await added()).toEqual([
      ['consents', ada.id, ada.id, { consents: { terms: false, marketing: true } }],
      ['profile', ada.id, ada.id, { fields: ['city', 'bio'] }],
      ['preferences', ada.id, ada.id, { fields: ['drinks'] }],
    ])
  })

  test('no entry for a change without effect, which does not touch the account either', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await ada.put('me', { city: 'London', bio: 'Notes' })
    await ada.put('me/prefs', { drinks: ['tea'], language: 'pt-BR' })
    await ada.put('me/visibility', { visible: false })
    const before = (await ada.get('me')).body
    const added = recorder(app)
    await added()
    app.clock.now += 60_000
    for (let i = 0; i < 3; i++) {
      expect((await ada.put('me', { name: 'Ada', city: ' London ', bio: 'Notes', gender: null })).body).toEqual(before)
      expect((await ada.put('me', {})).body).toEqual(before)
      const prefs = await ada.put('me/prefs', { drinks: ['tea'], language: 'pt-br' })
      expect(prefs.body).toEqual({ drinks: ['tea'], activities: [], purposes: [], language: 'pt-BR' })
      expect((await ada.put('me/visibility', { visible: false })).body).toEqual({ visible: false })
      expect((await ada.delete('me/sessions')).status).toBe(204)
    }
    expect(await added()).toEqual([])
    app.clock.now += 3_600_000
    await (await again(app, ada)).put('me', { city: 'London', bio: null })
    expect(await added()).toEqual([['profile', ada.id, ada.id, { fields: ['bio'] }]])
  })

  test('one entry for what an account repeats within an hour, with a count and the last time', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const entries = async () =>
      (await log(app)).map(({ action, actor_id, metadata, at }) => [action, actor_id, JSON.parse(metadata), at - start])
    for (let i = 1; i <= 40; i++) {
      await ada.put('me', i % 2 === 0 ? { city: `Town ${i}` } : { bio: `Line ${i}` })
      await ada.put('me/prefs', { drinks: [`tea ${i}`] })
      await ada.put('me/visibility', { visible: i % 2 === 0 })
      app.clock.now += 1000
    }
    await bob.put('me/visibility', { visible: false })
    const last_at = iso(start + 39_000)
    const many = { times: 40, last_at }
    expect(await entries()).toEqual([
      ['profile', ada.id, { fields: ['bio', 'city'], ...many }, 0],
      ['preferences', ada.id, { fields: ['drinks'], ...many }, 0],
      ['visibility', ada.id, { visible: true, ...many }, 0],
      ['visibility', bob.id, { visible: false }, 40_000],
    ])
    app.clock.now = start + 3_600_000
    const later = await again(app, ada)
    await later.put('me/visibility', { visible: false })
    app.clock.now += 1
    await later.put('me/visibility', { visible: true })
    expect((await entries()).slice(4)).toEqual([['visibility', ada.id, { visible: true }, 3_600_001]])
  })

  test('an exact count of many concurrent changes', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await ada.put('me', { city: 'A town' })
    await Promise.all(Array.from({ length: 20 }, (_, i) => ada.put('me', { city: `Town ${i}` })))
    const entries = await log(app)
    expect(entries.map(({ metadata }) => JSON.parse(metadata).times)).toEqual([21])
  })

  test('one entry for the failed logins of an account, and one for those of unknown accounts', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const added = recorder(app)
    for (let i = 0; i < 4; i++) {
      await app.request('POST', 'auth/login', { body: { email: ada.email, password: 'not this one' } })
      await app.request('POST', 'auth/login', { body: { email: `nobody-${i}@example.org`, password: 'not this one' } })
    }
    expect(await added()).toEqual([
      ['login_failed', null, ada.id, { times: 4, last_at: iso(start) }],
      ['login_failed', null, null, { times: 4, last_at: iso(start) }],
    ])
  })

  test('ended sessions, however they end, and changes of the password', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const another = async () => {
      const session = await app.services.auth.begin(ada.id, { address: '', user_agent: null, language: null })
      return { ...session, id: sessionOf(session.access_token), ...app.as(session.access_token) }
    }
    const [first, second, third] = [await another(), await another(), await another()]
    const added = recorder(app)
    await first.post('auth/logout')
    await ada.delete(`me/sessions/${second.id}`)
    await ada.delete(`me/sessions/${second.id}`)
    await ada.delete('me/sessions')
    expect(await added()).toEqual([
      ['logout', ada.id, first.id, {}],
      ['session_ended', ada.id, second.id, {}],
      ['sessions_ended', ada.id, ada.id, { count: 1 }],
    ])
    expect((await third.get('me')).status).toBe(401)

    const fourth = await another()
    const change = { current_password: password, new_password: 'compilers are fun' }
    await ada.put('me/password', { ...change, current_password: 'not this one' })
    await ada.put('me/password', change)
    expect(await added()).toEqual([['password_changed', ada.id, ada.id, { sessions_ended: 1 }]])
    expect((await fourth.get('me')).status).toBe(401)

    const refresh = (refresh_token: string) => app.request('POST', 'auth/refresh', { body: { refresh_token } })
    await refresh(ada.refresh)
    expect(await added()).toEqual([])
    app.clock.now += 10_000
    await refresh(ada.refresh)
    await refresh(ada.refresh)
    expect(await added()).toEqual([['refresh_reused', ada.id, sessionOf(ada.token), {}]])
  })

  test('metadata as it was given', async () => {
    const { services, rows } = await testApp()
    const metadata = { text: 'Zoë 🦊 "quoted" \u0000', list: [1, null, { deep: true }] }
    await services.audit.record('test', null, null, metadata)
    const [entry] = await services.storage.audit.list({ action: 'test' }, 1, null)
    expect(entry!.metadata).toEqual({ ...metadata })
    expect((await rows<Row>('SELECT * FROM audit_log'))[0]!.metadata).toBe(JSON.stringify(metadata))
  })
})

test('no secret is in any row of any table', async () => {
  const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
  const secrets: string[] = []
  const secret = (text: string) => {
    secrets.push(text)
    return text
  }
  const keep = ({ access_token, refresh_token }: { access_token: string; refresh_token: string }) => {
    for (const token of [access_token, refresh_token]) secrets.push(token, token.split('.').at(-1)!)
    return { token: access_token, refresh: refresh_token, ...app.as(access_token) }
  }
  const post = (path: string, body: unknown) => app.request('POST', `auth/${path}`, { body })
  const email = 'grace@example.org'
  const first = secret('the-first-password')
  const second = secret('the-second-password')

  const registered = (await post('register', { email, password: first, name: 'Grace', consents })).body
  const grace = keep(registered)
  keep((await post('login', { email, password: first })).body)
  await post('login', { email, password: secret('a-wrong-password') })
  await post('login', { email: 'nobody@example.org', password: secret('a-password-of-nobody') })
  const data = initData()
  secret(new URLSearchParams(data).get('hash')!)
  keep((await post('messenger', { init_data: data })).body)
  keep((await post('refresh', { refresh_token: grace.refresh })).body)
  await grace.put('me/password', { current_password: secret('another-wrong-one'), new_password: second })
  await grace.put('me/password', { current_password: first, new_password: second })
  await app.request('GET', `me?_t=${grace.token}`)
  await app.request('PUT', 'me', { body: { city: 'Arlington' }, headers: { cookie: `app_at=${grace.token}` } })
  app.clock.now += 20_000
  await post('refresh', { refresh_token: grace.refresh })

  const tables = await Promise.all(
    (await app.rows(engineOfApps.catalogue)).map(({ name }) => app.rows(`SELECT * FROM ${name}`)),
  )
  const everything = JSON.stringify(tables)
  // The search finds what is there.
  for (const known of [email, 'Arlington', 'refresh_reused', 'password_changed']) expect(everything).toContain(known)
  expect(secrets.length).toBeGreaterThan(15)
  for (const one of [...secrets, botToken, 'a secret of the tests, long enough']) expect(everything).not.toContain(one)
})

oneNodeTest('it breaks one node')(
  'where it cannot be written, what is done is answered so, and the server’s log has it; what has to stand there first is not',
  async () => {
    const app = await testApp({ CONSENT_GATE: 'on' })
    const { services } = app
    const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
    await services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    const chat_id = await app.met(ada, bob)
    const report = (await ada.post('reports', { user_id: bob.id, reason: 'spam' })).body
    expect((await ada.get('me/prefs')).status).toBe(200)
    const failed: unknown[] = []
    services.log.error = ((told: { action?: string }) => failed.push(told.action)) as never
    const { record } = services.storage.audit
    services.storage.audit.record = () => Promise.reject(new Refusal('busy', 'Not now.'))
    const eve = { email: 'eve@example.org', password, name: 'Eve', consents }
    for (const [status, answer] of [
      [201, await app.request('POST', 'auth/register', { body: eve })],
      [200, await app.request('POST', 'auth/login', { body: { email: eve.email, password } })],
      [201, await ada.post('reviews', { chat_id, rating: 5 })],
      [201, await bob.post('blocks', { user_id: ada.id })],
      [201, await ada.post('auth/consents', { consents: { terms: false } })],
      [503, await mo.get(`admin/reports/${report.id}`)],
      [503, await bob.get('me/export')],
    ] as const)
      expect(answer.status).toBe(status)
    expect(failed.filter(Boolean)).toEqual(['review', 'block', 'consents'])
    // What follows from it has followed.
    expect((await ada.get('me/prefs')).body.code).toBe('consents_required')
    services.storage.audit.record = record
  },
)

test('the list of the audit log is newest first, in pages, and by actor, subject, action and time', async () => {
  const { services, clock } = await testApp()
  const { audit, storage } = services
  for (let i = 0; i < 6; i++) {
    clock.now = start + Math.floor(i / 2) * 1000
    await audit.record(i % 2 ? 'odd' : 'even', `actor ${i % 3}`, `subject ${i}`, { i })
  }
  const numbers = async (...query: Parameters<typeof storage.audit.list>) =>
    (await storage.audit.list(...query)).map(({ metadata }) => metadata.i)
  expect(await numbers({}, 10, null)).toEqual([5, 4, 3, 2, 1, 0])
  expect(await numbers({ action: 'odd' }, 10, null)).toEqual([5, 3, 1])
  expect(await numbers({ actor_id: 'actor 1' }, 10, null)).toEqual([4, 1])
  expect(await numbers({ subject_id: 'subject 2' }, 10, null)).toEqual([2])
  expect(await numbers({ from: start + 1000, to: start + 1999 }, 10, null)).toEqual([3, 2])
  const page = await storage.audit.list({}, 3, null)
  expect(await numbers({}, 10, page.at(-1)!)).toEqual([2, 1, 0])
})
