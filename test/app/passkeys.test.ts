import { describe, expect, test } from 'bun:test'
import { randomBytes, sign } from 'node:crypto'
import { hours, minutes } from '../../src/lib/time.ts'
import { consents, password, type Person, type TestApp, testApp } from '../app.ts'
import { type Algorithm, type Attest, type Forgery, passkeyOf } from '../authenticator.ts'
import { granted } from '../rows.ts'
import { smtpServer } from '../smtp.ts'

const refused = { status: 401, body: { code: 'passkey_invalid' } }

const creation = async (person: Person) => (await person.post('me/passkeys/options', {})).body.options
const request = async ({ request }: TestApp) =>
  (await request('POST', 'auth/passkey/options', { body: {} })).body.options

/** Adds a passkey to somebody's account. */
async function added(person: Person, given: Parameters<typeof passkeyOf>[1] = {}, label = 'Phone') {
  const passkey = passkeyOf(await creation(person), given)
  const answer = await person.post('me/passkeys', { label, credential: passkey.registration })
  expect(answer).toMatchObject({ status: 201 })
  return { ...passkey, row: answer.body }
}

const signIn = (app: TestApp, credential: unknown, headers = {}) =>
  app.request('POST', 'auth/passkey', { body: { credential }, headers })

async function makeModerator(app: TestApp, { id }: Person) {
  await app.services.storage.users.setRole(id, 'moderator', granted(id, app.clock.now))
}

test.each<Algorithm>(['ES256', 'Ed25519', 'RS256'])(
  'add a passkey of %s, and sign in with it alone',
  async (algorithm) => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const options = await creation(ada)
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'localhost' },
      user: { name: ada.email, displayName: 'Ada' },
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
      timeout: 5 * minutes,
    })
    const passkey = passkeyOf(options, { algorithm })
    const { status, body } = await ada.post('me/passkeys', { label: ' My phone ', credential: passkey.registration })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: body.id,
      kind: 'passkey',
      provider: null,
      label: 'My phone',
      created_at: new Date(app.clock.now).toISOString(),
      last_used_at: null,
    })
    expect((await creation(ada)).excludeCredentials).toEqual([
      { id: passkey.id, type: 'public-key', transports: ['internal'] },
    ])

    const asked = await app.request('POST', 'auth/passkey/options', { body: {} })
    expect(asked.body.options).toEqual({
      challenge: expect.stringMatching(/^[\w-]{72}$/),
      rpId: 'localhost',
      allowCredentials: [],
      timeout: 5 * minutes,
      userVerification: 'required',
    })
    const session = await signIn(app, passkey.answer(asked.body.options))
    expect(session).toMatchObject({ status: 200, body: { user: { id: ada.id }, token_type: 'Bearer' } })
    expect(session.headers.get('set-cookie')).toContain('app_at=')
    expect((await app.as(session.body.access_token).get('me')).body.id).toBe(ada.id)
    expect(await app.rows("SELECT metadata FROM audit_log WHERE action = 'login'")).toHaveLength(1)

    const without = await app.request('POST', 'auth/passkey', {
      body: { credential: passkey.answer(await request(app)), cookies: false },
    })
    expect(without.status).toBe(200)
    expect(without.headers.get('set-cookie')).toBeNull()
  },
)

test('an account has several passkeys, each of which signs in to it and to no other', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person(), await app.person()]
  const [phone, key] = [await added(ada), await added(ada, { counts: false }, 'Key')]
  const bobs = await added(bob)
  for (const [passkey, owner] of [
    [phone, ada],
    [key, ada],
    [key, ada],
    [bobs, bob],
  ] as const)
    expect((await signIn(app, passkey.answer(await request(app)))).body.user.id).toBe(owner.id)
  expect(await app.rows('SELECT label, counter FROM passkeys ORDER BY counter, label')).toEqual([
    { label: 'Key', counter: 0 },
    { label: 'Phone', counter: 1 },
    { label: 'Phone', counter: 1 },
  ])
})

