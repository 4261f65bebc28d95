import { sign } from '@tma.js/init-data-node'
import { describe, expect, test } from 'bun:test'
import { recommendedCost } from '../../src/features/auth/passwords.ts'
import { me as schemaOfMe } from '../../src/features/profile/model.ts'
import { type Answer, consents, password, start, type TestApp, testApp } from '../app.ts'
import { nodesOfApps, oneNodeTest, postgresTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'

const newcomer = (fields: Record<string, unknown> = {}) => ({
  email: 'grace@example.org',
  password: 'compilers are fun',
  name: 'Grace',
  consents,
  ...fields,
})

const register = ({ request }: TestApp, fields?: Record<string, unknown>) =>
  request('POST', 'auth/register', { body: newcomer(fields) })

const login = ({ request }: TestApp, body: Record<string, unknown>, headers?: Record<string, string>) =>
  request('POST', 'auth/login', { body, headers })

/** The number of rows that a registration or login could store. */
const stored = ({ rows }: TestApp): Promise<number[]> =>
  Promise.all(
    ['users', 'preferences', 'consent_log', 'sessions', 'audit_log'].map(
      async (table) => (await rows(`SELECT count(*) AS n FROM ${table}`))[0]!.n,
    ),
  )

const userRow = async ({ rows }: TestApp, id: string) => (await rows('SELECT * FROM users WHERE id = ?', id))[0]!

/** A session as register, login, messenger and refresh return it. */
function expectSession(answer: Answer, status: number, user: Record<string, unknown> = {}) {
  expect(answer.status).toBe(status)
  // A copy: the matchers would be written into what they matched.
  expect(structuredClone(answer.body)).toMatchObject({
    user: { id: expect.any(String), ...user },
    access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    refresh_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 900,
  })
  expect(answer.headers.getSetCookie()).toEqual([
    `app_at=${answer.body.access_token}; HttpOnly; Secure; SameSite=Lax; Path=/; Max-Age=900`,
    `app_rt=${answer.body.refresh_token}; HttpOnly; Secure; SameSite=Lax; Path=/api/v1/auth; Max-Age=2592000`,
  ])
}

function expectNoSession(answer: Answer) {
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(answer.text).not.toContain('access_token')
}

describe('register', () => {
  test('creates an account, signs it in, and the session works at once', async () => {
    const app = await testApp()
    const answer = await register(app, {
      phone: '+14155550100',
      city: ' Arlington ',
      bio: 'Nanoseconds.\nMoths.',
      gender: 'female',
    })
    const me = {
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      name: 'Grace',
      city: 'Arlington',
      bio: 'Nanoseconds.\nMoths.',
      gender: 'female',
      photo: null,
      photo_thumb: null,
      email: 'grace@example.org',
      email_verified: false,
      phone: '+14155550100',
      messenger_id: null,
      role: 'user',
      visible: true,
      hidden: null,
      birth_month: null,
      show_age: false,
      consents_missing: [],
      created_at: new Date(start).toISOString(),
      updated_at: new Date(start).toISOString(),
    }
    expectSession(answer, 201)
    expect(Object.keys(answer.body.user).sort()).toEqual(Object.keys(schemaOfMe.properties).sort())
    expect(answer.body.user).toMatchObject(me)
    expect((await app.as(answer.body.access_token).get('me')).body).toEqual(answer.body.user)
    expect((await login(app, { phone: '+14155550100', password: 'compilers are fun' })).status).toBe(200)
  })

  test('accepts an e-mail address or a phone number alone, and refuses a body without either', async () => {
    const app = await testApp()
    expectSession(await register(app, { phone: '+4915112345678', email: undefined }), 201, { email: null })
    expectSession(await register(app), 201, { phone: null })
    expect(expectProblem(await register(app, { email: undefined }), 422, 'validation_failed')).toEqual(['/email'])
  })

  test('stores the password as an Argon2id hash with the recommended parameters', async () => {
    const app = await testApp({}, { passwordCost: recommendedCost })
    const { user } = (await register(app)).body
    const { password_hash } = await userRow(app, user.id)
    expect(password_hash).toStartWith('$argon2id$v=19$m=47104,t=1,p=1$')
    expect(await Bun.password.verify('compilers are fun', String(password_hash))).toBe(true)
  })

  test.each([
    [
      'email',
      [
        'grace',
        'grace@localhost',
        'grace@@example.org',
        'grace hopper@example.org',
        ' grace@example.org',
        'grace@example..org',
        'grace@example.org\n',
        'gr\u202eace@example.org',
        'gr\u0000ace@example.org',
        'gr\u200bace@example.org',
        'gr\ud800ace@example.org',
        `${'x'.repeat(65)}@example.org`,
        `grace@${'x'.repeat(250)}.org`,
        null,
        ['grace@example.org'],
      ],
    ],
    ['phone', ['4155550100', '+0155550100', '+1 415 555 0100', '+1234567890123456', '+141555', 14155550100]],
    [
      'password',
      [
        'seven 7',
        'x'.repeat(201),
        // Four characters of two UTF-16 units each.
        '🦊🐻🐼🐨',
        '🦊'.repeat(201),
        '\ud83e'.repeat(9),
        'password1234',
        'PassWord1234',
        null,
        undefined,
        12345678,
      ],
    ],
    [
      'name',
      [
        undefined,
        null,
        '',
        ' \t ',
        '\u200b\u200d',
        'x'.repeat(81),
        'Gr\u0000ace',
        'Grace\nHopper',
        'ecarG\u202e',
        'Gr\ud800ace',
        { first: 'Grace' },
      ],
    ],
    ['city', ['x'.repeat(81), 'Arling\nton', 7]],
    ['bio', ['x'.repeat(501), 'bell\u0007']],
    ['gender', ['Female', '', 0]],
  ])('refuses what is no %s, and stores nothing', async (field, values) => {
    const app = await testApp()
    for (const value of values) {
      const answer = await register(app, { [field]: value })
      expect(expectProblem(answer, 422, 'validation_failed')).toEqual([`/${field}`])
      expectNoSession(answer)
    }
    expect(await stored(app)).toEqual([0, 0, 0, 0, 0])
  })

  test('accepts the longest and most unusual values that are allowed', async () => {
    const app = await testApp()
    const foreign = [
      { email: 'grace.hopper+navy@xn--bcher-kva.example.org', phone: '+1234567', password: '🦊'.repeat(8) },
      { email: 'грейс@пример.испытание', phone: '+123456789012345', password: '🦊'.repeat(200) },
      { email: `${'x'.repeat(64)}@example.org`, name: '🦊'.repeat(80), city: '🦊'.repeat(80), bio: '🦊'.repeat(500) },
      { email: 'nothing@example.org', city: null, bio: null, gender: null },
    ]
    for (const { password, ...fields } of foreign)
      expectSession(await register(app, { ...fields, ...(password && { password }) }), 201, fields)
  })

  test.each([
    [undefined, ['terms', 'privacy', 'disclaimer']],
    [null, ['terms', 'privacy', 'disclaimer']],
    [true, ['terms', 'privacy', 'disclaimer']],
    [
      [true, true, true],
      ['terms', 'privacy', 'disclaimer'],
    ],
    [{}, ['terms', 'privacy', 'disclaimer']],
    [{ terms: true, privacy: true }, ['disclaimer']],
    [{ ...consents, privacy: false }, ['privacy']],
    [{ ...consents, terms: 'true' }, ['terms']],
    [{ ...consents, terms: 1, disclaimer: null }, ['terms', 'disclaimer']],
    [{ marketing: true }, ['terms', 'privacy', 'disclaimer']],
    [{ __proto__: consents }, ['terms', 'privacy', 'disclaimer']],
  ])('refuses the consents %j, naming what is missing, and stores nothing', async (given, missing) => {
    const app = await testApp()
    const answer = await register(app, { consents: given })
    const paths = expectProblem(answer, 422, 'consents_required')
    expect(paths).toEqual(missing.map((kind) => `/consents/${kind}`))
    expectNoSession(answer)
    expect(await stored(app)).toEqual([0, 0, 0, 0, 0])
  })

  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de', 'de'],
    ['pt-br', 'pt-BR'],
    ['zh-hant-tw,zh;q=0.9', 'zh-Hant-TW'],
    ['en;q=0.3, fr-CH;q=0.9, fr;q=0.8', 'fr-CH'],
    ['*;q=0.9, sr;q=0.5', 'sr'],
    ['de;q=0, nl;q=0.1', 'nl'],
    ['no language, x_y, ja', 'ja'],
    [`en-x-${'abcdefgh-'.repeat(5)}z, it`, 'it'],
    ['de;q=x, es', 'es'],
    ['constructor', 'en'],
  ])('takes the language from Accept-Language: %p', async (given, language) => {
    const app = await testApp()
    const headers: Record<string, string> = given === undefined ? {} : { 'accept-language': given }
    const body = { email: 'grace@example.org', password: 'compilers are fun', name: 'Grace', consents }
    const answer = await app.request('POST', 'auth/register', { body, headers })
    expect(answer.status).toBe(201)
    expect((await app.as(answer.body.access_token).get('me/prefs')).body.language).toBe(language)
  })

  test('accepts the consent to marketing as true or false, and nothing else', async () => {
    const app = await testApp()
    const answer = await register(app, { consents: { ...consents, marketing: 'yes' } })
    expect(expectProblem(answer, 422, 'validation_failed')).toEqual(['/consents/marketing'])
    expect(await stored(app)).toEqual([0, 0, 0, 0, 0])
    expectSession(await register(app, { consents: { ...consents, marketing: false } }), 201)
  })

  test('refuses an e-mail address or phone number that is taken, in any case of letters, and stores nothing', async () => {
    const app = await testApp()
    await register(app, { email: 'Grace.Hopper@Example.org', phone: '+14155550100' })
    const before = await stored(app)
    const again = { email: 'GRACE.hopper@example.ORG' }
    expectProblem(await register(app, again), 409, 'email_taken')
    expectProblem(await register(app, { email: 'other@example.org', phone: '+14155550100' }), 409, 'phone_taken')
    expectProblem(await register(app, { ...again, phone: '+14155550101' }), 409, 'email_taken')
    expect(await stored(app)).toEqual(before)
  })

  test('ten concurrent registrations with one e-mail address create one account', async () => {
    const app = await testApp()
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(app)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    expect((await stored(app)).slice(0, 3)).toEqual([1, 1, 3])
  })

  test('sets only fields of a registration', async () => {
    const app = await testApp()
    const id = '01a1fdfa-4600-7000-8000-000000000000'
    const { user } = (
      await register(app, {
        id,
        role: 'admin',
        messenger_id: '1',
        visible: false,
        created_at: 0,
        photo: 'https://x.org/',
      })
    ).body
    expect(user.id).not.toBe(id)
    expect(user).toMatchObject({ role: 'user', messenger_id: null, visible: true, photo: null })
    expect(await userRow(app, user.id)).toMatchObject({ role: 'user', created_at: start, deleted_at: null })
  })
})

