import { describe, expect, test } from 'bun:test'
import { SignJWT } from 'jose'
import { type Answer, type Person, password, start, type TestApp, testApp } from '../app.ts'
import { oneNodeTest } from '../engines.ts'
import { expectProblem } from '../problem.ts'
import { granted } from '../rows.ts'

const days = 86_400_000
const unknownId = '01a1fdfa-4600-7000-8000-000000000000'

const refresh = ({ request }: TestApp, refresh_token: unknown) =>
  request('POST', 'auth/refresh', { body: { refresh_token } })

/** Another session of a user, as on another device. */
const elsewhere = async ({ services, as }: TestApp, { id }: Person, user_agent = 'another device') => {
  const session = await services.auth.begin(id, { address: '198.51.100.1', user_agent, language: null })
  return { token: session.access_token, refresh: session.refresh_token, ...as(session.access_token) }
}

const claimsOf = (token: string): { sub: string; sid: string; iat: number; exp: number; iss: string } =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

const expectCookies = (answer: Answer, access: string, refresh: string, refreshMaxAgeS = 2_592_000) =>
  expect(answer.headers.getSetCookie()).toEqual([
    `app_at=${access}; HttpOnly; Secure; SameSite=Lax; Path=/; Max-Age=${access === '' ? 0 : 900}`,
    `app_rt=${refresh}; HttpOnly; Secure; SameSite=Lax; Path=/api/v1/auth; Max-Age=${refreshMaxAgeS}`,
  ])

