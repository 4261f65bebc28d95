import { sign } from '@tma.js/init-data-node'
import { describe, expect, test } from 'bun:test'
import { normalizedCode, refusesAccount } from '../../src/features/registration/rules.ts'
import { days } from '../../src/lib/time.ts'
import { consents, password, start, type TestApp, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

const MESSENGER_BOT_TOKEN = '7000000000:a-bot-of-this-test'

const register = ({ request }: TestApp, email: string, invite?: unknown) =>
  request('POST', 'auth/register', { body: { email, password, name: 'New', consents, invite } })
const messenger = ({ request }: TestApp, id: number, invite?: string) =>
  request('POST', 'auth/messenger', {
    body: {
      init_data: sign({ user: { id, first_name: 'Ada' } } as never, MESSENGER_BOT_TOKEN, new Date(start)),
      invite,
    },
  })

async function withAdmin(environment: Record<string, string> = { REGISTRATION: 'invite' }) {
  const app = await testApp({ MESSENGER_BOT_TOKEN, ...environment })
  const root = await app.person('Root')
  await app.services.storage.users.setRole(root.id, 'admin', granted(root.id, app.clock.now))
  return { app, root }
}

const counted = async (app: TestApp) => (await app.rows<{ n: number }>('SELECT count(*) AS n FROM users'))[0]!.n

describe('the mode of registration', () => {
  test.each(['open', 'invite', 'closed'] as const)(
    '%s is told to whoever asks for the ways in',
    async (REGISTRATION) => {
      const { request } = await testApp({ REGISTRATION })
      expect((await request('GET', 'auth/providers')).body.registration).toBe(REGISTRATION)
    },
  )

  test('closed: nobody can create an account, and existing users can log in', async () => {
    const { app, root } = await withAdmin({ REGISTRATION: 'closed' })
    const code = (await root.post('admin/invites', { uses: 5 })).body.code
    const before = await counted(app)
    expectProblem(await register(app, 'ada@example.com'), 403, 'registration_closed')
    expectProblem(await register(app, 'ada@example.com', code), 403, 'registration_closed')
    expectProblem(await messenger(app, 4711), 403, 'registration_closed')
    expect(await counted(app)).toBe(before)
    expect((await app.request('POST', 'auth/login', { body: { email: root.email, password } })).status).toBe(200)
    await app.rows("UPDATE users SET messenger_id = '4711' WHERE id = ?", root.id)
    const again = await messenger(app, 4711)
    expect([again.status, again.body.created, again.body.user.id]).toEqual([200, false, root.id])
  })

  test('open: an invite is neither needed nor used', async () => {
    const { app, root } = await withAdmin({ REGISTRATION: 'open' })
    const { code } = (await root.post('admin/invites', { uses: 1 })).body
    expect((await register(app, 'ada@example.com', code)).status).toBe(201)
    expect((await register(app, 'bob@example.com', 'made up')).status).toBe(201)
    expect((await root.get('admin/invites')).body.items[0].used).toBe(0)
  })

  test('invite: a valid code admits, by password and from the messenger, in any spelling', async () => {
    const { app, root } = await withAdmin()
    const { code, id } = (await root.post('admin/invites', { uses: 2 })).body
    expectProblem(await register(app, 'ada@example.com'), 403, 'invite_required')
    expectProblem(await register(app, 'ada@example.com', null), 403, 'invite_required')
    expectProblem(await register(app, 'ada@example.com', '7KQ2-M0XE-9TVD-RC4H'), 403, 'invite_required')
    expectProblem(await messenger(app, 4711), 403, 'invite_required')
    expect((await register(app, 'ada@example.com', ` ${code.toLowerCase().replaceAll('-', ' ')}`)).status).toBe(201)
    expect((await messenger(app, 4711, code)).status).toBe(201)
    // A user with an account needs no invite, and uses none.
    expect((await messenger(app, 4711)).status).toBe(200)
    expectProblem(await messenger(app, 4712, code), 403, 'invite_required')
    expect((await root.get('admin/invites')).body.items).toMatchObject([{ id, uses: 2, used: 2 }])
  })

  test('a registration that fails for another reason uses no invite', async () => {
    const { app, root } = await withAdmin()
    const { code } = (await root.post('admin/invites', { uses: 1 })).body
    const taken = await register(app, root.email, code)
    expectProblem(taken, 409, 'email_taken')
    const { request } = app
    const body = { email: 'ada@example.com', password, name: 'New', consents: {}, invite: code }
    expectProblem(await request('POST', 'auth/register', { body }), 422, 'consents_required')
    expect((await root.get('admin/invites')).body.items[0].used).toBe(0)
    expect((await register(app, 'ada@example.com', code)).status).toBe(201)
  })

  test('without a valid code, nobody finds out whether an address has an account', async () => {
    const { app, root } = await withAdmin()
    expectProblem(await register(app, root.email, 'made up'), 403, 'invite_required')
  })

  test('of a hundred concurrent registrations with a code for ten, ten succeed', async () => {
    const { app, root } = await withAdmin()
    const { code } = (await root.post('admin/invites', { uses: 10 })).body
    const before = await counted(app)
    // From the messenger, because a hundred passwords would take long to hash.
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => messenger(app, 5000 + i, code)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const answer of answers.filter(({ status }) => status !== 201)) expectProblem(answer, 403, 'invite_required')
    expect(await counted(app)).toBe(before + 10)
    expect((await root.get('admin/invites')).body.items).toMatchObject([{ uses: 10, used: 10 }])
  })

  test('many concurrent logins of one messenger user use the invite once', async () => {
    const { app, root } = await withAdmin()
    const { code } = (await root.post('admin/invites', { uses: 10 })).body
    const answers = await Promise.all(Array.from({ length: 20 }, () => messenger(app, 4711, code)))
    expect(answers.filter(({ body }) => body.created)).toHaveLength(1)
    for (const { status } of answers) expect([200, 201]).toContain(status)
    expect((await root.get('admin/invites')).body.items[0].used).toBe(1)
  })

  test('of two concurrent registrations of one address with a code for one, one succeeds and one use is counted', async () => {
    const { app, root } = await withAdmin()
    const { code } = (await root.post('admin/invites', { uses: 2 })).body
    const answers = await Promise.all([0, 1].map(() => register(app, 'ada@example.com', code)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect((await root.get('admin/invites')).body.items[0].used).toBe(1)
  })
})

describe('invites', () => {
  test('show their code once, and the database does not contain it', async () => {
    const { app, root } = await withAdmin()
    const expires_at = '2026-12-01T00:00:00.000Z'
    const made = await root.post('admin/invites', { uses: 3, expires_at, note: ' Winter meetup ' })
    expect(made.status).toBe(201)
    const { code, ...shown } = made.body
    expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    const created_at = new Date(app.clock.now).toISOString()
    expect(shown).toEqual({ id: shown.id, uses: 3, used: 0, expires_at, note: 'Winter meetup', created_at })
    const list = await root.get('admin/invites')
    expect(list.body).toEqual({ items: [shown], next_cursor: null })
    const stored = JSON.stringify(await app.rows('SELECT * FROM invites')) + (await root.get('admin/audit')).text
    for (const form of [code, normalizedCode(code)]) expect(list.text + stored + app.logged()).not.toContain(form)
    expect((await root.get('admin/audit?action=invite_created')).body.items).toMatchObject([
      { actor_id: root.id, subject_id: shown.id, metadata: { uses: 3, expires_at } },
    ])
  })

  test('are valid until they expire', async () => {
    const { app, root } = await withAdmin()
    const expires_at = new Date(app.clock.now + 2 * days).toISOString()
    const { code } = (await root.post('admin/invites', { uses: 3, expires_at })).body
    app.clock.now += 2 * days - 1
    expect((await register(app, 'ada@example.com', code)).status).toBe(201)
    app.clock.now += 1
    expectProblem(await register(app, 'bob@example.com', code), 403, 'invite_required')
  })

  test('do not work after they are deleted', async () => {
    const { app, root } = await withAdmin()
    const { id, code } = (await root.post('admin/invites', { uses: 3 })).body
    expect((await root.delete(`admin/invites/${id}`)).status).toBe(204)
    expectProblem(await root.delete(`admin/invites/${id}`), 404, 'not_found')
    expectProblem(await register(app, 'ada@example.com', code), 403, 'invite_required')
    expectProblem(await messenger(app, 4711, code), 403, 'invite_required')
    expect((await root.get('admin/audit?action=invite_deleted')).body.items).toMatchObject([{ subject_id: id }])
  })

  test('with impossible values are refused', async () => {
    const { root } = await withAdmin()
    for (const body of [
      {},
      { uses: 0 },
      { uses: 1001 },
      { uses: 1.5 },
      { uses: '3' },
      { uses: 3, expires_at: 'tomorrow' },
      { uses: 3, expires_at: '2020-01-01T00:00:00Z' },
      { uses: 3, note: 'x'.repeat(501) },
    ])
      expectProblem(await root.post('admin/invites', body), 422, 'validation_failed')
    expect((await root.get('admin/invites')).body.items).toEqual([])
  })

  test('are listed newest first, page by page', async () => {
    const { app, root } = await withAdmin()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      app.clock.now += 1000
      ids.unshift((await root.post('admin/invites', { uses: 1 })).body.id)
    }
    const found: string[] = []
    let cursor = ''
    do {
      const { body } = await root.get(`admin/invites?limit=2${cursor}`)
      found.push(...body.items.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    expect(found).toEqual(ids)
  })
})

test('the rule: who is admitted', () => {
  const invite = { uses: 2, used: 1, expires_at: 10 }
  const by = (mode: 'open' | 'invite' | 'closed', given: typeof invite | null, now = 9) =>
    refusesAccount({ mode, code_hash: null }, given, now)
  expect(by('open', null)).toBeNull()
  expect(by('closed', invite)).toBe('registration_closed')
  expect(by('invite', null)).toBe('invite_required')
  expect(by('invite', invite)).toBeNull()
  expect(by('invite', invite, 10)).toBe('invite_required')
  expect(by('invite', { ...invite, used: 2 })).toBe('invite_required')
})

test('two hundred people in one Wi-Fi can register within an hour, if the operator allows it', async () => {
  const app = await testApp({ RATE_LIMIT: 'register=200/1h' })
  // Malformed requests count too, and cost no hash of a password.
  for (let i = 1; i < 200; i++)
    expectProblem(await app.request('POST', 'auth/register', { body: {} }), 422, 'validation_failed')
  expect((await register(app, 'ada@example.com')).status).toBe(201)
  expectProblem(await register(app, 'bob@example.com'), 429, 'rate_limited')
})