describe('login', () => {
  test('returns the same session as a registration, in any case of the address', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const answer = await login(app, { email: ` ${ada.email.toUpperCase()} `, password })
    expectSession(answer, 200, { id: ada.id, email: ada.email })
    expect((await app.as(answer.body.access_token).get('me')).body.id).toBe(ada.id)
  })

  test('a wrong password, an unknown account and one without a password get the same answer', async () => {
    const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
    const ada = await app.person('Ada')
    const { user } = (await messenger(app, initData({ id: 7 }))).body
    await app.rows("UPDATE users SET email = 'seven@example.org' WHERE id = ?", user.id)
    const refused = [
      await login(app, { email: ada.email, password: 'not this one' }),
      await login(app, { email: 'nobody@example.org', password }),
      await login(app, { email: 'seven@example.org', password }),
      await login(app, { phone: '+14155550199', password }),
      await login(app, { email: "' OR 1=1 --", password }),
    ]
    const shown = ({ body, headers }: Answer) => ({
      ...body,
      request_id: null,
      headers: { ...headers.toJSON(), 'x-request-id': null, date: null },
    })
    for (const answer of refused) {
      expectProblem(answer, 401, 'invalid_credentials')
      expectNoSession(answer)
      expect(shown(answer)).toEqual(shown(refused[0]!))
    }
  })

  test('the password matches in every Unicode form of the same characters, and in no other', async () => {
    const app = await testApp()
    await register(app, { password: 'Ångström unit ﬁve' })
    const as = (typed: string) => login(app, { email: 'grace@example.org', password: typed })
    expect((await as('A\u030angstro\u0308m unit five')).status).toBe(200)
    for (const typed of ['ångström unit five', ' Ångström unit five', 'Ångström unit five ', 'Angstrom unit five'])
      expectProblem(await as(typed), 401, 'invalid_credentials')
  })

  test.each([
    [{}, ['/password']],
    [{ password }, ['/email']],
    [{ email: 'a@example.org', phone: '+14155550100', password }, ['/email']],
    [{ email: 'a@example.org' }, ['/password']],
    [{ email: 'a@example.org', password: '' }, ['/password']],
    [{ email: 'a@example.org', password: { $ne: null } }, ['/password']],
    [{ email: { $gt: '' }, password }, ['/email']],
    [{ email: 'a@example.org', password: 'x'.repeat(1001) }, ['/password']],
  ])('refuses %j before any hash', async (body, paths) => {
    const app = await testApp()
    expect(expectProblem(await login(app, body), 422, 'validation_failed')).toEqual(paths)
  })

  test('a suspended user is told why and until when, but only with the right password', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const suspension = "UPDATE users SET suspended_until = ?, suspended_reason = 'spam' WHERE id = ?"
    await app.rows(suspension, start + 86_400_000, ada.id)
    const answer = await login(app, { email: ada.email, password })
    expectProblem(answer, 403, 'suspended')
    expect(answer.body.detail).toBe('This account is suspended until 2026-11-22T12:00:00.000Z: spam')
    expectNoSession(answer)
    expectProblem(await login(app, { email: ada.email, password: 'not this one' }), 401, 'invalid_credentials')
    app.clock.now += 86_400_000
    expectSession(await login(app, { email: ada.email, password }), 200)
  })

  test('a hash with other parameters is replaced when its password is right', async () => {
    const app = await testApp({}, { passwordCost: recommendedCost })
    const ada = await app.person('Ada')
    const cheapHash = (await userRow(app, ada.id)).password_hash
    expect(cheapHash).toStartWith('$argon2id$v=19$m=8,t=1,p=1$')
    await login(app, { email: ada.email, password: 'not this one' })
    expect((await userRow(app, ada.id)).password_hash).toBe(cheapHash)
    expectSession(await login(app, { email: ada.email, password }), 200)
    const { password_hash } = await userRow(app, ada.id)
    expect(password_hash).toStartWith('$argon2id$v=19$m=47104,t=1,p=1$')
    expectSession(await login(app, { email: ada.email, password }), 200)
    expect((await userRow(app, ada.id)).password_hash).toBe(password_hash)
  })

  test('a login starts no session if the password changes while it is checked', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const { accounts } = app.services.storage
    const { credentials } = accounts
    accounts.credentials = async (...asked) => {
      const found = await credentials(...asked)
      await app.rows('UPDATE users SET password_hash = ? WHERE id = ?', Bun.password.hashSync('another one'), ada.id)
      return found
    }
    const pending = app.services.auth.login({ email: ada.email, password }, client)
    expect(await refusalOf(pending)).toBe('invalid_credentials')
    accounts.credentials = credentials
    expect((await ada.get('me/sessions')).body.items).toHaveLength(1)
  })

  oneNodeTest('each node counts what it hashes')(
    'whoever asks for many checks at once waits for themselves, and nobody else with them',
    async () => {
      const app = await testApp({}, { passwordCost: recommendedCost })
      const [ada, bob, cem] = [await app.person('Ada'), await app.person('Bob'), await app.person('Cem')]
      await app.rows('UPDATE users SET password_hash = NULL WHERE id = ?', cem.id)
      const { token, stored } = app.services.emailLinks.forOperator(ada.id)
      await app.services.storage.emails.issue(ada.id, [stored], [])
      // Checking and setting costs a hash each.
      for (const ask of [
        () => login(app, { email: ada.email, password }),
        () => cem.put('me/password', { new_password: 'fifteen green bottles' }),
        () => app.request('POST', 'auth/password/reset', { body: { token, password } }),
      ]) {
        let left = 14
        const asked = Array.from({ length: left }, async () => {
          const { status } = await ask()
          left--
          return status
        })
        // They are all there before this one.
        await Promise.race(asked)
        expect((await login(app, { email: bob.email, password })).status).toBe(200)
        // In one queue, this one would be the last.
        expect(left).toBeGreaterThan(2)
        for (const status of await Promise.all(asked)) expect(status).not.toBe(503)
      }
    },
  )

  oneNodeTest('each node counts what it hashes')(
    'when too many log in at once, some are told to come back',
    async () => {
      const app = await testApp()
      const ada = await app.person('Ada')
      // However storage answers, all come to the hashing at once.
      const { accounts } = app.services.storage
      const { credentials } = accounts
      const allAsked = Promise.withResolvers<void>()
      let asked = 0
      accounts.credentials = async (...by) => {
        const found = await credentials(...by)
        if (++asked === 150) allAsked.resolve()
        await allAsked.promise
        return found
      }
      const answers = await Promise.all(
        Array.from({ length: 150 }, () => login(app, { email: ada.email, password: 'not this one' })),
      )
      const busy = answers.filter(({ status }) => status === 503)
      expect(busy.length).toBe(150 - 101)
      for (const answer of busy) {
        expectProblem(answer, 503, 'busy')
        expect(answer.headers.get('retry-after')).toBe('2')
      }
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(101)
      expect((await login(app, { email: ada.email, password })).status).toBe(200)
    },
  )
})