describe('refresh', () => {
  test('returns a new pair and the cookies, and the new pair works', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    app.clock.now += 600_000
    const answer = await refresh(app, ada.refresh)
    expect(answer.status).toBe(200)
    const { user, access_token, refresh_token, ...rest } = answer.body
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 900 })
    expect(user).toEqual((await ada.get('me')).body)
    expectCookies(answer, access_token, refresh_token)
    expect(refresh_token).not.toBe(ada.refresh)
    expect(access_token).not.toBe(ada.token)
    expect((await app.as(access_token).get('me')).status).toBe(200)
    expect(claimsOf(access_token).sid).toBe(claimsOf(ada.token).sid)
    expect((await refresh(app, refresh_token)).status).toBe(200)
  })

  test('the previous token returns the same successor for ten seconds, however often', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const { refresh_token } = (await refresh(app, ada.refresh)).body
    for (const after of [0, 5_000, 4_999]) {
      app.clock.now += after
      const again = await refresh(app, ada.refresh)
      expect(again.body.refresh_token).toBe(refresh_token)
      expect((await app.as(again.body.access_token).get('me')).status).toBe(200)
    }
    expect((await refresh(app, refresh_token)).status).toBe(200)
  })

  test.each([2, 20])('%d at once all return the same successor', async (count) => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const answers = await Promise.all(Array.from({ length: count }, () => refresh(app, ada.refresh)))
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect((await refresh(app, answers[0]!.body.refresh_token)).status).toBe(200)
  })

  const expectTheft = async (app: TestApp, stolen: string, tokens: { access: string[]; newest: string }) => {
    const answer = await refresh(app, stolen)
    expectProblem(answer, 401, 'refresh_reused')
    expect(answer.headers.getSetCookie()).toEqual([])
    for (const token of tokens.access) expectProblem(await app.as(token).get('me'), 401, 'unauthenticated')
    expectProblem(await refresh(app, tokens.newest), 401, 'unauthenticated')
    expectProblem(await refresh(app, stolen), 401, 'refresh_reused')
  }

  test('a token used ten seconds after its successor was made ends the session, and only that one', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const other = await elsewhere(app, ada)
    const next = (await refresh(app, ada.refresh)).body
    expect((await ada.get('me')).status).toBe(200)
    app.clock.now += 10_000
    await expectTheft(app, ada.refresh, { access: [ada.token, next.access_token], newest: next.refresh_token })
    expect((await other.get('me')).status).toBe(200)
    expect((await refresh(app, other.refresh)).status).toBe(200)
  })

  test('a token older than the previous one ends the session at once', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const second = (await refresh(app, ada.refresh)).body
    const third = (await refresh(app, second.refresh_token)).body
    await expectTheft(app, ada.refresh, { access: [ada.token, third.access_token], newest: third.refresh_token })
  })

  test('of an ended session is refused', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await ada.post('auth/logout')
    expectProblem(await refresh(app, ada.refresh), 401, 'unauthenticated')
  })

  test('a session lasts thirty days without use, and at most ninety', async () => {
    const app = await testApp()
    const idle = await app.person('Ada')
    const busy = await elsewhere(app, idle)
    let newest = busy.refresh
    for (const day of [29, 58, 87]) {
      app.clock.now = start + day * days
      const answer = await refresh(app, newest)
      expect(answer.status).toBe(200)
      newest = answer.body.refresh_token
      if (day > 30) expectProblem(await refresh(app, idle.refresh), 401, 'token_expired')
    }
    app.clock.now = start + 90 * days - 1
    newest = (await refresh(app, newest)).body.refresh_token
    app.clock.now += 1
    expectProblem(await refresh(app, newest), 401, 'token_expired')

    const { token } = await elsewhere(app, idle)
    expect((await app.as(token).get('me/sessions')).body.items).toHaveLength(1)
  })

  test('refuses anything that is not a genuine refresh token', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const [session, , mac] = ada.refresh.split('.') as [string, string, string]
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    // Decodes to the same bytes.
    const sibling = mac.slice(0, -1) + last[last.indexOf(mac.at(-1)!) + 1]
    expect(Buffer.from(sibling, 'base64url')).toEqual(Buffer.from(mac, 'base64url'))
    for (const token of [
      ada.token,
      '',
      'x',
      session,
      `${session}.0`,
      `${session}.1.${mac}`,
      `${session}.00.${mac}`,
      `${session}.0.${sibling}`,
      `${session}.0.${mac.slice(0, -1)}`,
      `${session}.0.${'A'.repeat(43)}`,
      `${unknownId}.0.${mac}`,
      ` ${ada.refresh}`,
      `${ada.refresh}\n`,
      `${ada.refresh}.`,
      ada.refresh.toUpperCase(),
    ])
      expectProblem(await refresh(app, token), 401, 'unauthenticated')
    for (const token of [undefined, null]) expectProblem(await refresh(app, token), 401, 'unauthenticated')
    for (const token of [1, ['x'], 'x'.repeat(4097)])
      expect(expectProblem(await refresh(app, token), 422, 'validation_failed')).toEqual(['/refresh_token'])
    expect((await refresh(app, ada.refresh)).status).toBe(200)
  })

  test('of a suspended user is refused with the reason, and works again afterwards', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await app.rows("UPDATE users SET suspended_until = ?, suspended_reason = 'spam' WHERE id = ?", start + days, ada.id)
    expectProblem(await refresh(app, ada.refresh), 403, 'suspended')
    app.clock.now += days
    expect((await refresh(app, ada.refresh)).status).toBe(200)
  })

  test('accepts a token of a later generation, as after a restore, but none that was never made', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const before = (await app.rows<{ generation: number }>('SELECT * FROM sessions'))[0]!
    const second = (await refresh(app, ada.refresh)).body
    const third = (await refresh(app, second.refresh_token)).body
    await app.rows('UPDATE sessions SET generation = ?', before.generation)
    const answer = await refresh(app, third.refresh_token)
    expect(answer.status).toBe(200)
    expect((await refresh(app, answer.body.refresh_token)).status).toBe(200)
  })
})

test('a logout ends this session at once and clears both cookies, and leaves the others', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const other = await elsewhere(app, ada)
  expect((await ada.get('me')).status).toBe(200)
  const answer = await ada.post('auth/logout')
  expect([answer.status, answer.text]).toEqual([204, ''])
  expectCookies(answer, '', '', 0)
  expectProblem(await ada.get('me'), 401, 'unauthenticated')
  expectProblem(await ada.post('auth/logout'), 401, 'unauthenticated')
  expect((await other.get('me')).status).toBe(200)
})