describe('a sign-in is refused', () => {
  test.each<[string, Forgery]>([
    ['with another key', { otherKey: true }],
    ['from another origin', { origin: 'https://evil.example' }],
    ['from an origin that only begins alike', { origin: 'http://localhost.evil.example' }],
    ['from a frame of another site', { crossOrigin: true }],
    ['for another relying party', { rpId: 'evil.example' }],
    ['for a made-up challenge', { challenge: randomBytes(54).toString('base64url') }],
    ['as a registration', { type: 'webauthn.create' }],
    ['without user verification', { userVerified: false }],
    ['without user presence', { userPresent: false, userVerified: false }],
    ['with a user handle of another account', { userHandle: randomBytes(16).toString('base64url') }],
    ['without a user handle', { userHandle: null }],
  ])('%s', async (_, forged) => {
    const app = await testApp()
    const ada = await app.person()
    const passkey = await added(ada)
    const before = await app.rows('SELECT id FROM sessions')
    const answer = await signIn(app, passkey.answer(await request(app), forged))
    expect(answer).toMatchObject(refused)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await app.rows('SELECT id FROM sessions')).toEqual(before)
    expect(await app.rows('SELECT last_used_at FROM passkeys')).toEqual([{ last_used_at: null }])
    // Without the forgery, it signs in.
    expect((await signIn(app, passkey.answer(await request(app)))).status).toBe(200)
  })

  test('for a challenge that was used, has expired, or is for adding a passkey', async () => {
    const app = await testApp()
    const ada = await app.person()
    const passkey = await added(ada)
    const used = await request(app)
    expect((await signIn(app, passkey.answer(used))).status).toBe(200)
    expect(await signIn(app, passkey.answer(used))).toMatchObject(refused)
    const old = await request(app)
    const other = await creation(ada)
    expect(await signIn(app, passkey.answer({ ...old, challenge: other.challenge }))).toMatchObject(refused)
    app.clock.now += 5 * minutes
    expect(await signIn(app, passkey.answer(old))).toMatchObject(refused)
    // A non-canonical spelling does not make it another challenge.
    const again = await request(app)
    for (const challenge of [`${again.challenge}=`, `${again.challenge} `, again.challenge.replaceAll(/[-_]/g, '+')])
      if (challenge !== again.challenge)
        expect(await signIn(app, passkey.answer(again, { challenge }))).toMatchObject(refused)
    expect((await signIn(app, passkey.answer(again))).status).toBe(200)
  })

  test('if the counter does not rise, as with a cloned authenticator', async () => {
    const app = await testApp()
    const passkey = await added(await app.person())
    const show = async (counter: number) => signIn(app, passkey.answer(await request(app), { counter }))
    expect((await show(7)).status).toBe(200)
    for (const counter of [7, 6, 0]) expect(await show(counter)).toMatchObject(refused)
    expect((await show(8)).status).toBe(200)
    expect(await app.rows('SELECT counter FROM passkeys')).toEqual([{ counter: 8 }])
  })

  test('for an unknown passkey and one of an erased account, with the same answer', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person(), await app.person()]
    const [passkey, other] = [await added(ada), await added(bob)]
    const unknown = passkeyOf(await creation(ada))
    expect((await bob.delete('me', { password })).status).toBe(204)
    const answers = [
      await signIn(app, unknown.answer(await request(app))),
      await signIn(app, other.answer(await request(app))),
      await signIn(app, passkey.answer(await request(app), { otherKey: true })),
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject(refused)
      expect({ ...answer.body, request_id: '' }).toEqual({ ...answers[0]!.body, request_id: '' })
    }
    // A stolen credential id does not work with another passkey's signature.
    const bobs = { ...unknown.answer(await request(app)), id: passkey.id, rawId: passkey.id }
    expect(await signIn(app, bobs)).toMatchObject(refused)
  })

  test('while the account is suspended', async () => {
    const app = await testApp()
    const [ada, mo] = [await app.person(), await app.person()]
    await makeModerator(app, mo)
    const passkey = await added(ada)
    await mo.post(`admin/users/${ada.id}/suspend`, { reason: 'Insults.' })
    expect(await signIn(app, passkey.answer(await request(app)))).toMatchObject({
      status: 403,
      body: { code: 'suspended', reason: 'Insults.' },
    })
    expect(await app.rows('SELECT last_used_at FROM passkeys')).toEqual([{ last_used_at: null }])
  })

  test('with a body that no authenticator sends, naming its fields', async () => {
    const app = await testApp()
    const passkey = await added(await app.person())
    const answer = passkey.answer(await request(app))
    for (const [change, status] of [
      [{ credential: null }, 422],
      [{ credential: { ...answer, type: 'password' } }, 422],
      [{ credential: { ...answer, response: {} } }, 422],
      [{ credential: { ...answer, id: 'x'.repeat(1400) } }, 422],
      [{ credential: { ...answer, id: 'a\0b', rawId: 'a\0b' } }, 422],
      [{ credential: { ...answer, response: { ...answer.response, signature: 'A'.repeat(5000) } } }, 422],
      [{ credential: { ...answer, response: { ...answer.response, signature: 'A'.repeat(70_000) } } }, 413],
      [{ credential: { ...answer, rawId: 'other' } }, 401],
      [{ credential: { ...answer, response: { ...answer.response, clientDataJSON: 'e30' } } }, 401],
      [{ credential: { ...answer, response: { ...answer.response, clientDataJSON: '!!' } } }, 401],
      [{ credential: { ...answer, response: { ...answer.response, authenticatorData: 'AAAA' } } }, 401],
    ] as const)
      expect((await app.request('POST', 'auth/passkey', { body: change })).status).toBe(status)
  })
})