test('the number of logins per account and day is limited, even with the right password', async () => {
  const app = await testApp({ RATE_LIMIT: 'session=3/1d,password=100/15m' })
  const ada = await app.person('Ada')
  for (let i = 0; i < 5; i++)
    expectProblem(await login(app, { email: ada.email, password: 'not this one' }), 401, 'invalid_credentials')
  for (let i = 0; i < 3; i++) expectSession(await login(app, { email: ada.email, password }), 200)
  const answer = await login(app, { email: ada.email, password })
  expectProblem(answer, 429, 'rate_limited')
  expectNoSession(answer)
  expect((await ada.get('me/sessions')).body.items).toHaveLength(4)
})

describe('failed passwords', () => {
  const wrong = 'not this one'
  const limited = async () => {
    const app = await testApp({ RATE_LIMIT: 'on', TRUST_PROXY: '1' })
    const ada = await app.person('Ada')
    const from = (address: string, given: string, email = ada.email) =>
      login(app, { email, password: given }, { 'x-forwarded-for': address })
    return { app, ada, from }
  }

  test('ten from one address lock an account for that address, and for no other', async () => {
    const { app, from } = await limited()
    const bob = await app.person('Bob')
    for (let i = 0; i < 10; i++) expectProblem(await from('198.51.100.1', wrong), 401, 'invalid_credentials')
    for (const given of [wrong, password]) {
      const answer = await from('198.51.100.1', given)
      expectProblem(answer, 429, 'rate_limited')
      expect(Number(answer.headers.get('retry-after'))).toBeWithin(800, 901)
      expectNoSession(answer)
    }
    expectSession(await from('198.51.100.1', password, bob.email), 200)
    expectSession(await from('198.51.100.2', password), 200)
    expectProblem(await from('198.51.100.1', password), 429, 'rate_limited')
  })

  test('an IPv6 subscriber counts as one address', async () => {
    const { from } = await limited()
    for (let i = 0; i < 10; i++) await from(`2001:db8:1:2::${i}`, wrong)
    expectProblem(await from('2001:db8:1:2:ffff::1', password), 429, 'rate_limited')
    expectSession(await from('2001:db8:1:3::1', password), 200)
  })

  test('a hundred from one /48 lock an account for that network, and for no other, and one subscriber alone cannot', async () => {
    const { app, from } = await limited()
    const bob = await app.person('Bob')
    // One /64 has used up its own limit, and a tenth of that of the network.
    for (let i = 0; i < 30; i++) await from('2001:db8:1:0::1', wrong)
    expectSession(await from('2001:db8:1:ffff::1', password), 200)
    for (let i = 0; i < 90; i++) {
      const answer = await from(`2001:db8:1:${(1 + Math.floor(i / 9)).toString(16)}::1`, wrong)
      expectProblem(answer, 401, 'invalid_credentials')
    }
    const answer = await from('2001:db8:1:fff0::1', password)
    expectProblem(answer, 429, 'rate_limited')
    expect(answer.headers.get('ratelimit-limit')).toBe('100')
    expectSession(await from('2001:db8:1:fff0::1', password, bob.email), 200)
    expectSession(await from('2001:db8:2::1', password), 200)
    // The right password from elsewhere does not reset the network’s count.
    expectProblem(await from('2001:db8:1:fff1::1', password), 429, 'rate_limited')
    expectSession(await from('198.51.100.1', password), 200)
  })

  test('an IPv4 network has many subscribers, who are counted separately', async () => {
    const { from } = await limited()
    for (let i = 0; i < 11; i++)
      for (let guess = 0; guess < 10; guess++)
        expectProblem(await from(`198.51.100.${i}`, wrong), 401, 'invalid_credentials')
    expectSession(await from('198.51.100.99', password), 200)
  })

  test('the right password resets the count', async () => {
    const { from } = await limited()
    for (let i = 0; i < 9; i++) await from('198.51.100.1', wrong)
    expectSession(await from('198.51.100.1', password), 200)
    for (let i = 0; i < 10; i++) expectProblem(await from('198.51.100.1', wrong), 401, 'invalid_credentials')
    expectProblem(await from('198.51.100.1', password), 429, 'rate_limited')
  })

  test('a burst of guesses gets ten attempts, and not even the right one among the others succeeds', async () => {
    const { from } = await limited()
    const guesses = Array.from({ length: 39 }, () => from('198.51.100.1', wrong))
    // On several nodes it may overtake the others, come among the first ten, and succeed.
    if (nodesOfApps > 1) await Promise.all(guesses)
    const answers = await Promise.all([...guesses, from('198.51.100.1', password)])
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([count(401), count(429), count(200)]).toEqual([10, 30, 0])
  })

  test('many concurrent logins with the right password do not count as guesses', async () => {
    const { from } = await limited()
    const answers = await Promise.all(Array.from({ length: 12 }, () => from('198.51.100.1', password)))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  })

  test('an unknown account is locked like an existing one', async () => {
    const { from } = await limited()
    for (let i = 0; i < 10; i++)
      expectProblem(await from('198.51.100.1', wrong, 'nobody@example.org'), 401, 'invalid_credentials')
    expectProblem(await from('198.51.100.1', wrong, 'nobody@example.org'), 429, 'rate_limited')
  })

  test('count together for all names of an account, and with those of a confirmation', async () => {
    const { app, ada, from } = await limited()
    await app.rows("UPDATE users SET phone = '+14155550100' WHERE id = ?", ada.id)
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    for (let i = 0; i < 4; i++) await from('198.51.100.1', wrong)
    for (let i = 0; i < 3; i++) await login(app, { phone: '+14155550100', password: wrong }, headers)
    for (let i = 0; i < 3; i++) {
      const answer = await ada.put(
        'me/password',
        { current_password: wrong, new_password: 'compilers are fun' },
        headers,
      )
      expectProblem(answer, 403, 'wrong_password')
    }
    expectProblem(await from('198.51.100.1', password), 429, 'rate_limited')
    const change = { current_password: password, new_password: 'compilers are fun' }
    expectProblem(await ada.put('me/password', change, headers), 429, 'rate_limited')
  })

  test('are not counted with RATE_LIMIT=off', async () => {
    const app = await testApp({ RATE_LIMIT: 'off' })
    const ada = await app.person('Ada')
    for (let i = 0; i < 12; i++)
      expectProblem(await login(app, { email: ada.email, password: wrong }), 401, 'invalid_credentials')
    expectSession(await login(app, { email: ada.email, password }), 200)
  })
})