test('the list of sessions shows the caller’s live ones, newest first, and marks this one', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  await app.person('Bob')
  app.clock.now += 1000
  const phone = await elsewhere(app, ada, 'A phone')
  app.clock.now += 1000
  const ended = await elsewhere(app, ada)
  await ended.post('auth/logout')
  const { access_token } = (await refresh(app, ada.refresh)).body

  const session = (token: string, at: number, used: number, user_agent: string) => ({
    id: claimsOf(token).sid,
    created_at: new Date(at).toISOString(),
    last_used_at: new Date(used).toISOString(),
    user_agent,
    current: token === access_token,
  })
  expect((await app.as(access_token).get('me/sessions')).body).toEqual({
    items: [
      session(phone.token, start + 1000, start + 1000, 'A phone'),
      session(access_token, start, start + 2000, 'test'),
    ],
    next_cursor: null,
  })
})

test('the list of sessions is paged without gaps or repeats', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  for (let i = 0; i < 6; i++) {
    if (i % 2) app.clock.now += 1000
    await elsewhere(app, ada, `device ${i}`)
  }
  const all = (await ada.get('me/sessions')).body.items
  expect(all).toHaveLength(7)
  const paged: unknown[] = []
  for (let cursor = ''; ;) {
    const { items, next_cursor } = (await ada.get(`me/sessions?limit=2${cursor}`)).body
    paged.push(...items)
    if (next_cursor === null) break
    expect(items).toHaveLength(2)
    // A session that begins in between is on no later page.
    await elsewhere(app, ada, 'late')
    cursor = `&cursor=${next_cursor}`
  }
  expect(paged).toEqual(all)
})

test('one of the listed sessions can be ended, which stops its tokens at once', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const other = await elsewhere(app, ada)
  expect((await other.get('me')).status).toBe(200)
  const { sid } = claimsOf(other.token)
  const answer = await ada.delete(`me/sessions/${sid}`)
  expect([answer.status, answer.text]).toEqual([204, ''])
  expectProblem(await other.get('me'), 401, 'unauthenticated')
  expectProblem(await refresh(app, other.refresh), 401, 'unauthenticated')
  expectProblem(await ada.delete(`me/sessions/${sid}`), 404, 'not_found')
  expect((await ada.get('me')).status).toBe(200)
  expect((await ada.delete(`me/sessions/${claimsOf(ada.token).sid}`)).status).toBe(204)
  expectProblem(await ada.get('me'), 401, 'unauthenticated')
})

test('nobody can end somebody else’s session', async () => {
  const app = await testApp()
  const [ada, eve] = [await app.person('Ada'), await app.person('Eve')]
  expectProblem(await eve.delete(`me/sessions/${claimsOf(ada.token).sid}`), 404, 'not_found')
  expectProblem(await eve.delete(`me/sessions/${unknownId}`), 404, 'not_found')
  expect((await eve.delete('me/sessions')).status).toBe(204)
  expect((await ada.get('me')).status).toBe(200)
})

test('all other sessions can be ended together', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const others = [await elsewhere(app, ada), await elsewhere(app, ada)]
  for (const other of others) expect((await other.get('me')).status).toBe(200)
  const answer = await ada.delete('me/sessions')
  expect([answer.status, answer.text]).toEqual([204, ''])
  for (const other of others) expectProblem(await other.get('me'), 401, 'unauthenticated')
  expect((await ada.get('me/sessions')).body.items).toHaveLength(1)
})

