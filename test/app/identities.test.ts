import { describe, expect, test } from 'bun:test'
import { sign } from '@tma.js/init-data-node'
import { derivedIdentityId, isPasswordUsable, removalVerdict } from '../../src/features/identities/rules.ts'
import { minutes } from '../../src/lib/time.ts'
import { consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { passkeyOf } from '../authenticator.ts'

const botToken = '7000000000:identities'
const initData = ({ clock }: TestApp, id: number) =>
  sign({ user: { id, first_name: 'Mia' } } as never, botToken, new Date(clock.now))

const open = () => testApp({ MESSENGER_BOT_TOKEN: botToken })

async function messengerAccount(app: TestApp, id: number) {
  const { status, body } = await app.request('POST', 'auth/messenger', { body: { init_data: initData(app, id) } })
  return { status, id: body.user?.id as string, token: body.access_token as string, ...app.as(body.access_token) }
}

type Item = { id: string; kind: string; label: string; created_at: string; last_used_at: string | null }
const itemsOf = async (who: Pick<ReturnType<TestApp['as']>, 'get'>): Promise<Item[]> =>
  (await who.get('me/identities')).body.items
const kindsOf = async (who: Parameters<typeof itemsOf>[0]) => (await itemsOf(who)).map(({ kind }) => kind)

describe('the rule of removal', () => {
  const way = (id: string, isUsable = true) => ({ id, kind: 'oidc' as const, isUsable })
  test('keeps the last usable identity', () => {
    expect(removalVerdict([way('a')], 'a')).toBe('last_identity')
    expect(removalVerdict([way('a'), way('b')], 'a')).toBe('removed')
    expect(removalVerdict([way('a'), way('b', false)], 'a')).toBe('last_identity')
    expect(removalVerdict([way('a'), way('b', false)], 'b')).toBe('removed')
    expect(removalVerdict([way('a'), way('b')], 'c')).toBe('not_found')
    expect(removalVerdict([], 'a')).toBe('not_found')
  })

  test('a password without an address or a number is not usable', () => {
    expect(isPasswordUsable({ email: null, phone: null })).toBe(false)
    expect(isPasswordUsable({ email: 'a@example.org', phone: null })).toBe(true)
    expect(isPasswordUsable({ email: null, phone: '+4930123456' })).toBe(true)
  })

  test('derived ids are UUIDs that differ by account and kind', () => {
    const ids = ['a', 'b'].flatMap((user) => [
      derivedIdentityId(user, 'password'),
      derivedIdentityId(user, 'messenger'),
    ])
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

test('an identity has the times of its creation and of its last use', async () => {
  const app = await open()
  const ada = await app.person('Ada')
  const registered = new Date(app.clock.now).toISOString()
  expect((await ada.get('me/identities')).body).toEqual({
    items: [
      {
        id: derivedIdentityId(ada.id, 'password'),
        kind: 'password',
        provider: null,
        label: 'Password',
        created_at: registered,
        last_used_at: null,
      },
    ],
    next_cursor: null,
  })
  app.clock.now += minutes
  expect((await app.request('POST', 'auth/login', { body: { email: ada.email, password } })).status).toBe(200)
  const linked = await ada.post('me/identities/messenger', { init_data: initData(app, 7) })
  const later = new Date(app.clock.now).toISOString()
  expect(linked.status).toBe(201)
  expect(linked.body).toEqual({
    id: derivedIdentityId(ada.id, 'messenger'),
    kind: 'messenger',
    provider: null,
    label: 'Telegram',
    created_at: later,
    last_used_at: null,
  })
  app.clock.now += minutes
  const again = await messengerAccount(app, 7)
  expect(again).toMatchObject({ status: 200, id: ada.id })
  expect((await itemsOf(ada)).map(({ kind, created_at, last_used_at }) => [kind, created_at, last_used_at])).toEqual([
    ['password', registered, later],
    ['messenger', later, new Date(app.clock.now).toISOString()],
  ])
  expect((await ada.post('me/identities/messenger', { init_data: initData(app, 7) })).status).toBe(200)
  expect((await ada.post('me/identities/messenger', { init_data: initData(app, 8) })).body.code).toBe('conflict')
  await messengerAccount(app, 8)
  const taken = await ada.post('me/identities/messenger', { init_data: initData(app, 8) })
  expect([taken.status, taken.body.code]).toEqual([409, 'identity_taken'])
})

test('a stolen token neither adds a way to sign in nor erases with it, and the password does', async () => {
  const app = await open()
  const ada = await app.person('Ada')
  app.clock.now += 10 * minutes
  const init_data = initData(app, 7)
  const link = (body: object) => ada.post('me/identities/messenger', { init_data, ...body })
  expect(await link({})).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  expect(await link({ password: 'another one' })).toMatchObject({ status: 403, body: { code: 'wrong_password' } })
  expect(await ada.delete('me', { init_data })).toMatchObject({ status: 403, body: { code: 'wrong_password' } })
  expect(await kindsOf(ada)).toEqual(['password'])
  expect((await link({ password })).status).toBe(201)
})

describe('a request whose session ends while its password is checked', () => {
  const client = { address: '203.0.113.9', user_agent: 'test', language: null }
  const mail = {
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'Convene <hello@example.org>',
    PUBLIC_URL: 'https://meet.example.org',
  }

  /** Ada, and the caller as whom a thief of her password makes a request. */
  async function open() {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken, ...mail })
    const ada = await app.person('Ada')
    return { app, ada, thief: await app.services.callers.byToken(ada.token) }
  }

  /** Lets every call of that method of a store come only after a reset of Ada's password, which ends all sessions. */
  function afterReset<Name extends string, Store extends Record<Name, (...given: never[]) => Promise<unknown>>>(
    { app, ada }: Awaited<ReturnType<typeof open>>,
    store: Store,
    name: Name,
  ) {
    const method = store[name]
    const { token, stored } = app.services.emailLinks.forOperator(ada.id)
    store[name] = (async (...given) => {
      store[name] = method
      await app.services.storage.emails.issue(ada.id, [stored], [])
      await app.services.emails.reset({ token, password: 'thirteen green bottles' })
      return method(...given)
    }) as Store[Name]
  }

  const refused = { code: 'unauthenticated' }

  test('adds no messenger', async () => {
    const opened = await open()
    const { app, ada, thief } = opened
    afterReset(opened, app.services.storage.identities, 'linkMessenger')
    const asked = app.services.identities.linkMessenger(thief, { init_data: initData(app, 7), password }, client)
    expect(await asked.catch((error) => error)).toMatchObject(refused)
    expect(await app.rows('SELECT messenger_id FROM users WHERE id = ?', ada.id)).toEqual([{ messenger_id: null }])
  })

  test('adds no account of a provider', async () => {
    const opened = await open()
    const { app, thief } = opened
    const subject = { id: crypto.randomUUID(), provider: 'acme', issuer: 'https://acme', subject: 'thief', grant: null }
    afterReset(opened, app.services.storage.identities, 'linkSubject')
    const asked = app.services.identities.linkSubject(thief, subject)
    expect(await asked.catch((error) => error)).toMatchObject(refused)
    expect(await app.rows("SELECT id FROM identities WHERE kind = 'oidc'")).toEqual([])
  })

  test('adds no passkey', async () => {
    const opened = await open()
    const { app, thief } = opened
    const { options } = await app.services.passkeys.creationOptions(thief, { password }, client)
    const { registration } = passkeyOf(options, { origin: mail.PUBLIC_URL })
    const credential = { ...registration, type: 'public-key' as const }
    afterReset(opened, app.services.storage.passkeys, 'add')
    const asked = app.services.passkeys.add(thief, { label: 'Phone', credential })
    expect(await asked.catch((error) => error)).toMatchObject(refused)
    expect(await app.rows('SELECT id FROM passkeys')).toEqual([])
  })

  test('changes no address', async () => {
    const opened = await open()
    const { app, thief } = opened
    const issue = app.services.storage.emails.issue
    afterReset(opened, app.services.storage.emails, 'issue')
    const asked = app.services.emails.change(thief, { email: 'thief@example.org', password }, client)
    expect(await asked.catch((error) => error)).toMatchObject(refused)
    expect(app.services.storage.emails.issue).toBe(issue)
    expect(await app.rows('SELECT kind FROM email_links')).toEqual([])
  })

  test('sets no first password', async () => {
    const opened = await open()
    const { app, ada, thief } = opened
    await app.rows('UPDATE users SET password_hash = NULL WHERE id = ?', ada.id)
    const { accounts, sessions } = app.services.storage
    const { changePassword } = accounts
    accounts.changePassword = async (...given) => {
      // As an undone change of the address does, which leaves no password.
      await sessions.endAll(ada.id, app.clock.now)
      return changePassword(...given)
    }
    const asked = app.services.auth.changePassword(thief, { new_password: 'fifteen green bottles' }, client)
    expect(await asked.catch((error) => error)).toMatchObject({ code: 'wrong_password' })
    expect(await app.rows('SELECT password_hash FROM users WHERE id = ?', ada.id)).toEqual([{ password_hash: null }])
  })
})

test('a registration counts as the first use of its password', async () => {
  const app = await open()
  const body = { email: 'ada@example.org', password, name: 'Ada', consents }
  const { access_token } = (await app.request('POST', 'auth/register', { body })).body
  const at = new Date(app.clock.now).toISOString()
  expect(await itemsOf(app.as(access_token))).toMatchObject([{ kind: 'password', created_at: at, last_used_at: at }])
})

test('an account from an earlier release has its identities, with the time of its registration', async () => {
  const app = await open()
  const ada = await app.person('Ada')
  const before = await itemsOf(ada)
  await app.rows('DELETE FROM identities')
  expect(await itemsOf(ada)).toEqual([{ ...before[0]!, last_used_at: null }])
  app.clock.now += minutes
  await app.request('POST', 'auth/login', { body: { email: ada.email, password } })
  expect(await itemsOf(ada)).toEqual([{ ...before[0]!, last_used_at: new Date(app.clock.now).toISOString() }])
})

describe('a messenger', () => {
  test('that 100 accounts claim at once is linked with one of them', async () => {
    const app = await open()
    const people: Person[] = []
    for (let i = 0; i < 20; i++) people.push(await app.person(`P${i}`))
    const claims = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        people[i % 20]!.post('me/identities/messenger', { init_data: initData(app, 77) }),
      ),
    )
    expect(claims.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(claims.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(claims.filter(({ body }) => body.code === 'identity_taken')).toHaveLength(95)
    expect(await app.rows("SELECT user_id FROM identities WHERE kind = 'messenger'")).toHaveLength(1)
    expect(await app.rows("SELECT action FROM audit_log WHERE action = 'identity_added'")).toHaveLength(1)
  })

  test('cannot be taken from another account, and init data of another bot links nothing', async () => {
    const app = await open()
    const mia = await messengerAccount(app, 5)
    const ada = await app.person('Ada')
    const taken = await ada.post('me/identities/messenger', { init_data: initData(app, 5) })
    expect([taken.status, taken.body.code]).toEqual([409, 'identity_taken'])
    const forged = sign({ user: { id: 6, first_name: 'Mia' } } as never, '1:other', new Date(app.clock.now))
    expect((await ada.post('me/identities/messenger', { init_data: forged })).body.code).toBe('init_data_invalid')
    expect(await kindsOf(ada)).toEqual(['password'])
    expect(await kindsOf(mia)).toEqual(['messenger'])
    const off = await testApp()
    const bob = await off.person('Bob')
    expect((await bob.post('me/identities/messenger', { init_data: 'x' })).body.code).toBe('messenger_not_configured')
  })

  test('that was removed no longer signs in to the account, and can be linked with another one', async () => {
    const app = await open()
    const ada = await app.person('Ada')
    const bob = await app.person('Bob')
    expect((await ada.get('me')).body.messenger_id).toBeNull()
    const { body } = await ada.post('me/identities/messenger', { init_data: initData(app, 9) })
    expect((await ada.get('me')).body.messenger_id).toBe('9')
    expect((await bob.delete(`me/identities/${body.id}`)).status).toBe(404)
    expect((await ada.delete(`me/identities/${body.id}`)).status).toBe(204)
    expect((await ada.delete(`me/identities/${body.id}`)).status).toBe(404)
    expect((await ada.get('me')).body.messenger_id).toBeNull()
    expect((await bob.post('me/identities/messenger', { init_data: initData(app, 9) })).status).toBe(201)
    expect((await messengerAccount(app, 9)).id).toBe(bob.id)
  })
})

describe('the last usable identity', () => {
  test('stays, even if the last two are removed at once', async () => {
    const app = await open()
    const ada = await app.person('Ada')
    const own = derivedIdentityId(ada.id, 'password')
    expect((await ada.delete(`me/identities/${own}`)).body.code).toBe('last_identity')
    const { body } = await ada.post('me/identities/messenger', { init_data: initData(app, 3) })
    const answers = await Promise.all([own, body.id, own, body.id].map((id) => ada.delete(`me/identities/${id}`)))
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(answers.filter(({ body }) => body?.code === 'last_identity').length).toBeGreaterThan(0)
    expect(await itemsOf(ada)).toHaveLength(1)
  })

  test('is the messenger if the account’s password has no address or number', async () => {
    const app = await open()
    const mia = await messengerAccount(app, 4)
    expect((await mia.put('me/password', { new_password: password })).status).toBe(204)
    const items = await itemsOf(mia)
    const [messenger, own] = ['messenger', 'password'].map((kind) => items.find((item) => item.kind === kind))
    expect((await mia.delete(`me/identities/${messenger!.id}`)).body.code).toBe('last_identity')
    expect((await mia.delete(`me/identities/${own!.id}`)).status).toBe(204)
    expect(await kindsOf(mia)).toEqual(['messenger'])
  })

  test('a removed password no longer works, and a first one can be set in a session younger than 10 minutes', async () => {
    const app = await open()
    const ada = await app.person('Ada')
    await ada.post('me/identities/messenger', { init_data: initData(app, 2) })
    expect((await ada.delete(`me/identities/${derivedIdentityId(ada.id, 'password')}`)).status).toBe(204)
    const login = () => app.request('POST', 'auth/login', { body: { email: ada.email, password } })
    expect((await login()).body.code).toBe('invalid_credentials')
    app.clock.now += 10 * minutes
    expect((await ada.put('me/password', { new_password: password })).body.code).toBe('forbidden')
    const fresh = await messengerAccount(app, 2)
    expect((await fresh.put('me/password', { new_password: password })).status).toBe(204)
    expect((await login()).status).toBe(200)
    const own = (await itemsOf(fresh)).find(({ kind }) => kind === 'password')!
    expect(own.created_at).toBe(new Date(app.clock.now).toISOString())
  })
})

test('an erasure removes identities, and the export contains them', async () => {
  const app = await open()
  const ada = await app.person('Ada')
  await ada.post('me/identities/messenger', { init_data: initData(app, 1234567) })
  expect((await ada.get('me/export')).body.identities).toMatchObject([
    { kind: 'password', subject: null },
    { kind: 'messenger', subject: '1234567' },
  ])
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect(await app.rows('SELECT id FROM identities')).toEqual([])
  expect((await messengerAccount(app, 1234567)).status).toBe(201)
})