const botToken = '5768337691:AAH5YkoiEuPk8-FZa32hStHTqXiLPtAEhx8'

/** Init data as a messenger would sign it, by an independent library. */
const initData = (user: Record<string, unknown>, { at = start, token = botToken } = {}) =>
  sign({ user: { id: 42, first_name: 'Ada', ...user }, query_id: 'AAA' } as never, token, new Date(at))

const messenger = ({ request }: TestApp, init_data: unknown) =>
  request('POST', 'auth/messenger', { body: { init_data } })

describe('messenger', () => {
  const open = (environment = {}) => testApp({ MESSENGER_BOT_TOKEN: botToken, ...environment })

  test('the first login creates the account, and later ones find it', async () => {
    const app = await open()
    const person = {
      id: 42,
      first_name: 'Ada',
      last_name: 'Lovelace',
      language_code: 'pt-br',
      photo_url: 'https://t.me/i/a.svg',
    }
    const first = await messenger(app, initData(person))
    expectSession(first, 201, {
      name: 'Ada',
      messenger_id: '42',
      photo: null,
      photo_thumb: null,
      email: null,
      phone: null,
      consents_missing: ['terms', 'privacy', 'disclaimer'],
    })
    expect(first.body.created).toBe(true)
    const ada = app.as(first.body.access_token)
    expect((await ada.get('me/prefs')).body.language).toBe('pt-BR')
    await ada.put('me', { name: 'Countess' })

    const second = await messenger(app, initData(person, { at: start + 1000 }))
    expectSession(second, 200, { id: first.body.user.id, name: 'Countess' })
    expect(second.body.created).toBe(false)
    expectSession(await messenger(app, initData({ id: 43 })), 201)
    expect((await stored(app))[0]).toBe(2)
  })

  test('fifty concurrent first logins with one id create one user', async () => {
    const app = await open()
    const answers = await Promise.all(Array.from({ length: 50 }, () => messenger(app, initData({ id: 42 }))))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201])
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1)
    expect((await stored(app)).slice(0, 4)).toEqual([1, 1, 0, 50])
    const tokens = new Set<string>(answers.map(({ body }) => body.access_token))
    expect(tokens.size).toBe(50)
    for (const token of tokens) expect((await app.as(token).get('me')).status).toBe(200)
  })

  test.each([
    ['init_data_invalid', 'signed for another bot', () => initData({}, { token: '1:another' })],
    ['init_data_invalid', 'changed', () => initData({}).replace('Ada', 'Eve')],
    ['init_data_invalid', 'unsigned', () => 'user=%7B%22id%22%3A42%7D&auth_date=1795262400'],
    ['init_data_invalid', 'empty', () => ''],
    ['init_data_invalid', 'of the future', () => initData({}, { at: start + 61_000 })],
    ['init_data_expired', 'too old', () => initData({}, { at: start - 3_601_000 })],
  ])('%s: refuses init data that is %s, and stores nothing', async (code, _, data) => {
    const app = await open()
    const answer = await messenger(app, data())
    expectProblem(answer, 401, code)
    expectNoSession(answer)
    expect(await stored(app)).toEqual([0, 0, 0, 0, 0])
  })

  test('INIT_DATA_MAX_AGE_S limits its age, and 0 allows any age', async () => {
    const old = initData({}, { at: start - 100_000_000 })
    expectProblem(await messenger(await open({ INIT_DATA_MAX_AGE_S: '10' }), old), 401, 'init_data_expired')
    expectSession(await messenger(await open({ INIT_DATA_MAX_AGE_S: '0' }), old), 201)
  })

  test('refuses anything that is not a string', async () => {
    const app = await open()
    for (const data of [undefined, null, { user: 1 }, 'x'.repeat(16_385)])
      expect(expectProblem(await messenger(app, data), 422, 'validation_failed')).toEqual(['/init_data'])
  })

  test('is not available if no messenger is configured', async () => {
    const app = await testApp()
    expectProblem(await messenger(app, initData({})), 503, 'messenger_not_configured')
    expect(await stored(app)).toEqual([0, 0, 0, 0, 0])
  })

  test('refuses a suspended user', async () => {
    const app = await open()
    const { user } = (await messenger(app, initData({}))).body
    await app.rows("UPDATE users SET suspended_until = 9e15, suspended_reason = 'spam' WHERE id = ?", user.id)
    const answer = await messenger(app, initData({}))
    expectProblem(answer, 403, 'suspended')
    expectNoSession(answer)
    expect(answer.body.detail).toBe('This account is suspended without end: spam')
  })
})