describe('an access token', () => {
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test('contains the user, the session and its expiry, under the configured key', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const [header] = ada.token.split('.') as [string]
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'at+jwt' })
    expect(claimsOf(ada.token)).toEqual({
      sub: ada.id,
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      iat: start / 1000,
      exp: start / 1000 + 900,
      iss: 'convene',
    })
    const signature = new Bun.CryptoHasher('sha256', app.config.jwtSecret!).update(
      ada.token.slice(0, ada.token.lastIndexOf('.')),
    )
    expect(ada.token.slice(ada.token.lastIndexOf('.') + 1)).toBe(signature.digest('base64url'))
  })

  test('expires after exactly fifteen minutes, even if it is cached', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    app.clock.now += 899_000
    expect((await ada.get('me')).status).toBe(200)
    app.clock.now += 1000
    expectProblem(await ada.get('me'), 401, 'token_expired')
    expectProblem(await ada.get('me'), 401, 'token_expired')
    expect((await refresh(app, ada.refresh)).status).toBe(200)
  })

  test('from another source is refused unless all of it is right', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const claims = claimsOf(ada.token)
    const made = (
      change: Record<string, unknown> = {},
      {
        header = {},
        signedWith = app.config.jwtSecret!,
      }: { header?: Record<string, unknown>; signedWith?: Uint8Array } = {},
    ) =>
      new SignJWT({ ...claims, jti: 'made by hand', ...change })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', ...header })
        .sign(signedWith)
    // With the key, valid tokens can be made, so each of the others is refused only for its difference.
    expect((await app.as(await made()).get('me')).status).toBe(200)

    const [header, payload, signature] = ada.token.split('.') as [string, string, string]
    const byHand = (alg: string, hash: 'sha384' | 'sha512') => {
      const signed = `${base64({ alg, typ: 'at+jwt' })}.${payload}`
      return `${signed}.${new Bun.CryptoHasher(hash, app.config.jwtSecret!).update(signed).digest('base64url')}`
    }
    const none = (alg: string) => `${base64({ alg, typ: 'at+jwt' })}.${payload}.`
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const sibling = signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.at(-1)!) + 1]
    const forged: Record<string, string> = {
      'alg none': none('none'),
      'alg None': none('None'),
      'alg none, with the signature': none('none') + signature,
      'SHA-512 under the same key': byHand('HS512', 'sha512'),
      'SHA-384 under the same key': byHand('HS384', 'sha384'),
      'a foreign key': await made({}, { signedWith: Buffer.from('another secret, as long as that one') }),
      'another type': await made({}, { header: { typ: 'JWT' } }),
      'no type': await made({}, { header: { typ: undefined } }),
      'another issuer': await made({ iss: 'elsewhere' }),
      'no issuer': await made({ iss: undefined }),
      'no subject': await made({ sub: undefined }),
      'another subject': await made({ sub: bob.id }),
      'an unknown session': await made({ sid: unknownId }),
      'another’s session': await made({ sid: claimsOf(bob.token).sid }),
      'no session': await made({ sid: undefined }),
      'a session that is no string': await made({ sid: { $gt: '' } }),
      'no end': await made({ exp: undefined }),
      'no beginning': await made({ iat: undefined }),
      'a later beginning': await made({ nbf: claims.iat + 60 }),
      'an extension that must be understood': `${base64({ alg: 'HS256', typ: 'at+jwt', crit: ['x'], x: 1 })}.${payload}.${signature}`,
      'a changed payload': `${header}.${base64({ ...claims, sub: bob.id })}.${signature}`,
      'a longer life': `${header}.${base64({ ...claims, exp: claims.exp + 900 })}.${signature}`,
      'no signature': `${header}.${payload}.`,
      'two parts': `${header}.${payload}`,
      'four parts': `${ada.token}.x`,
      'another spelling of the signature': `${header}.${payload}.${sibling}`,
      'a padded signature': `${ada.token}=`,
      'half a signature': ada.token.slice(0, -20),
      'a refresh token': ada.refresh,
      'no token': 'x',
      'a very long one': 'x'.repeat(10_000),
    }
    for (const [what, token] of Object.entries(forged)) {
      const answer = await app.as(token).get('me')
      expect([what, answer.status, answer.body.code]).toEqual([what, 401, 'unauthenticated'])
    }
    expectProblem(await app.as(await made({ exp: claims.iat - 1 })).get('me'), 401, 'token_expired')
  })

  test('of an erased account is refused', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await app.rows('UPDATE users SET deleted_at = 1 WHERE id = ?', ada.id)
    expectProblem(await ada.get('me'), 401, 'unauthenticated')
    expectProblem(await refresh(app, ada.refresh), 401, 'unauthenticated')
  })
})

