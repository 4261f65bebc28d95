import { afterEach, describe, expect, test } from 'bun:test'
import { createHmac, generateKeyPairSync, type KeyObject, verify as verifySignature } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import { derivedIdentityId, returnTarget } from '../../src/features/identities/rules.ts'
import { hours, minutes } from '../../src/lib/time.ts'
import { consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { nativeClientId, oidcServer, type Persona } from '../oidc.ts'
import { smtpServer } from '../smtp.ts'
import { until } from '../until.ts'

const PUBLIC_URL = 'https://meet.example.org'
const callbackOf = (name: string) => `${PUBLIC_URL}/api/v1/auth/oidc/${name}/callback`

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serverFor(name: string, options: Omit<Parameters<typeof oidcServer>[0], 'redirectUri'> = {}) {
  const server = await oidcServer({ redirectUri: callbackOf(name), ...options })
  closing.push(server.close)
  return server
}
type Server = Awaited<ReturnType<typeof serverFor>>

/** An app with the provider `acme`, and the same clock as the provider. */
async function open(environment: Record<string, string> = {}) {
  const acme = await serverFor('acme')
  const app = await testApp({ PUBLIC_URL, ...acme.settings('ACME'), OIDC_ACME_LABEL: 'Acme', ...environment })
  app.clock.now = Date.now()
  return { app, acme }
}

const native = ({ request }: TestApp, body: Record<string, unknown>, name = 'acme') =>
  request('POST', `auth/oidc/${name}`, { body: { consents, ...body } })

/** A browser's cookies of this server, by name. */
type Jar = Map<string, string>
const cookieHeader = (jar: Jar) => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
function keep(jar: Jar, headers: Headers) {
  for (const line of headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
    if (value === '') jar.delete(name!)
    else jar.set(name!, value!)
  }
}

async function start({ request }: TestApp, jar: Jar, name = 'acme', returnTo = `${PUBLIC_URL}/app`, invite?: string) {
  const query = new URLSearchParams({ return_to: returnTo, ...(invite !== undefined && { invite }) })
  const answer = await request('GET', `auth/oidc/${name}/start?${query}`)
  keep(jar, answer.headers)
  return { ...answer, location: answer.headers.get('location') ?? '' }
}

async function callback({ request }: TestApp, jar: Jar, answer: URLSearchParams, name = 'acme') {
  const back = await request('GET', `auth/oidc/${name}/callback?${answer}`, { headers: { cookie: cookieHeader(jar) } })
  keep(jar, back.headers)
  return { ...back, location: back.headers.get('location') ?? '' }
}

async function signInByBrowser(
  app: TestApp,
  server: Server,
  { name = 'acme', jar = new Map(), invite }: { name?: string; jar?: Jar; invite?: string } = {},
) {
  const { location } = await start(app, jar, name, undefined, invite)
  const answer = await server.authorize(location)
  return { ...(await callback(app, jar, answer, name)), jar, answer }
}

const meOf = async (app: TestApp, jar: Jar) => (await app.as(jar.get('app_at') ?? '').get('me')).body

const rowsOf = (app: TestApp) => app.rows("SELECT user_id, subject FROM identities WHERE kind = 'oidc'")
const accounts = (app: TestApp) => app.rows('SELECT id FROM users')

describe('a native app', () => {
  test('signs in with an id token, the first time with consents', async () => {
    const { app, acme } = await open()
    expect((await app.request('GET', 'auth/providers')).body.oidc).toEqual([{ name: 'acme', label: 'Acme' }])
    acme.signedIn.as = { sub: 'ada', given_name: 'Ada', name: 'Ada Lovelace' }
    const id_token = await acme.idToken({ nonce: 'n-1' })
    const bare = await app.request('POST', 'auth/oidc/acme', { body: { id_token } })
    expect([bare.status, bare.body.code]).toEqual([422, 'consents_required'])
    expect(await accounts(app)).toEqual([])
    const first = await native(app, { id_token, nonce: 'n-1' })
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({
      created: true,
      user: { name: 'Ada', email: null, messenger_id: null, consents_missing: [] },
    })
    expect(first.headers.getSetCookie().join()).toContain('app_at=')
    const again = await app.request('POST', 'auth/oidc/acme', { body: { id_token, cookies: false } })
    expect(again.status).toBe(200)
    expect(again.body).toMatchObject({ created: false, user: { id: first.body.user.id } })
    expect(again.headers.getSetCookie()).toEqual([])
    const items = (await app.as(again.body.access_token).get('me/identities')).body.items
    expect(items).toMatchObject([{ kind: 'oidc', provider: 'acme', label: 'Acme', last_used_at: expect.any(String) }])
    expect((await app.as(again.body.access_token).get('me/export')).body.identities).toMatchObject([
      { kind: 'oidc', provider: 'acme', subject: 'ada' },
    ])
    // Another client id of this server.
    expect((await native(app, { id_token: await acme.idToken({ aud: nativeClientId }) })).status).toBe(200)
  })

  test('is refused with any token that is not from the provider for this server, and nothing is stored', async () => {
    const { app, acme } = await open()
    const other = await serverFor('other')
    const at = Math.floor(Date.now() / 1000)
    const good = await acme.idToken({ nonce: 'n' })
    const [head, payload, signature] = good.split('.') as [string, string, string]
    const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
    const unsigned = `${part({ alg: 'none' })}.${payload}.`
    const hmac = (key: string) => {
      const text = `${part({ alg: 'HS256', kid: 'first' })}.${payload}`
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    const own = await generateKeyPair('RS256', { extractable: true })
    const ada = await app.person('Ada')
    const bad: Record<string, Record<string, unknown>> = {
      'another issuer’s': { id_token: await other.idToken() },
      'another issuer in the claims': { id_token: await acme.idToken({ iss: other.issuer }) },
      'for another client': { id_token: await acme.idToken({ aud: 'somebody-else' }) },
      'for several, presented by another': { id_token: await acme.idToken({ aud: ['convene-web', 'x'], azp: 'x' }) },
      expired: { id_token: await acme.idToken({ iat: at - 7200, exp: at - 3600 }) },
      'of the future': { id_token: await acme.idToken({ nbf: at + 3600 }) },
      'without an expiry': { id_token: await acme.idToken({ exp: undefined }) },
      'without a subject': { id_token: await acme.idToken({ sub: undefined }) },
      'with an empty subject': { id_token: await acme.idToken({ sub: '' }) },
      'with a subject of control characters': { id_token: await acme.idToken({ sub: 'a\u0000b' }) },
      'with an endless subject': { id_token: await acme.idToken({ sub: 'x'.repeat(300) }) },
      'with another nonce': { id_token: good, nonce: 'other' },
      'without the nonce': { id_token: await acme.idToken(), nonce: 'n' },
      'alg none': { id_token: unsigned },
      'alg none in other letters': { id_token: `${part({ alg: 'nOnE' })}.${payload}.${signature}` },
      'signed with a shared secret': { id_token: hmac('a-secret-of-the-tests') },
      'signed with the public key': { id_token: hmac(await (await fetch(`${acme.issuer}/jwks`)).text()) },
      'with another payload': {
        id_token: `${head}.${part({ sub: 'eve', iss: acme.issuer, aud: 'convene-web', iat: at, exp: at + 600 })}.${signature}`,
      },
      'without its signature': { id_token: `${head}.${payload}.` },
      'an access token of the provider': { id_token: await acme.idToken({}, { header: { typ: 'at+jwt' } }) },
      'a logout token': { id_token: await acme.idToken({ events: {} }) },
      'our own access token': { id_token: ada.token },
      'our own refresh token': { id_token: ada.refresh },
      nothing: { id_token: '' },
      'no token': { id_token: 'a.b.c' },
      'a key that nobody knows': { id_token: await acme.idToken({}, { header: { kid: 'unknown' } }) },
      'a key in its own header': {
        id_token: await acme.idToken({}, { header: { jwk: await exportJWK(own.publicKey) }, signWith: own.privateKey }),
      },
      'a key at another place': {
        id_token: await acme.idToken({}, { header: { jku: `${other.issuer}/jwks` }, signWith: own.privateKey }),
      },
    }
    const before = await accounts(app)
    for (const [what, body] of Object.entries(bad)) {
      const answers = [await native(app, body), await ada.post('me/identities/oidc/acme', body)]
      const codes = answers.map(({ status, body }) => [what, status, body.code])
      expect(codes).toEqual([what, what].map((what) => [what, 401, 'id_token_invalid']))
    }
    const endless = await native(app, { id_token: 'x'.repeat(20_000) })
    expect([endless.status, endless.body.errors[0]]).toMatchObject([422, { path: '/id_token', code: 'too_long' }])
    expect((await native(app, { id_token: 'x'.repeat(70_000) })).status).toBe(413)
    expect((await native(app, { id_token: 7 })).status).toBe(422)
    const unknown = await native(app, { id_token: good }, 'nobody')
    expect([unknown.status, unknown.body.code]).toEqual([503, 'provider_not_configured'])
    expect(await accounts(app)).toEqual(before)
    expect(await rowsOf(app)).toEqual([])
    expect(app.logged()).not.toContain(payload)
  })

  test('signs in after the provider has changed its keys, and no longer with the old one', async () => {
    const { app, acme } = await open()
    expect((await native(app, { id_token: await acme.idToken() })).status).toBe(201)
    await acme.rotateKeys('second')
    await until(
      async () => (await native(app, { id_token: await acme.idToken() })).status === 200,
      'the new key is known',
    )
    // Each node learns the new key with the first token that is signed with it.
    await until(async () => {
      await native(app, { id_token: await acme.idToken() })
      return (await native(app, { id_token: await acme.idToken({}, { key: 1 }) })).body.code === 'id_token_invalid'
    }, 'the old key is no longer taken')
  })

  test('with many concurrent logins creates one account', async () => {
    const { app, acme } = await open()
    const id_token = await acme.idToken()
    const answers = await Promise.all(Array.from({ length: 30 }, () => native(app, { id_token })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(29)
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1)
    expect(await accounts(app)).toHaveLength(1)
    expect(await rowsOf(app)).toHaveLength(1)
  })

  test('respects suspensions and rate limits', async () => {
    const { app, acme } = await open({ RATE_LIMIT: 'session=2/1d' })
    const id_token = await acme.idToken()
    const { id } = (await native(app, { id_token })).body.user
    expect((await native(app, { id_token })).status).toBe(200)
    expect((await native(app, { id_token })).status).toBe(429)
    await app.rows('UPDATE users SET suspended_until = ?, suspended_reason = ?', app.clock.now + hours, 'Insults')
    app.forget(id)
    const refused = await native(app, { id_token })
    expect(refused).toMatchObject({ status: 403, body: { code: 'suspended', reason: 'Insults' } })
  })
})

test('only a new account has to be admitted', async () => {
  const { app, acme } = await open({ REGISTRATION: 'invite' })
  const { code } = await app.services.registration.invite({ id: null }, { uses: 1 })
  const ada = await acme.idToken({ sub: 'ada' })
  expect((await native(app, { id_token: ada })).body.code).toBe('invite_required')
  expect((await signInByBrowser(app, acme)).location).toBe(`${PUBLIC_URL}/app#error=invite_required`)
  expect(await accounts(app)).toEqual([])
  const tries = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (sub) => native(app, { id_token: await acme.idToken({ sub }), invite: code })),
  )
  expect(tries.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403])
  const known = ['a', 'b', 'c', 'd'][tries.findIndex(({ status }) => status === 201)]!
  expect((await native(app, { id_token: await acme.idToken({ sub: known }) })).status).toBe(200)
  expect(await accounts(app)).toHaveLength(1)
  expect(await rowsOf(app)).toHaveLength(1)
  const once = (await app.services.registration.invite({ id: null }, { uses: 1 })).code
  const eve = { id_token: await acme.idToken({ sub: 'eve' }), invite: once }
  const taps = await Promise.all(Array.from({ length: 5 }, () => native(app, eve)))
  expect(taps.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 201])
  const closed = await open({ REGISTRATION: 'closed' })
  const refused = await native(closed.app, { id_token: await closed.acme.idToken() })
  expect([refused.status, refused.body.code]).toEqual([403, 'registration_closed'])
})