const change = { current_password: password, new_password: 'compilers are fun' }

test('changing the password ends every other session, keeps this one, and only the new password works then', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const bob = await app.person('Bob')
  const elsewhere = (await login(app, { email: ada.email, password })).body
  expect((await app.as(elsewhere.access_token).get('me')).status).toBe(200)

  const answer = await ada.put('me/password', change)
  expect([answer.status, answer.text]).toEqual([204, ''])
  expect((await ada.get('me')).status).toBe(200)
  expectProblem(await app.as(elsewhere.access_token).get('me'), 401, 'unauthenticated')
  const refresh = { refresh_token: elsewhere.refresh_token }
  expectProblem(await app.request('POST', 'auth/refresh', { body: refresh }), 401, 'unauthenticated')
  expect((await bob.get('me')).status).toBe(200)
  expectProblem(await login(app, { email: ada.email, password }), 401, 'invalid_credentials')
  expectSession(await login(app, { email: ada.email, password: change.new_password }), 200)
})

test('changing the password is refused without the current one, and changes and ends nothing', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const elsewhere = (await login(app, { email: ada.email, password })).body.access_token
  const { password_hash } = await userRow(app, ada.id)
  for (const current_password of ['not this one', undefined])
    expectProblem(await ada.put('me/password', { ...change, current_password }), 403, 'wrong_password')
  for (const new_password of ['short', 'x'.repeat(201), 'password1234', undefined, null])
    expect(expectProblem(await ada.put('me/password', { ...change, new_password }), 422, 'validation_failed')).toEqual([
      '/new_password',
    ])
  expect((await userRow(app, ada.id)).password_hash).toBe(password_hash!)
  expect((await app.as(elsewhere).get('me')).status).toBe(200)
})