describe('the cookies of a session', () => {
  const origin = 'https://app.example.org'
  const credentials = (ada: Person) => ({ email: ada.email, password })
  const cookiesOf = (answer: Answer) =>
    answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1)[0])
      .join('; ')
  const refreshBy = ({ request }: TestApp, cookie: string, more: { body?: object; origin?: string } = {}) =>
    request('POST', 'auth/refresh', {
      body: more.body ?? {},
      headers: { cookie, ...(more.origin && { origin: more.origin }) },
    })

  test('a browser needs no token in its scripts: it logs in, acts, refreshes and logs out by cookie alone', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const jar = cookiesOf(await app.request('POST', 'auth/login', { body: credentials(ada) }))
    app.clock.now += 900_000
    expectProblem(await app.request('GET', 'me', { headers: { cookie: jar } }), 401, 'token_expired')
    const refreshed = await refreshBy(app, jar)
    expect(refreshed.status).toBe(200)
    expectCookies(refreshed, refreshed.body.access_token, refreshed.body.refresh_token)
    const next = cookiesOf(refreshed)
    expect((await app.request('GET', 'me', { headers: { cookie: next } })).body.name).toBe('Ada')
    const out = await app.request('POST', 'auth/logout', { headers: { cookie: next } })
    expect(out.status).toBe(204)
    expectCookies(out, '', '', 0)
    expectProblem(await refreshBy(app, next), 401, 'unauthenticated')
  })

  test('a refresh without a token in the body or a cookie answers 401, and the body takes precedence', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    expectProblem(await app.request('POST', 'auth/refresh', { body: {} }), 401, 'unauthenticated')
    expectProblem(await app.request('POST', 'auth/refresh'), 401, 'unauthenticated')
    expectProblem(await refreshBy(app, 'app_rt=; xapp_rt=x'), 401, 'unauthenticated')
    expectProblem(
      await refreshBy(app, `app_rt=${ada.refresh}`, { body: { refresh_token: 'x' } }),
      401,
      'unauthenticated',
    )
    const answer = await refreshBy(app, `app_rt=${ada.refresh}`, { body: { refresh_token: bob.refresh } })
    expect(answer.body.user.name).toBe('Bob')
    expect((await refreshBy(app, `app_rt=x; app_rt=${ada.refresh}`)).body.user.name).toBe('Ada')
  })

  test('a foreign page cannot refresh by cookie, a listed one can, and a token in the body needs no cookie', async () => {
    const app = await testApp({ CORS_ORIGINS: origin })
    const ada = await app.person('Ada')
    const cookie = `app_rt=${ada.refresh}`
    for (const foreign of ['https://evil.example', 'null']) {
      const refused = await refreshBy(app, cookie, { origin: foreign })
      expectProblem(refused, 403, 'forbidden')
      expect(refused.headers.getSetCookie()).toEqual([])
    }
    const inBody = { body: { refresh_token: ada.refresh }, origin: 'https://evil.example' }
    expect((await refreshBy(app, '', inBody)).status).toBe(200)
    expect((await refreshBy(app, cookie, { origin })).status).toBe(200)
  })

  test('with cookies: false none is set or read', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const registration = {
      email: 'x@example.org',
      password,
      name: 'X',
      consents: { terms: true, privacy: true, disclaimer: true },
    }
    const answers = [
      await app.request('POST', 'auth/register', { body: { ...registration, cookies: false } }),
      await app.request('POST', 'auth/login', { body: { ...credentials(ada), cookies: false } }),
      await refreshBy(app, '', { body: { refresh_token: ada.refresh, cookies: false } }),
    ]
    for (const { headers, body } of answers) {
      expect(headers.getSetCookie()).toEqual([])
      expect((await app.as(body.access_token).get('me')).status).toBe(200)
    }
    const newest = answers[2]!.body.refresh_token
    expectProblem(await refreshBy(app, `app_rt=${newest}`, { body: { cookies: false } }), 401, 'unauthenticated')
    expectProblem(
      await app.request('POST', 'auth/login', { body: { ...credentials(ada), cookies: 'no' } }),
      422,
      'validation_failed',
    )
    const withNull = await app.request('POST', 'auth/login', { body: { ...credentials(ada), cookies: null } })
    expect(withNull.headers.getSetCookie()).toHaveLength(2)
  })

  test('app_rt lasts as long as the session may', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    let newest = ada.refresh
    for (const [day, lastsDays] of [
      [29, 30],
      [58, 30],
      [87, 3],
    ] as const) {
      app.clock.now = start + day * days
      const answer = await refresh(app, newest)
      newest = answer.body.refresh_token
      expectCookies(answer, answer.body.access_token, newest, lastsDays * 86_400)
    }
  })

  test('with COOKIE_SAMESITE=none both go to pages in a frame, and are cleared as they were set', async () => {
    const app = await testApp({ COOKIE_SAMESITE: 'none', CORS_ORIGINS: origin })
    const ada = await app.person('Ada')
    const answer = await app.request('POST', 'auth/login', { body: credentials(ada) })
    const attributes = 'HttpOnly; Secure; SameSite=None; Partitioned'
    expect(answer.headers.getSetCookie()).toEqual([
      `app_at=${answer.body.access_token}; ${attributes}; Path=/; Max-Age=900`,
      `app_rt=${answer.body.refresh_token}; ${attributes}; Path=/api/v1/auth; Max-Age=2592000`,
    ])
    const headers = { cookie: cookiesOf(answer), origin: 'https://evil.example' }
    expectProblem(await app.request('POST', 'auth/logout', { headers }), 403, 'forbidden')
    const out = await app.request('POST', 'auth/logout', { headers: { ...headers, origin } })
    expect(out.headers.getSetCookie()).toEqual([
      `app_at=; ${attributes}; Path=/; Max-Age=0`,
      `app_rt=; ${attributes}; Path=/api/v1/auth; Max-Age=0`,
    ])
  })
})