test('of 100 concurrent sign-ins with one challenge, one succeeds', async () => {
  const app = await testApp()
  const passkey = await added(await app.person())
  const options = await request(app)
  const credentials = Array.from({ length: 100 }, (_, i) => passkey.answer(options, { counter: i + 1 }))
  const before = await app.rows('SELECT id FROM sessions')
  const answers = await Promise.all(credentials.map((credential) => signIn(app, credential)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.code === 'passkey_invalid')).toHaveLength(99)
  expect(await app.rows('SELECT id FROM sessions')).toHaveLength(before.length + 1)
})

describe('adding a passkey', () => {
  const selfSigned =
    (change: (statement: Map<string, unknown>) => void = () => {}): Attest =>
    (toSign, key, alg) => {
      const attStmt = new Map<string, unknown>([
        ['alg', alg],
        ['sig', sign('sha256', toSign, key)],
      ])
      change(attStmt)
      return { fmt: 'packed', attStmt }
    }

  test('accepts an attestation by the new key itself', async () => {
    const app = await testApp()
    const passkey = await added(await app.person(), { attest: selfSigned() })
    expect((await signIn(app, passkey.answer(await request(app)))).status).toBe(200)
  })

  const forgeries: [string, { forged?: Forgery; attest?: Attest; origin?: string; credentialId?: Buffer }][] = [
    ['from another origin', { origin: 'https://evil.example' }],
    ['from a frame of another site', { forged: { crossOrigin: true } }],
    ['for another relying party', { forged: { rpId: 'evil.example' } }],
    ['for a made-up challenge', { forged: { challenge: randomBytes(54).toString('base64url') } }],
    ['of a sign-in', { forged: { type: 'webauthn.get' } }],
    ['without user verification', { forged: { userVerified: false } }],
    ['without user presence', { forged: { userPresent: false, userVerified: false } }],
    ['with a forged signature', { attest: selfSigned((it) => it.set('sig', randomBytes(70))) }],
    ['signed by an unknown algorithm', { attest: selfSigned((it) => it.set('alg', 99)) }],
    ['signed by another algorithm than that of the key', { attest: selfSigned((it) => it.set('alg', -257)) }],
    ['unsigned', { attest: selfSigned((it) => it.delete('sig')) }],
    ['with certificates', { attest: selfSigned((it) => it.set('x5c', [randomBytes(300)])) }],
    ['of a maker', { attest: (_, __, alg) => ({ fmt: 'tpm', attStmt: new Map([['alg', alg]]) }) }],
    ['of no format', { attest: () => ({ fmt: 'made-up', attStmt: new Map() }) }],
    ['of none with a statement', { attest: () => ({ fmt: 'none', attStmt: new Map([['sig', randomBytes(9)]]) }) }],
  ]
  test.each(forgeries)('refuses an attestation %s', async (_, given) => {
    const app = await testApp()
    const ada = await app.person()
    const { registration } = passkeyOf(await creation(ada), given)
    expect(await ada.post('me/passkeys', { label: 'Phone', credential: registration })).toMatchObject(refused)
    expect(await app.rows('SELECT id FROM passkeys')).toEqual([])
    expect(await app.rows('SELECT id FROM used_challenges')).toEqual([])
  })

  test('refuses data that are too large, nested too deeply, or claim to be', async () => {
    const app = await testApp()
    const ada = await app.person()
    const { registration } = passkeyOf(await creation(ada))
    const withObject = (bytes: Uint8Array) => ({
      label: 'Phone',
      credential: {
        ...registration,
        response: { ...registration.response, attestationObject: Buffer.from(bytes).toString('base64url') },
      },
    })
    const bombs = [
      Buffer.alloc(6000, 0x81),
      Buffer.alloc(6000, 0xc1),
      Buffer.concat([Buffer.from([0x9b, 0, 0, 0, 255, 255, 255, 255, 255]), Buffer.alloc(6000)]),
      Buffer.concat([Buffer.from([0xbb, 0, 0, 0, 255, 255, 255, 255, 255]), Buffer.alloc(6000, 1)]),
      Buffer.from([0x5b, 0, 0, 0, 255, 255, 255, 255, 255]),
      Buffer.from([0xa0]),
      Buffer.from([0x80]),
      Buffer.from([0xf6]),
      Buffer.from('a163666d74646e6f6e65', 'hex'),
      Buffer.alloc(0),
      ...Array.from({ length: 50 }, () => randomBytes(200)),
    ]
    for (const bomb of bombs.filter(({ length }) => length > 0))
      expect(await ada.post('me/passkeys', withObject(bomb))).toMatchObject(refused)
    expect((await ada.post('me/passkeys', withObject(Buffer.alloc(7000)))).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ path: '/credential/response/attestationObject', code: 'too_long' }],
    })
    expect((await ada.post('me/passkeys', withObject(Buffer.alloc(60_000)))).status).toBe(413)
    const long = passkeyOf(await creation(ada), { credentialId: randomBytes(1024) }).registration
    expect((await ada.post('me/passkeys', { label: 'Phone', credential: long })).status).toBe(422)
    expect((await ada.post('me/passkeys', { label: '', credential: registration })).status).toBe(422)
    expect((await ada.post('me/passkeys', { credential: registration })).status).toBe(422)
    // The id in the request must be the one that the authenticator attests.
    const other = { ...registration, id: 'AAAA', rawId: 'AAAA' }
    expect(await ada.post('me/passkeys', { label: 'Phone', credential: other })).toMatchObject(refused)
    expect(await app.rows('SELECT id FROM passkeys')).toEqual([])
    // The challenge is still valid.
    expect((await ada.post('me/passkeys', { label: 'Phone', credential: registration })).status).toBe(201)
  })

  test('accepts a challenge once, in its session, for 5 minutes', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person(), await app.person()]
    const options = await creation(ada)
    const [one, two] = [passkeyOf(options), passkeyOf(options)]
    const add = (who: Person, { registration }: typeof one) =>
      who.post('me/passkeys', { label: 'Phone', credential: registration })
    expect(await add(bob, one)).toMatchObject(refused)
    const answers = await Promise.all(Array.from({ length: 20 }, () => add(ada, passkeyOf(options))))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await add(ada, two)).toMatchObject(refused)
    const late = passkeyOf(await creation(ada))
    app.clock.now += 5 * minutes
    expect(await add(ada, late)).toMatchObject(refused)
    expect(await app.rows('SELECT id FROM passkeys')).toHaveLength(1)
  })

  test('refuses one that was added before, to this or another account', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person(), await app.person()]
    const credentialId = randomBytes(32)
    await added(ada, { credentialId })
    for (const who of [ada, bob]) {
      const { registration } = passkeyOf(await creation(who), { credentialId })
      expect(await who.post('me/passkeys', { label: 'Mine', credential: registration })).toMatchObject({
        status: 409,
        body: { code: 'identity_taken' },
      })
    }
    // Of two that add the same one at once, one succeeds.
    const same = randomBytes(32)
    const made = await Promise.all(
      [ada, bob].map(async (who) => passkeyOf(await creation(who), { credentialId: same })),
    )
    const answers = await Promise.all(
      [ada, bob].map((who, i) => who.post('me/passkeys', { label: 'Mine', credential: made[i]!.registration })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(await app.rows('SELECT id FROM passkeys')).toHaveLength(2)
  })

  test('stops at 16, even for concurrent requests', async () => {
    const app = await testApp()
    const ada = await app.person()
    for (let i = 0; i < 12; i++) await added(ada)
    const options = await Promise.all(Array.from({ length: 12 }, () => creation(ada)))
    const answers = await Promise.all(
      options.map((each) => ada.post('me/passkeys', { label: 'Key', credential: passkeyOf(each).registration })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(4)
    expect(answers.filter(({ body }) => body.code === 'conflict')).toHaveLength(8)
    expect(await app.rows('SELECT id FROM passkeys')).toHaveLength(16)
    expect(await ada.post('me/passkeys/options', {})).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  test('needs a recent login, a passkey, or the password', async () => {
    const app = await testApp()
    const ada = await app.person()
    const passkey = await added(ada)
    // The access token lasts 15 minutes.
    app.clock.now += 10 * minutes
    const ask = (body: object = {}) => ada.post('me/passkeys/options', body)
    expect(await ask()).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await ask({ password: 'not this one' })).toMatchObject({ status: 403, body: { code: 'wrong_password' } })
    expect((await ask({ password })).status).toBe(200)
    expect(await ask()).toMatchObject({ status: 403 })
    const credential = passkey.answer(await request(app))
    expect((await ada.post('auth/passkey/confirm', { credential })).status).toBe(204)
    expect((await ask()).status).toBe(200)
  })
})

describe('the relying party', () => {
  const origins = async (environment: Record<string, string>, ...tried: string[]) => {
    const app = await testApp(environment)
    const ada = await app.person()
    const statuses: number[] = []
    for (const origin of tried) {
      const { registration } = passkeyOf(await creation(ada), { origin })
      statuses.push((await ada.post('me/passkeys', { label: 'Phone', credential: registration })).status)
    }
    return { rp: (await creation(ada)).rp, statuses }
  }

  test('is localhost, at any port, unless PUBLIC_URL names a host', async () => {
    expect(
      await origins(
        {},
        'http://localhost',
        'http://localhost:5173',
        'https://localhost:8443',
        'http://localhost:5173.evil.example',
        'http://127.0.0.1:3000',
      ),
    ).toEqual({ rp: { id: 'localhost', name: 'localhost' }, statuses: [201, 201, 201, 401, 401] })
  })

  test('is the host of PUBLIC_URL, with the listed origins of its site', async () => {
    const CORS_ORIGINS = [
      'https://app.meet.example.org',
      'https://meet.example.org:8443',
      'http://old.meet.example.org',
      'https://evilmeet.example.org',
    ]
    expect(
      await origins(
        { PUBLIC_URL: 'https://meet.example.org', CORS_ORIGINS: CORS_ORIGINS.join() },
        'https://meet.example.org',
        'https://app.meet.example.org',
        'https://meet.example.org:8443',
        'http://old.meet.example.org',
        'https://evilmeet.example.org',
        'https://other.meet.example.org',
        'http://localhost:3000',
      ),
    ).toEqual({
      rp: { id: 'meet.example.org', name: 'meet.example.org' },
      statuses: [201, 201, 201, 401, 401, 401, 401],
    })
  })
})

describe('STAFF_PASSKEY=required', () => {
  const needed = { status: 403, body: { code: 'second_factor_required' } }

  test('requires a passkey of staff, every 12 hours, and of nobody else', async () => {
    const app = await testApp({ STAFF_PASSKEY: 'required' })
    const [mo, ada] = [await app.person('Mo'), await app.person('Ada')]
    await makeModerator(app, mo)
    expect(await mo.get('admin/reports')).toMatchObject(needed)
    expect(await ada.get('admin/reports')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await mo.get('me')).status).toBe(200)

    const passkey = await added(mo)
    expect(await mo.get('admin/audit')).toMatchObject(needed)
    const credential = passkey.answer(await request(app))
    expect((await mo.post('auth/passkey/confirm', { credential })).status).toBe(204)
    expect((await mo.get('admin/reports')).status).toBe(200)
    // The confirmation applies to one session, and its challenge is used up.
    expect(await mo.post('auth/passkey/confirm', { credential })).toMatchObject(refused)
    const another = await app.request('POST', 'auth/login', { body: { email: mo.email, password } })
    expect(await app.as(another.body.access_token).get('admin/reports')).toMatchObject(needed)

    app.clock.now += 12 * hours
    const { access_token } = (await app.request('POST', 'auth/refresh', { body: { refresh_token: mo.refresh } })).body
    expect(await app.as(access_token).get('admin/reports')).toMatchObject(needed)
    const session = await signIn(app, passkey.answer(await request(app)))
    const opened = app.as(session.body.access_token)
    expect((await opened.get('admin/reports')).status).toBe(200)
    app.clock.now += 12 * hours
    const next = await app.request('POST', 'auth/refresh', { body: { refresh_token: session.body.refresh_token } })
    expect(await app.as(next.body.access_token).get('admin/reports')).toMatchObject(needed)
    const actions = await app.rows<{ action: string }>(
      "SELECT action FROM audit_log WHERE action LIKE 'passkey%' ORDER BY at",
    )
    expect(actions.map(({ action }) => action)).toEqual(['passkey_added', 'passkey_confirmed', 'passkey_refused'])
  })

  test('protects every route of staff, and nobody else’s passkey confirms', async () => {
    const app = await testApp({ STAFF_PASSKEY: 'required' })
    const [mo, ada] = [await app.person('Mo'), await app.person('Ada')]
    await makeModerator(app, mo)
    const credential = (await added(ada)).answer(await request(app))
    expect(await mo.post('auth/passkey/confirm', { credential })).toMatchObject(refused)
    // Ada's passkey is unchanged.
    expect((await signIn(app, credential)).status).toBe(200)
    const routes = app.app.routes.filter(({ path }) => path.startsWith('/api/v1/admin/'))
    expect(routes.length).toBeGreaterThan(7)
    for (const { method, path } of routes) {
      const asked = path.replaceAll(/:\w+/g, ada.id)
      expect([
        method,
        path,
        await app.request(method, asked, {
          body: method === 'GET' ? undefined : {},
          headers: { authorization: `Bearer ${mo.token}` },
        }),
      ]).toMatchObject([method, path, needed])
    }
  })

  test('does not let somebody with only the password add their own passkey', async () => {
    const app = await testApp({ STAFF_PASSKEY: 'required' })
    const mo = await app.person('Mo')
    await makeModerator(app, mo)
    const passkey = await added(mo)
    expect(await mo.post('me/passkeys/options', { password })).toMatchObject(needed)
    expect(await mo.delete(`me/identities/${passkey.row.id}`)).toMatchObject(needed)
    const credential = passkey.answer(await request(app))
    expect((await mo.post('auth/passkey/confirm', { credential })).status).toBe(204)
    await added(mo)
    // After the removal of the passkey that confirmed it, a session is no longer confirmed.
    expect((await mo.get('admin/reports')).status).toBe(200)
    expect((await mo.delete(`me/identities/${passkey.row.id}`)).status).toBe(204)
    expect(await mo.get('admin/reports')).toMatchObject(needed)
  })
})