test('of two concurrent changes of the password, one wins and the other is refused with a wrong password', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const answers = await Promise.all([
    ada.put('me/password', { ...change, new_password: 'the first of them' }),
    ada.put('me/password', { ...change, new_password: 'the second of them' }),
  ])
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
})

test('an account of a messenger login sets its first password in a session younger than ten minutes', async () => {
  const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
  const first = (await messenger(app, initData({}))).body
  app.clock.now += 600_000
  const refreshed = await app.request('POST', 'auth/refresh', { body: { refresh_token: first.refresh_token } })
  // As a thief of the token would.
  for (const { access_token } of [first, refreshed.body])
    expectProblem(
      await app.as(access_token).put('me/password', { new_password: 'compilers are fun' }),
      403,
      'forbidden',
    )
  expect((await userRow(app, first.user.id)).password_hash).toBeNull()

  const ada = app.as((await messenger(app, initData({}, { at: app.clock.now }))).body.access_token)
  app.clock.now += 599_999
  expect((await ada.put('me/password', { new_password: 'compilers are fun' })).status).toBe(204)
  expectProblem(await ada.put('me/password', { new_password: 'another of them' }), 403, 'wrong_password')
})

test('of two first passwords set at once, the first one counts', async () => {
  const app = await testApp({ MESSENGER_BOT_TOKEN: botToken })
  const ada = app.as((await messenger(app, initData({}))).body.access_token)
  const answers = await Promise.all(
    ['the first of them', 'the second of them'].map((new_password) => ada.put('me/password', { new_password })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 403])
})