const open = async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  /** The user of a request with these headers. */
  const whoIs = async (parts: { cookie?: string; authorization?: string; query?: string }) => {
    const { query = '', ...headers } = parts
    const answer = await app.request('GET', `me${query}`, { headers })
    if (answer.status === 200) return answer.body.name
    expectProblem(answer, 401, 'unauthenticated')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    return null
  }
  return { app, ada, bob, whoIs }
}

test('the token of a request may be in any of three places', async () => {
  const { ada, whoIs } = await open()
  expect(await whoIs({ cookie: `app_at=${ada.token}` })).toBe('Ada')
  expect(await whoIs({ cookie: `theme=dark; app_at=${ada.token}; x=y` })).toBe('Ada')
  expect(await whoIs({ authorization: `Bearer ${ada.token}` })).toBe('Ada')
  expect(await whoIs({ authorization: `bearer  ${ada.token}` })).toBe('Ada')
  expect(await whoIs({ query: `?_t=${ada.token}` })).toBe('Ada')
  expect(await whoIs({})).toBeNull()
})

test('the token of a request is the first one that is valid: the cookie, then Bearer, then the query', async () => {
  const { ada, bob, whoIs } = await open()
  const [cookie, authorization, query] = [`app_at=${ada.token}`, `Bearer ${bob.token}`, `?_t=${bob.token}`]
  expect(await whoIs({ cookie, authorization, query })).toBe('Ada')
  expect(await whoIs({ authorization: `Bearer ${ada.token}`, query })).toBe('Ada')
})

test('an invalid token in an earlier place does not prevent the use of a valid one', async () => {
  const { app, ada, bob, whoIs } = await open()
  const [authorization, query] = [`Bearer ${ada.token}`, `?_t=${ada.token}`]
  await bob.post('auth/logout')
  for (const cookie of ['app_at=x', `app_at=${bob.token}`]) {
    expect(await whoIs({ cookie, authorization })).toBe('Ada')
    expect(await whoIs({ cookie, query })).toBe('Ada')
    expect(await whoIs({ cookie: `${cookie}; app_at=${ada.token}` })).toBe('Ada')
  }
  for (const bad of ['Bearer x', 'Bearer', 'Bearer ', `Bearer ${ada.token} x`, `Bearer ${ada.token},`])
    expect(await whoIs({ authorization: bad, query })).toBe('Ada')
  // Public routes show a signed-in viewer less, and identify them by the same rule.
  const review = async (headers: Record<string, string>) =>
    (await app.request('GET', `users/${ada.id}/stats`, { headers })).status
  expect(await review({ cookie: 'app_at=x', authorization })).toBe(200)
})