describe('among the ways to sign in', () => {
  test('a passkey is listed with its name, and can be removed', async () => {
    const app = await testApp()
    const ada = await app.person()
    const [phone, key] = [await added(ada), await added(ada, {}, 'Key')]
    expect((await ada.get('me/identities')).body.items.slice(1)).toEqual([phone.row, key.row])
    const credential = phone.answer(await request(app))
    const session = app.as((await signIn(app, credential)).body.access_token)
    expect((await ada.delete(`me/identities/${phone.row.id}`)).status).toBe(204)
    expect(await ada.delete(`me/identities/${phone.row.id}`)).toMatchObject({ status: 404 })
    expect((await ada.get('me/identities')).body.items.slice(1)).toEqual([key.row])
    expect(await signIn(app, phone.answer(await request(app)))).toMatchObject(refused)
    // Sessions continue.
    expect((await session.get('me')).status).toBe(200)
    expect(await app.rows('SELECT passkey_at FROM sessions WHERE passkey_at IS NOT NULL')).toEqual([])
  })

  test('nobody can remove somebody else’s passkey', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person(), await app.person()]
    const { row } = await added(ada)
    expect((await bob.delete(`me/identities/${row.id}`)).status).toBe(404)
    expect(await app.rows('SELECT id FROM passkeys')).toHaveLength(1)
  })

  test('the last one stays, even if the last two are removed at once', async () => {
    const app = await testApp()
    const ada = await app.person()
    const { row } = await added(ada)
    const { items } = (await ada.get('me/identities')).body
    const answers = await Promise.all(items.map(({ id }: { id: string }) => ada.delete(`me/identities/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    const left = (await ada.get('me/identities')).body.items
    expect(left).toHaveLength(1)
    expect(await ada.delete(`me/identities/${left[0].id}`)).toMatchObject({ body: { code: 'last_identity' } })
    expect(await app.rows('SELECT id FROM passkeys')).toHaveLength(left[0].id === row.id ? 1 : 0)
  })

  test('a concurrent removal and sign-in leave no session that a removed passkey confirmed', async () => {
    const app = await testApp()
    const ada = await app.person()
    for (let i = 0; i < 5; i++) {
      const passkey = await added(ada)
      const credential = passkey.answer(await request(app))
      const [removal, session] = await Promise.all([
        ada.delete(`me/identities/${passkey.row.id}`),
        signIn(app, credential),
      ])
      expect(removal.status).toBe(204)
      expect([200, 401]).toContain(session.status)
      expect(await app.rows('SELECT id FROM sessions WHERE passkey_at IS NOT NULL')).toEqual([])
    }
  })
})

test.each([
  ['en', 'A new way to sign in', 'A way to sign in to', 'Passkey “My phone …”'],
  ['ru', 'Новый способ входа', 'Способ входа', 'ключ доступа «My phone …»'],
])(
  'in %s, mails tell of a passkey added, of a new device, and of one removed',
  async (language, added, removed, named) => {
    const smtp = await smtpServer()
    const app = await testApp({
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Riverside <hello@example.org>',
      PUBLIC_URL: 'https://meet.example.org',
    })
    try {
      const body = { email: 'ada@example.org', password, name: 'Ada', consents }
      const headers = { 'accept-language': language, 'user-agent': 'Firefox' }
      const ada = app.as((await app.request('POST', 'auth/register', { body, headers })).body.access_token)
      await smtp.received(1)
      const { options } = (await ada.post('me/passkeys/options', {})).body
      expect(options.rp).toEqual({ id: 'meet.example.org', name: 'Riverside' })
      const passkey = passkeyOf(options, { origin: 'https://meet.example.org' })
      // A name that mail programs would turn into a link is shortened.
      const label = 'My phone https://evil.example/'
      const row = await ada.post('me/passkeys', { label, credential: passkey.registration })
      const told = await smtp.received(2)
      expect(told.subject).toStartWith(added)
      expect(told.text).toContain(named)
      expect(told.text).not.toContain('evil.example')

      expect((await signIn(app, passkey.answer(await request(app)), { 'user-agent': 'Firefox' })).status).toBe(200)
      expect((await signIn(app, passkey.answer(await request(app)), { 'user-agent': 'Safari' })).status).toBe(200)
      expect((await smtp.received(3)).text).toContain('Safari')
      await ada.delete(`me/identities/${row.body.id}`)
      const last = await smtp.received(4)
      expect(last.subject).toStartWith(removed)
      expect(last.text).toContain(named)
      expect(smtp.mails).toHaveLength(4)
    } finally {
      await app.close()
      await smtp.close()
    }
  },
)

test('a passkey is in its owner’s export, and is removed with the account', async () => {
  const app = await testApp()
  const ada = await app.person()
  const passkey = await added(ada)
  await signIn(app, passkey.answer(await request(app)))
  const { body, text } = await ada.get('me/export')
  expect(body.passkeys).toEqual([
    {
      id: passkey.row.id,
      label: 'Phone',
      credential_id: passkey.id,
      public_key: expect.any(String),
      counter: 1,
      transports: ['internal'],
      created_at: new Date(app.clock.now).toISOString(),
      last_used_at: new Date(app.clock.now).toISOString(),
    },
  ])
  expect(text).not.toContain('used_challenges')
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect(await app.rows('SELECT id FROM passkeys')).toEqual([])
  expect(await signIn(app, passkey.answer(await request(app)))).toMatchObject(refused)
})

test('used challenges are removed when they would have expired', async () => {
  const app = await testApp()
  const passkey = await added(await app.person())
  await signIn(app, passkey.answer(await request(app)))
  expect(await app.services.retention.usedChallenges()).toBe(0)
  app.clock.now += 5 * minutes
  expect(await app.services.retention.usedChallenges()).toBe(2)
  expect(await app.rows('SELECT id FROM used_challenges')).toEqual([])
})