const client = { address: '198.51.100.1', user_agent: null, language: null }

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => error.code,
  )

test('e-mail addresses are compared in Unicode normal form', async () => {
  const app = await testApp()
  expect((await register(app, { email: 'zoe\u0308@example.org' })).status).toBe(201)
  expect((await login(app, { email: 'Zo\u00cb@example.org', password: 'compilers are fun' })).status).toBe(200)
  expect((await login(app, { email: 'zoe\u0308@example.org', password: 'compilers are fun' })).status).toBe(200)
  expectProblem(await register(app, { email: 'zo\u00eb@example.org' }), 409, 'email_taken')
})

test('an unknown account takes as long as a wrong password', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const { hash, verify } = Bun.password
  const costs: string[] = []
  Bun.password.verify = ((...given: Parameters<typeof verify>) => {
    costs.push(String(given[1]).split('$', 4).join('$'))
    return verify(...given)
  }) as typeof verify
  try {
    for (const email of [ada.email, 'nobody@example.org']) await login(app, { email, password: 'not this one' })
    expect(costs).toEqual(['$argon2id$v=19$m=8,t=1,p=1', '$argon2id$v=19$m=8,t=1,p=1'])
  } finally {
    Object.assign(Bun.password, { hash, verify })
  }
})

// A row of PostgreSQL says which transaction has written it.
postgresTest('a registration is one transaction, and so is a login', async () => {
  const app = await testApp()
  const { id } = (await register(app)).body.user
  const first = await app.rows<{ tx: string }>(`
    SELECT xmin::text AS tx FROM users UNION SELECT xmin::text FROM consent_log UNION SELECT xmin::text FROM sessions
    UNION SELECT xmin::text FROM identities UNION SELECT xmin::text FROM audit_log`)
  expect(first).toHaveLength(1)

  expect((await login(app, { email: 'grace@example.org', password: 'compilers are fun' })).status).toBe(200)
  const later = await app.rows<{ tx: string; what: string }>(
    `SELECT xmin::text AS tx, 'session' AS what FROM sessions WHERE user_id = ? AND xmin::text <> ?
     UNION ALL SELECT xmin::text, 'entry' FROM audit_log WHERE xmin::text <> ?
     UNION ALL SELECT xmin::text, 'use' FROM identities WHERE xmin::text <> ?`,
    ...[id, first[0]!.tx, first[0]!.tx, first[0]!.tx],
  )
  expect(later.map(({ what }) => what).sort()).toEqual(['entry', 'session', 'use'])
  expect(new Set(later.map(({ tx }) => tx)).size).toBe(1)
})