test('if no token of a request is valid, the first one decides which 401 is returned', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  app.clock.now += 900_000
  await bob.post('auth/logout')
  const [expired, unknown] = [ada.token, 'x']
  for (const [cookie, bearer, query, code] of [
    [expired, unknown, unknown, 'token_expired'],
    [unknown, expired, expired, 'unauthenticated'],
    [null, expired, unknown, 'token_expired'],
    [null, unknown, expired, 'unauthenticated'],
    [null, null, expired, 'token_expired'],
  ] as const) {
    const headers = {
      ...(cookie && { cookie: `app_at=${cookie}` }),
      ...(bearer && { authorization: `Bearer ${bearer}` }),
    }
    expectProblem(await app.request('GET', `me${query ? `?_t=${query}` : ''}`, { headers }), 401, code)
  }
})

test('a suspended user’s token is valid, and is the one that counts', async () => {
  const { app, ada, bob } = await open()
  await app.rows('UPDATE users SET suspended_until = ? WHERE id = ?', app.clock.now + 1000, ada.id)
  const headers = { cookie: `app_at=${ada.token}`, authorization: `Bearer ${bob.token}` }
  expectProblem(await app.request('GET', 'me', { headers }), 403, 'suspended')
})

test('the rule for foreign pages applies to the token that is used', async () => {
  const { app, ada, bob } = await open()
  const change = (token: string) =>
    app.request('PUT', 'me', {
      body: { city: 'Arlington' },
      headers: { origin: 'https://evil.example', cookie: `app_at=${token}`, authorization: `Bearer ${ada.token}` },
    })
  expect((await change('x')).status).toBe(200)
  expectProblem(await change(bob.token), 403, 'forbidden')
  expect((await bob.get('me')).body.city).toBeNull()
})

test('a token of another kind does not prevent the use of ours', async () => {
  const { ada, whoIs } = await open()
  const [authorization, query] = [`Bearer ${ada.token}`, `?_t=${ada.token}`]
  // A cleared cookie, and others with similar names.
  for (const cookie of ['app_at=', 'theme=dark', 'xapp_at=x', 'app_at2=x', 'x=app_at'])
    expect(await whoIs({ cookie, authorization })).toBe('Ada')
  for (const other of ['Basic YTpi', 'Bearerish x', ada.token])
    expect(await whoIs({ authorization: other, query })).toBe('Ada')
})

test('of the URL, only the query is searched for the token', async () => {
  const { app, ada } = await open()
  const answer = await app.request('PUT', 'me', { body: { name: 'Eve', _t: ada.token, token: ada.token } })
  expectProblem(answer, 401, 'unauthenticated')
  expectProblem(await app.request('GET', `me?token=${ada.token}`), 401, 'unauthenticated')
  expect((await ada.get('me')).body.name).toBe('Ada')
})

test('a token in the query is accepted for changes too', async () => {
  const { app, ada } = await open()
  expect((await app.request('PUT', `me?_t=${ada.token}`, { body: { name: 'Countess' } })).body.name).toBe('Countess')
})