describe('an address', () => {
  const login = async (app: TestApp, acme: Server, persona: Persona) => {
    acme.signedIn.as = persona
    return native(app, { id_token: await acme.idToken() })
  }
  const verify = (app: TestApp, id: string) =>
    app.rows('UPDATE users SET email_verified_at = ? WHERE id = ?', app.clock.now, id)

  test('that both the provider and this server have verified signs in to its account, and the owner gets a mail', async () => {
    const smtp = await smtpServer()
    closing.push(smtp.close)
    const { app, acme } = await open({ SMTP_URL: smtp.url, MAIL_FROM: 'Convene <hello@example.org>' })
    const ada = await app.person('Ada')
    await verify(app, ada.id)
    const { status, body } = await login(app, acme, {
      sub: 'a',
      email: ada.email.toUpperCase(),
      email_verified: 'true',
    })
    expect([status, body.user.id]).toEqual([200, ada.id])
    await smtp.received(1)
    await until(() => smtp.mails.some(({ subject }) => subject!.startsWith('A new way to sign in')), 'the mail arrives')
    const mail = smtp.mails.find(({ subject }) => subject!.startsWith('A new way to sign in'))!
    expect([mail.recipients[0], mail.text!.includes('Acme')]).toEqual([ada.email, true])
    const kinds = (await ada.get('me/identities')).body.items.map(({ kind }: { kind: string }) => kind)
    expect(kinds.toSorted()).toEqual(['oidc', 'password'])
  })

  test('that only one of the two has verified creates a new account without it', async () => {
    const { app, acme } = await open()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await verify(app, ada.id)
    const cases: [Persona, string | null][] = [
      [{ sub: 'a', email: ada.email }, null],
      [{ sub: 'b', email: ada.email, email_verified: false }, null],
      [{ sub: 'c', email: ada.email, email_verified: 'false' }, null],
      [{ sub: 'd', email: bob.email, email_verified: true }, null],
      [{ sub: 'f', email: 'no address', email_verified: true }, null],
      [{ sub: 'g', email: `${'x'.repeat(300)}@example.org`, email_verified: true }, null],
      [{ sub: 'e', email: 'new@example.org', email_verified: true }, 'new@example.org'],
    ]
    for (const [persona, email] of cases) {
      const { status, body } = await login(app, acme, persona)
      expect([persona.sub, status, body.user.email, body.user.email_verified]).toEqual([
        persona.sub,
        201,
        email,
        email !== null,
      ])
      expect([ada.id, bob.id]).not.toContain(body.user.id)
    }
    expect((await bob.get('me')).body.email).toBe(bob.email)
  })

  test('of a suspended account links nothing, and the suspension is reported', async () => {
    const { app, acme } = await open()
    const ada = await app.person('Ada')
    await verify(app, ada.id)
    await app.rows('UPDATE users SET suspended_until = ? WHERE id = ?', app.clock.now + hours, ada.id)
    const { body } = await login(app, acme, { sub: 'a', email: ada.email, email_verified: true })
    expect(body.code).toBe('suspended')
    expect(await rowsOf(app)).toEqual([])
  })
})