describe('with CONSENT_GATE=on', () => {
  const withdraw = (person: Person) => person.post('auth/consents', { consents: { terms: false } })

  test('a user without the consents can read their account, consent and leave, and nothing else', async () => {
    const app = await testApp({ CONSENT_GATE: 'on' })
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    expect((await ada.get('me/prefs')).status).toBe(200)
    await withdraw(ada)

    expect((await ada.get('me')).body.consents_missing).toEqual(['terms'])
    for (const kind of ['terms', 'privacy', 'disclaimer']) expect((await ada.get(`legal/${kind}`)).status).toBe(200)
    for (const answer of [
      await ada.put('me', { city: 'London' }),
      await ada.put('me/visibility', { visible: true }),
      await ada.get('me/prefs'),
      await ada.put('me/prefs', { drinks: ['tea'] }),
      await ada.get(`users/${bob.id}`),
      await ada.get('me/sessions'),
      await ada.delete('me/sessions'),
      await ada.put('me/password', { current_password: password, new_password: 'compilers are fun' }),
      await ada.put('me/location', { latitude: 52.5, longitude: 13.4 }),
      await ada.post('chats', { user_id: bob.id }),
    ])
      expectProblem(answer, 403, 'consents_required')

    expect((await ada.post('auth/consents', { consents: { terms: true } })).status).toBe(201)
    expect((await ada.get('me/prefs')).body.drinks).toEqual([])
    await withdraw(ada)
    expect((await ada.post('auth/logout')).status).toBe(204)
    expect((await bob.get('me/prefs')).status).toBe(200)
  })

  test('a user who does not consent can hide, read decisions about them, appeal, export their data, and leave', async () => {
    const app = await testApp({ CONSENT_GATE: 'on' })
    const [ada, bob, mo] = [await app.person('Ada'), await app.person('Bob'), await app.person('Mo')]
    for (const { put } of [ada, bob]) await put('me/location', { latitude: 52.5, longitude: 13.4 })
    await app.services.storage.users.setRole(mo.id, 'moderator', granted(mo.id, app.clock.now))
    const report = (await bob.post('reports', { user_id: ada.id, reason: 'spam' })).body.id
    await mo.post(`admin/reports/${report}/resolve`, { action: 'warn', note: 'Enough of that.' })
    await withdraw(ada)

    expect((await ada.put('me/visibility', { visible: false })).body).toEqual({ visible: false })
    expect((await bob.get('search/nearby?lat=52.5&lng=13.4')).body.items).toEqual([])
    const [notice] = (await ada.get('me/notices')).body.items
    expect(notice).toMatchObject({ action: 'warn', reason: 'Enough of that.' })
    expect((await ada.post('appeals', { notice_id: notice.id, text: 'It was one message.' })).status).toBe(201)
    expect((await ada.get('appeals')).body.items).toHaveLength(1)
    const exported = await ada.get('me/export')
    expect([exported.status, exported.body.account.email]).toEqual([200, ada.email])
    expect((await ada.delete('me', { password })).status).toBe(204)
    expectProblem(await ada.get('me'), 401, 'unauthenticated')
  })

  test('a request without a token is still only refused as not signed in', async () => {
    const { request } = await testApp({ CONSENT_GATE: 'on' })
    expectProblem(await request('GET', 'me/prefs'), 401, 'unauthenticated')
  })

  test('without it, a user without the consents can act', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await withdraw(ada)
    expect((await ada.get('me/prefs')).status).toBe(200)
  })
})

test('the list of sessions leaves out expired ones', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  await elsewhere(app, ada, 'forgotten')
  app.clock.now += 30 * days
  const { body } = await app.request('POST', 'auth/login', { body: { email: ada.email, password } })
  const { items } = (await app.as(body.access_token).get('me/sessions')).body
  expect(items.map(({ current }: any) => current)).toEqual([true])
})

test('a session stores at most 300 characters of its user agent', async () => {
  const app = await testApp()
  const ada = await app.person('Ada')
  const other = await elsewhere(app, ada, 'x'.repeat(5000))
  expect((await other.get('me/sessions')).body.items.map(({ user_agent }: any) => user_agent.length)).toContain(300)
})

oneNodeTest('it holds its own storage back')(
  'a session that ends while its token is looked up is not remembered',
  async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const { sessions } = app.services.storage
    const { byId } = sessions
    const [read, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    sessions.byId = async (id) => {
      const found = await byId(id)
      read.resolve()
      await held.promise
      return found
    }
    const pending = ada.get('me')
    await read.promise
    sessions.byId = byId
    const { sid } = claimsOf(ada.token)
    await app.services.auth.endSession({ id: ada.id } as never, sid)
    held.resolve()
    await pending
    expectProblem(await ada.get('me'), 401, 'unauthenticated')
  },
)

test('of ended sessions, those of suspended users are known', async () => {
  const app = await testApp()
  const [ada, bob, eve] = [await app.person('Ada'), await app.person('Bob'), await app.person('Eve')]
  await app.rows('UPDATE users SET suspended_until = ? WHERE id = ?', app.clock.now + 1, bob.id)
  await eve.post('auth/logout')
  const asked = [ada, bob, eve].map(({ id, token }) => ({ user_id: id, session_id: claimsOf(token).sid }))
  expect([...(await app.services.callers.accessState(asked)).values()]).toEqual(['suspended', 'ended'])
})