describe('linking', () => {
  test('of 100 concurrent claims on one subject, exactly one account wins', async () => {
    const { app, acme } = await open()
    const people = await Promise.all(Array.from({ length: 20 }, (_, i) => app.person(`P${i}`)))
    const id_token = await acme.idToken()
    const claims = await Promise.all(
      Array.from({ length: 100 }, (_, i) => people[i % 20]!.post('me/identities/oidc/acme', { id_token })),
    )
    expect(claims.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(claims.filter(({ body }) => body.code === 'identity_taken')).toHaveLength(95)
    const winner = people[claims.findIndex(({ status }) => status === 201) % 20]!
    expect(await rowsOf(app)).toEqual([{ user_id: winner.id, subject: 'ada' }])
    expect((await native(app, { id_token })).body.user.id).toBe(winner.id)
    expect((await winner.post('me/identities/oidc/acme', { id_token })).status).toBe(200)
  })

  test('and unlinking works, but not for the last usable identity', async () => {
    const { app, acme } = await open()
    const ada = await app.person('Ada')
    const { body } = await ada.post('me/identities/oidc/acme', { id_token: await acme.idToken() })
    expect((await ada.delete(`me/identities/${derivedIdentityId(ada.id, 'password')}`)).status).toBe(204)
    expect((await ada.delete(`me/identities/${body.id}`)).body.code).toBe('last_identity')
    const session = (await native(app, { id_token: await acme.idToken() })).body
    const fresh = app.as(session.access_token)
    expect((await fresh.put('me/password', { new_password: password })).status).toBe(204)
    expect((await fresh.delete(`me/identities/${body.id}`)).status).toBe(204)
    const anew = await native(app, { id_token: await acme.idToken() })
    expect([anew.status, anew.body.user.id === ada.id]).toEqual([201, false])
  })

  test('needs a recent login or the password', async () => {
    const { app, acme } = await open()
    const ada = await app.person('Ada')
    app.clock.now += 10 * minutes
    const id_token = await acme.idToken()
    for (const [path, body] of [
      ['me/identities/oidc/acme', { id_token }],
      ['me/identities/oidc/acme/start', {}],
    ] as const) {
      expect(await ada.post(path, body)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
      const wrong = await ada.post(path, { ...body, password: 'another one' })
      expect(wrong).toMatchObject({ status: 403, body: { code: 'wrong_password' } })
      expect(wrong.headers.getSetCookie()).toEqual([])
      expect(await rowsOf(app)).toEqual([])
      expect([200, 201]).toContain((await ada.post(path, { ...body, password })).status)
      await app.rows('DELETE FROM identities')
    }
  })

  describe('in a browser', () => {
    async function begin(person: Person, jar: Jar, return_to = '/settings') {
      const begun = await person.post('me/identities/oidc/acme/start', { return_to })
      keep(jar, begun.headers)
      return begun
    }

    test('adds the provider’s account to the caller’s, and signs nobody in', async () => {
      const { app, acme } = await open()
      const ada = await app.person('Ada')
      // An unverified address, or that of somebody else, changes nothing, because Ada has asked for it.
      acme.signedIn.as = { sub: 'ada', email: 'other@example.org', email_verified: true }
      const jar: Jar = new Map()
      const begun = await begin(ada, jar)
      expect(begun.status).toBe(200)
      expect(Object.keys(begun.body)).toEqual(['url'])
      expect([...jar.keys()]).toEqual(['app_oidc'])
      const back = await callback(app, jar, await acme.authorize(begun.body.url))
      expect([back.status, back.location]).toEqual([302, `${PUBLIC_URL}/settings`])
      expect([...jar.keys()]).toEqual([])
      expect(await rowsOf(app)).toEqual([{ user_id: ada.id, subject: 'ada' }])
      expect(await accounts(app)).toHaveLength(1)
      const { jar: after } = await signInByBrowser(app, acme)
      expect((await meOf(app, after)).id).toBe(ada.id)
    })

    test('is refused if it belongs to somebody else, or the session has ended, and does not sign in', async () => {
      const { app, acme } = await open()
      const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
      acme.signedIn.as = { sub: 'bob' }
      expect((await bob.post('me/identities/oidc/acme', { id_token: await acme.idToken() })).status).toBe(201)
      const jar: Jar = new Map()
      const taken = await callback(app, jar, await acme.authorize((await begin(ada, jar)).body.url))
      expect(taken.location).toBe(`${PUBLIC_URL}/settings#error=identity_taken`)
      expect(jar.size).toBe(0)

      acme.signedIn.as = { sub: 'ada' }
      const later = await acme.authorize((await begin(ada, jar)).body.url)
      expect((await ada.post('auth/logout', { refresh_token: ada.refresh })).status).toBeLessThan(300)
      const ended = await callback(app, jar, later)
      expect(ended.location).toBe(`${PUBLIC_URL}/settings#error=unauthenticated`)
      expect(await rowsOf(app)).toEqual([{ user_id: bob.id, subject: 'bob' }])
      expect(await accounts(app)).toHaveLength(2)
    })

    test('returns only to this server, and only signed-in users can start it', async () => {
      const { app, acme } = await open()
      const ada = await app.person('Ada')
      const away = await begin(ada, new Map(), 'https://evil.example.org/')
      expect([away.status, away.headers.getSetCookie()]).toEqual([422, []])
      const stranger = await app.request('POST', 'me/identities/oidc/acme/start', { body: {} })
      expect(stranger.status).toBe(401)
      acme.state.behaviour = 'fail'
      const closed = await begin(ada, new Map())
      expect([closed.status, closed.body.code, closed.headers.getSetCookie()]).toEqual([503, 'busy', []])
    })
  })

  test('a provider that is no longer configured does not count as usable', async () => {
    const { app, acme } = await open()
    const ada = await app.person('Ada')
    await ada.post('me/identities/oidc/acme', { id_token: await acme.idToken() })
    await app.rows("UPDATE identities SET issuer = 'https://gone.example.org', provider = 'gone' WHERE kind = 'oidc'")
    const items = (await ada.get('me/identities')).body.items
    expect(items.find(({ kind }: { kind: string }) => kind === 'oidc').label).toBe('gone')
    const own = derivedIdentityId(ada.id, 'password')
    expect((await ada.delete(`me/identities/${own}`)).body.code).toBe('last_identity')
  })
})

describe('a browser', () => {
  test('carries the code of an invite, which only a new account uses', async () => {
    const { app, acme } = await open({ REGISTRATION: 'invite' })
    const { code } = await app.services.registration.invite({ id: null }, { uses: 2 })
    const used = async () => (await app.rows('SELECT used FROM invites'))[0]!.used
    const refused = `${PUBLIC_URL}/app#error=invite_required`
    acme.signedIn.as = { sub: 'mia' }
    expect((await signInByBrowser(app, acme, { invite: 'made-up' })).location).toBe(refused)
    const begun = await start(app, new Map(), 'acme', undefined, code)
    expect(begun.location + begun.headers.getSetCookie()).not.toContain(code)
    for (const invite of [code, code.toLowerCase().replaceAll('-', ''), undefined])
      expect((await signInByBrowser(app, acme, { invite })).location).toBe(`${PUBLIC_URL}/app`)
    expect(await used()).toBe(1)
    acme.signedIn.as = { sub: 'bob' }
    expect((await signInByBrowser(app, acme, { invite: code })).location).toBe(`${PUBLIC_URL}/app`)
    acme.signedIn.as = { sub: 'eve' }
    expect((await signInByBrowser(app, acme, { invite: code })).location).toBe(refused)
    expect([await used(), (await accounts(app)).length]).toEqual([2, 2])
    expect((await app.request('GET', `auth/oidc/acme/start?invite=${'x'.repeat(101)}`)).status).toBe(422)
    expect(app.logged()).not.toContain(code)
  })

  test('carries a date of birth in its cookie, which only a new account needs', async () => {
    const { app, acme } = await open({ MIN_AGE: '18' })
    acme.signedIn.as = { sub: 'mia' }
    expect((await signInByBrowser(app, acme)).location).toBe(`${PUBLIC_URL}/app#error=validation_failed`)
    const jar: Jar = new Map()
    const posted = await app.request('POST', 'auth/oidc/acme/start', {
      body: { return_to: `${PUBLIC_URL}/app`, birth_date: '1990-05-17' },
    })
    keep(jar, posted.headers)
    expect(posted.status).toBe(200)
    expect(posted.text + posted.headers.getSetCookie()).not.toContain('1990')
    const back = await callback(app, jar, await acme.authorize(posted.body.url))
    expect(back.location).toBe(`${PUBLIC_URL}/app`)
    expect((await meOf(app, jar)).birth_month).toBe('1990-05')
    expect((await signInByBrowser(app, acme)).location).toBe(`${PUBLIC_URL}/app`)
    acme.signedIn.as = { sub: 'bob' }
    const missing = await native(app, { id_token: await acme.idToken() })
    expect([missing.status, missing.body.errors]).toMatchObject([422, [{ path: '/birth_date' }]])
    const young = await native(app, {
      id_token: await acme.idToken(),
      birth_date: new Date(app.clock.now).toISOString().slice(0, 10),
    })
    expect([young.status, young.body.code]).toEqual([422, 'too_young'])
    expect(app.logged()).not.toContain('1990-05')
  })

  test('is sent to the provider and returns signed in, hidden until the consents are given', async () => {
    const { app, acme } = await open()
    acme.signedIn.as = { sub: 'mia', given_name: 'Mia', email: 'mia@example.org', email_verified: true }
    const jar: Jar = new Map()
    const begun = await start(app, jar)
    expect(begun.status).toBe(302)
    const url = new URL(begun.location)
    expect(url.origin).toBe(acme.issuer)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'convene-web',
      response_type: 'code',
      redirect_uri: callbackOf('acme'),
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    const [cookie] = begun.headers.getSetCookie()
    expect(cookie).toMatch(
      /^app_oidc=[\w-]+; HttpOnly; Secure; SameSite=Lax; Path=\/api\/v1\/auth\/oidc\/acme; Max-Age=600$/,
    )
    expect(cookie).not.toContain(url.searchParams.get('state')!)
    const answer = await acme.authorize(begun.location)
    const back = await callback(app, jar, answer)
    expect([back.status, back.location]).toEqual([302, `${PUBLIC_URL}/app`])
    expect([...jar.keys()].toSorted()).toEqual(['app_at', 'app_rt'])
    const me = await meOf(app, jar)
    expect(me).toMatchObject({ name: 'Mia', email: 'mia@example.org', email_verified: true })
    expect(me.consents_missing).toEqual(['terms', 'privacy', 'disclaimer'])
    const [mia, ada] = [app.as(jar.get('app_at')!), await app.person('Ada')]
    await mia.put('me/location', { latitude: 52.5, longitude: 13.4 })
    const found = async () => (await ada.get('search/nearby?lat=52.5&lng=13.4')).body.items
    expect(await found()).toEqual([])
    expect((await mia.post('auth/consents', { consents })).status).toBe(201)
    expect(await found()).toHaveLength(1)
    const again = await signInByBrowser(app, acme)
    expect((await meOf(app, again.jar)).id).toBe(me.id)
    expect(app.logged()).not.toContain(answer.get('code')!)
  })

  test('that brings an answer twice, or another browser’s, is not signed in', async () => {
    const { app, acme } = await open()
    const jar: Jar = new Map()
    const { location } = await start(app, jar)
    const kept = new Map(jar)
    const answer = await acme.authorize(location)
    expect((await callback(app, new Map(), answer)).location).toBe(`${PUBLIC_URL}/#error=id_token_invalid`)
    const stranger: Jar = new Map()
    await start(app, stranger)
    expect((await callback(app, stranger, answer)).location).toBe(`${PUBLIC_URL}/app#error=id_token_invalid`)
    expect((await callback(app, jar, answer)).location).toBe(`${PUBLIC_URL}/app`)
    // The code is used up, even with a copy of the cookie.
    const replayed = await callback(app, kept, answer)
    expect(replayed.location).toBe(`${PUBLIC_URL}/app#error=id_token_invalid`)
    expect(replayed.headers.getSetCookie().join()).not.toContain('app_at')
  })

  test('is not signed in with a changed state, or a cookie that is old, changed or of another provider', async () => {
    const other = await serverFor('other')
    const { app, acme } = await open(other.settings('OTHER'))
    const expectRefused = async (change: (jar: Jar, answer: URLSearchParams) => void, name = 'acme') => {
      const jar: Jar = new Map()
      const { location } = await start(app, jar)
      const answer = await acme.authorize(location)
      change(jar, answer)
      const back = await callback(app, jar, answer, name)
      expect(back.location).toEndWith('#error=id_token_invalid')
      expect(jar.has('app_at')).toBe(false)
    }
    await expectRefused((_, answer) => answer.set('state', 'x'))
    await expectRefused((_, answer) => answer.delete('state'))
    await expectRefused((_, answer) => answer.delete('code'))
    await expectRefused((_, answer) => answer.set('iss', other.issuer))
    await expectRefused((_, answer) => answer.delete('iss'))
    await expectRefused((jar) => jar.set('app_oidc', `A${jar.get('app_oidc')!.slice(1)}`))
    await expectRefused((jar) => jar.set('app_oidc', 'x'))
    // Mix-up attack: the answer of one provider at the callback of another, with the cookie of the first.
    await expectRefused(() => {}, 'other')
    await expectRefused(() => (app.clock.now += 10 * minutes))
    expect(await accounts(app)).toEqual([])
    expect(other.state.requests).not.toContain('POST /token')
  })

  test('that was refused at the provider returns with the reason', async () => {
    const { app } = await open()
    const jar: Jar = new Map()
    const { location } = await start(app, jar)
    const state = new URL(location).searchParams.get('state')!
    const iss = new URL(location).origin
    const answer = new URLSearchParams({ error: 'access_denied', error_description: '<script>', state, iss })
    const back = await callback(app, jar, answer)
    expect(back.location).toBe(`${PUBLIC_URL}/app#error=forbidden`)
  })

  test('during maintenance returns with the code, from the start and from the provider, and changes nothing', async () => {
    const { app, acme } = await open()
    const jar: Jar = new Map()
    const answer = await acme.authorize((await start(app, jar)).location)
    const maintenance = { text: 'We move.', since: app.clock.now, retryAfterS: 60 }
    await app.services.maintenance.set(maintenance)
    for (const { services } of app.nodes) await services.maintenance.look()
    expect((await start(app, new Map())).location).toBe(`${PUBLIC_URL}/app#error=maintenance`)
    expect((await callback(app, jar, answer)).location).toBe(`${PUBLIC_URL}/app#error=maintenance`)
    expect(jar.has('app_at')).toBe(false)
    expect(await accounts(app)).toEqual([])
  })

  test('of a suspended account returns with the code, and without a session', async () => {
    const { app, acme } = await open()
    await native(app, { id_token: await acme.idToken() })
    await app.rows('UPDATE users SET suspended_until = ?', app.clock.now + hours)
    const { location, jar } = await signInByBrowser(app, acme)
    expect(location).toBe(`${PUBLIC_URL}/app#error=suspended`)
    expect(jar.has('app_at')).toBe(false)
  })

  test('returns only to this server or a listed origin', async () => {
    const { app } = await open({ CORS_ORIGINS: 'https://app.example.org' })
    const bad = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://meet.example.org@evil.example/',
      'https://user:pw@meet.example.org/',
      'https://meet.example.org.evil.example/',
      'http://meet.example.org/',
      'https://meet.example.org:444/',
      'javascript:alert(1)',
      'data:text/html,x',
      'app://open',
      'https:evil.example',
      '%2F%2Fevil.example',
      '/%2Fevil.example',
      '/%5Cevil.example',
      '/\t/evil.example',
      '/a\n/evil',
      'evil',
      '',
      `/${'x'.repeat(2001)}`,
      // Longer once they are encoded.
      `/${'é'.repeat(500)}`,
      `/?${'\\'.repeat(1500)}`,
    ]
    for (const target of bad) {
      const { status, body, headers } = await start(app, new Map(), 'acme', target)
      expect([target, status, body?.code]).toEqual([target, 422, 'validation_failed'])
      expect(headers.getSetCookie()).toEqual([])
    }
    for (const target of ['/', '/app?x=1#y', `${PUBLIC_URL}/app`, 'https://app.example.org/welcome'])
      expect((await start(app, new Map(), 'acme', target)).status).toBe(302)
    const longest = await start(app, new Map(), 'acme', `/${'x'.repeat(1999)}`, 'i'.repeat(100))
    expect(longest.status).toBe(302)
    // What browsers take of a cookie.
    expect(Math.max(...longest.headers.getSetCookie().map((cookie) => cookie.length))).toBeLessThan(4096)
    expect((await app.request('GET', 'auth/oidc/acme/start')).status).toBe(302)
    expect(returnTarget('/a', PUBLIC_URL, [])).toBe(`${PUBLIC_URL}/a`)
  })

  test('returns to the longest address that it takes', async () => {
    const { app, acme } = await open()
    const jar: Jar = new Map()
    const target = `${PUBLIC_URL}/${'x'.repeat(2000 - PUBLIC_URL.length - 1)}`
    const { location } = await start(app, jar, 'acme', target)
    expect((await callback(app, jar, await acme.authorize(location))).location).toBe(target)
  })

  test('needs PUBLIC_URL and a configured provider', async () => {
    const { app } = await open({ PUBLIC_URL: '' })
    expect((await start(app, new Map())).body.code).toBe('provider_not_configured')
    expect((await start(app, new Map(), 'nobody')).body.code).toBe('provider_not_configured')
    expect((await callback(app, new Map(), new URLSearchParams(), 'nobody')).body.code).toBe('provider_not_configured')
  })
})

describe('a provider that does not answer', () => {
  test('is used again when it answers, and does not delay anybody else', async () => {
    const { app, acme } = await open()
    const ada = await app.person('Ada')
    acme.state.behaviour = 'fail'
    const id_token = await acme.idToken()
    const failed = await native(app, { id_token })
    expect([failed.status, failed.body.code, failed.headers.get('retry-after')]).toEqual([503, 'busy', '5'])
    expect((await start(app, new Map())).location).toBe(`${PUBLIC_URL}/app#error=busy`)
    app.clock.now += 2001
    acme.state.behaviour = 'hang'
    const asked = acme.state.requests.length
    const waiting = native(app, { id_token })
    let answered = false
    void waiting.then(() => (answered = true))
    await until(() => acme.state.requests.length > asked, 'the provider is asked')
    for (let i = 0; i < 50; i++) expect((await ada.get('me')).status).toBe(200)
    expect(answered).toBe(false)
    expect((await waiting).body.code).toBe('busy')
    acme.state.behaviour = 'ok'
    app.clock.now += 2001
    expect((await native(app, { id_token })).status).toBe(201)
    expect(await accounts(app)).toHaveLength(2)
  })

  oneNodeTest('each node asks the provider by itself')('is not asked again by everybody who waits', async () => {
    const { app, acme } = await open()
    acme.state.behaviour = 'fail'
    const id_token = await acme.idToken()
    const answers = await Promise.all(Array.from({ length: 20 }, () => native(app, { id_token })))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect((await native(app, { id_token })).status).toBe(503)
    expect(acme.state.requests).toHaveLength(1)
  })

  test('during the browser’s redirect sends it back with the reason', async () => {
    const { app, acme } = await open()
    const jar: Jar = new Map()
    const { location } = await start(app, jar)
    const answer = await acme.authorize(location)
    acme.state.behaviour = 'fail'
    expect((await callback(app, jar, answer)).location).toBe(`${PUBLIC_URL}/app#error=busy`)
    expect(await accounts(app)).toEqual([])
  })
})

describe('Apple', () => {
  async function openApple(environment: Record<string, string> = {}) {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const secrets: Record<string, unknown>[] = []
    const apple = await serverFor('apple', {
      apple: { verify: (secret, id) => isSigned(secret, id, publicKey, secrets) },
    })
    const app = await testApp({
      PUBLIC_URL,
      OIDC_APPLE_ISSUER: apple.issuer,
      OIDC_APPLE_CLIENT_ID: `convene-web,${nativeClientId}`,
      OIDC_APPLE_TEAM_ID: 'TEAM123456',
      OIDC_APPLE_KEY_ID: 'KEY1234567',
      OIDC_APPLE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
      ...environment,
    })
    app.clock.now = Date.now()
    return { app, apple, secrets }
  }

  function isSigned(secret: string, id: string, key: KeyObject, seen: Record<string, unknown>[]) {
    const [header, payload, signature] = secret.split('.')
    if (signature === undefined) return false
    const text = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    seen.push({ ...text(header!), ...text(payload!) })
    const { alg, kid, iss, sub } = seen.at(-1)!
    const data = Buffer.from(`${header}.${payload}`)
    return (
      [alg, kid, iss, sub].join() === ['ES256', 'KEY1234567', 'TEAM123456', id].join() &&
      verifySignature('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))
    )
  }

  const postBack = (app: TestApp, jar: Jar, answer: URLSearchParams) =>
    app.request('POST', 'auth/oidc/apple/callback', {
      body: answer.toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://appleid.apple.com',
        cookie: cookieHeader(jar),
      },
    })

  async function signInAtApple(app: TestApp, apple: Server, user?: string) {
    const jar: Jar = new Map()
    const begun = await start(app, jar, 'apple')
    const answer = await apple.authorize(begun.location)
    if (user !== undefined) answer.set('user', user)
    const back = await postBack(app, jar, answer)
    keep(jar, back.headers)
    return { begun, back, jar }
  }

  test('posts its answer, needs a signed secret, and sends the name once', async () => {
    const { app, apple, secrets } = await openApple()
    apple.signedIn.as = { sub: '001.ada', email: 'x@privaterelay.appleid.com', email_verified: 'true' }
    const name = { name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'evil@example.org' }
    const { begun, back, jar } = await signInAtApple(app, apple, JSON.stringify(name))
    expect(new URL(begun.location).searchParams.get('response_mode')).toBe('form_post')
    expect(begun.headers.getSetCookie()[0]).toContain('SameSite=None')
    expect([back.status, back.headers.get('location')]).toEqual([302, `${PUBLIC_URL}/app`])
    expect(await meOf(app, jar)).toMatchObject({ name: 'Ada', email: 'x@privaterelay.appleid.com' })
    expect(secrets[0]).toMatchObject({ aud: apple.issuer, sub: 'convene-web', iss: 'TEAM123456' })
    const later = await signInAtApple(app, apple)
    expect((await meOf(app, later.jar)).name).toBe('Ada')
    const elsewhere = await signInAtApple(app, apple, '{"name":')
    expect(elsewhere.back.headers.get('location')).toBe(`${PUBLIC_URL}/app`)
    const json = await app.request('POST', 'auth/oidc/apple/callback', { body: { code: 'x' } })
    expect(json.status).toBe(415)
  })

  test('has a word of its own for a sign-in that was cancelled', async () => {
    const { app, apple } = await openApple()
    const jar: Jar = new Map()
    const { location } = await start(app, jar, 'apple')
    const state = new URL(location).searchParams.get('state')!
    const answer = new URLSearchParams({ error: 'user_cancelled_authorize', state, iss: apple.issuer })
    const back = await postBack(app, jar, answer)
    expect(back.headers.get('location')).toBe(`${PUBLIC_URL}/app#error=forbidden`)
  })

  test('is asked to revoke its grant after an erasure or the removal of the identity, even from an app', async () => {
    const { app, apple } = await openApple()
    const { jar } = await signInAtApple(app, apple)
    const web = app.as(jar.get('app_at')!)
    const [stored] = await app.rows<{ t: string }>("SELECT grant_token AS t FROM identities WHERE kind = 'oidc'")
    expect(stored!.t).toMatch(/^[\w-]{50,}$/)
    expect((await web.get('me/export')).text).not.toContain(stored!.t)
    // It does not answer at first, so the revocation is retried.
    apple.state.behaviour = 'fail'
    expect((await web.delete('me')).status).toBe(204)
    expect(await rowsOf(app)).toEqual([])
    const [waiting] = await app.rows<{ payload: string; user_id: string | null }>('SELECT payload, user_id FROM outbox')
    expect(waiting!.user_id).toBeNull()
    expect(JSON.stringify(waiting)).not.toContain('001.ada')
    apple.state.behaviour = 'ok'
    const revoked = async (count: number) => {
      for (const { services } of app.nodes) await services.delivery.idle()
      app.clock.now += hours
      await app.services.storage.outbox.retry({ kind: 'oidc_revoke' }, app.clock.now)
      for (const { services } of app.nodes) services.delivery.wake('oidc_revoke')
      for (const { services } of app.nodes) await services.delivery.idle()
      return apple.state.revoked.length >= count
    }
    await until(() => revoked(1), 'the grant is revoked')
    // The revoked token is the provider's own, not its stored form.
    expect(apple.state.revoked[0]).not.toBe(stored!.t)
    await until(async () => (await app.rows('SELECT id FROM outbox')).length === 0, 'nothing waits')

    app.clock.now = Date.now()
    apple.signedIn.as = { sub: '001.bob' }
    const body = { id_token: await apple.idToken({ aud: nativeClientId }), code: 'native-code' }
    expect((await native(app, { ...body, code: 'another' }, 'apple')).body.code).toBe('id_token_invalid')
    const bob = (await native(app, body, 'apple')).body
    const phone = app.as(bob.access_token)
    const [{ id }] = (await phone.get('me/identities')).body.items
    expect((await phone.put('me', { name: 'Bob' })).status).toBe(200)
    expect((await phone.delete(`me/identities/${id}`)).body.code).toBe('last_identity')
    expect((await phone.delete('me')).status).toBe(204)
    await until(() => revoked(2), 'the grant is revoked')
    expect(apple.state.revoked[1]).toBe('native-refresh')
    expect(app.logged()).not.toContain('native-refresh')
  })

  test('is not linked with the account of a verified address by an id token whose code is refused', async () => {
    const { app, apple } = await openApple()
    const ada = await app.person('Ada')
    await app.rows('UPDATE users SET email_verified_at = ? WHERE id = ?', app.clock.now, ada.id)
    apple.signedIn.as = { sub: '001.ada', email: ada.email, email_verified: true }
    const body = { id_token: await apple.idToken({ aud: nativeClientId }), code: 'another' }
    expect((await native(app, body, 'apple')).body.code).toBe('id_token_invalid')
    expect(await app.rows("SELECT id FROM identities WHERE kind = 'oidc'")).toEqual([])
    expect(await app.rows("SELECT id FROM audit_log WHERE action = 'identity_added'")).toEqual([])
    const signedIn = await native(app, { ...body, code: 'native-code' }, 'apple')
    expect([signedIn.status, signedIn.body.user.id]).toEqual([200, ada.id])
  })

  test('gets a code from an app only when nothing else refuses the new account', async () => {
    const { app, apple } = await openApple({ REGISTRATION: 'invite' })
    const { code: invite } = await app.services.registration.invite({ id: null }, { uses: 1 })
    apple.signedIn.as = { sub: '001.mia' }
    const body = { id_token: await apple.idToken({ aud: nativeClientId }), code: 'native-code' }
    expect((await native(app, { ...body, invite, consents: undefined }, 'apple')).body.code).toBe('consents_required')
    expect((await native(app, body, 'apple')).body.code).toBe('invite_required')
    const mia = await native(app, { ...body, invite }, 'apple')
    expect(mia.status).toBe(201)
    const stored = await app.rows<{ t: string | null }>("SELECT grant_token AS t FROM identities WHERE kind = 'oidc'")
    expect(stored).toEqual([{ t: expect.any(String) }])
    // A login to an existing account needs neither consents nor an invite, but a code that works.
    const again = await native(app, { id_token: body.id_token, consents: undefined }, 'apple')
    expect([again.status, again.body.user.id]).toEqual([200, mia.body.user.id])
    expect((await native(app, body, 'apple')).body.code).toBe('id_token_invalid')
    expect((await app.as(mia.body.access_token).delete('me')).status).toBe(204)
    for (const { services } of app.nodes) {
      services.delivery.wake('oidc_revoke')
      await services.delivery.idle()
    }
    await until(() => apple.state.revoked.includes('native-refresh'), 'the grant is revoked')
  })
})
