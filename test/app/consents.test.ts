import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consents, start, type TestApp, testApp } from '../app.ts'
import { nodesOfApps } from '../engines.ts'
import { expectProblem } from '../problem.ts'

type Row = {
  user_id: string
  kind: string
  accepted: number | boolean
  version: string
  text_hash: string
  recorded_at: number
  user_agent: string | null
  address: string | null
}

const log = async ({ rows }: TestApp, userId: string) =>
  (await rows<Row>('SELECT * FROM consent_log WHERE user_id = ? ORDER BY recorded_at, id', userId)).map((row) => ({
    ...row,
    accepted: Boolean(row.accepted),
  }))

const register = ({ request }: TestApp, headers: Record<string, string>, choices: Record<string, boolean> = consents) =>
  request('POST', 'auth/register', {
    body: { email: 'grace@example.org', password: 'compilers are fun', name: 'Grace', consents: choices },
    headers,
  })

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

describe('a consent is recorded', () => {
  test('at the registration, with the version of the text and its origin', async () => {
    const app = await testApp({ TRUST_PROXY: '1' })
    const answer = await register(
      app,
      { 'x-forwarded-for': '203.0.113.77', 'user-agent': 'Lynx/2.8', 'accept-language': 'ru-RU, en;q=0.5' },
      { ...consents, marketing: true },
    )
    const rows = await log(app, answer.body.user.id)
    expect(rows.map(({ kind }) => kind).sort()).toEqual(['disclaimer', 'marketing', 'privacy', 'terms'])
    for (const row of rows) {
      const text = (await app.request('GET', `legal/${row.kind === 'marketing' ? 'privacy' : row.kind}?lang=ru`)).body
      expect(text.language).toBe('ru')
      expect(row).toMatchObject({
        accepted: true,
        version: text.version,
        text_hash: sha256(text.text),
        recorded_at: start,
        user_agent: 'Lynx/2.8',
        address: '203.0.113.0/24',
      })
    }
  })

  test.each([
    ['2001:db8:aa:bb:cc::1', '2001:db8:aa::/48'],
    ['2001:DB8:00aa::1', '2001:db8:aa::/48'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['::1', '0:0:0::/48'],
    ['[2001:db8:aa::1]:4711', '2001:db8:aa::/48'],
    ['203.0.113.77:4711', '203.0.113.0/24'],
    ['not an address', null],
    ['', null],
  ])('from %p with no more of the address than %p', async (address, network) => {
    const app = await testApp({ TRUST_PROXY: '1' })
    const ada = await app.person('Ada')
    await ada.post('auth/consents', { consents: { marketing: true } }, { 'x-forwarded-for': address })
    // A cluster knows at least the proxy in front of it.
    expect((await log(app, ada.id)).at(-1)!.address).toBe(network ?? (nodesOfApps > 1 ? '127.0.0.0/24' : null))
  })

  test('without a user agent, or with at most 300 characters of it', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    await ada.post('auth/consents', { consents: { marketing: true } })
    await ada.post('auth/consents', { consents: { marketing: false } }, { 'user-agent': 'x'.repeat(5000) })
    expect((await log(app, ada.id)).slice(-2).map(({ user_agent }) => user_agent)).toEqual([null, 'x'.repeat(300)])
  })
})

describe('POST /auth/consents', () => {
  test('returns the current entries for the kinds that were sent, and no others', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    app.clock.now += 5000
    const answer = await ada.post('auth/consents', { consents: { terms: true, marketing: false } })
    expect(answer.status).toBe(201)
    const { version } = (await app.request('GET', 'legal/terms')).body
    const [first, recorded_at] = [0, 5000].map((ms) => new Date(start + ms).toISOString())
    expect(answer.body).toEqual({
      items: [
        { kind: 'terms', accepted: true, version, recorded_at: first },
        { kind: 'marketing', accepted: false, version: expect.any(String), recorded_at },
      ],
    })
    expect(await log(app, ada.id)).toHaveLength(4)
  })

  test('with `false` withdraws a consent, which is missing until it is given again', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const missing = async () => (await ada.get('me')).body.consents_missing
    expect(await missing()).toEqual([])
    await ada.post('auth/consents', { consents: { privacy: false, disclaimer: false } })
    expect(await missing()).toEqual(['privacy', 'disclaimer'])
    await ada.post('auth/consents', { consents: { privacy: true } })
    expect(await missing()).toEqual(['disclaimer'])
    // Marketing is optional.
    await ada.post('auth/consents', { consents: { disclaimer: true, marketing: false } })
    expect(await missing()).toEqual([])
  })

  test('the last choice counts, even if the clock was set back before it', async () => {
    const { person, clock } = await testApp()
    const ada = await person('Ada')
    for (const [ms, terms] of [
      [-86_400_000, false],
      [-3_600_000, true],
      [86_400_000, false],
    ] as const) {
      clock.now += ms
      await ada.post('auth/consents', { consents: { terms } })
      clock.now += 1000
      expect((await ada.get('me')).body.consents_missing).toEqual(terms ? [] : ['terms'])
    }
  })

  test('adds to the log and never changes an entry', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    for (const terms of [false, true, false]) {
      const before = await log(app, ada.id)
      app.clock.now += 1000
      await ada.post('auth/consents', { consents: { terms } })
      expect((await log(app, ada.id)).slice(0, -1)).toEqual(before)
    }
    expect((await log(app, ada.id)).filter(({ kind }) => kind === 'terms')).toHaveLength(4)
  })

  test('repeating a consent to the same version adds nothing, in sequence or concurrently', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    const before = await log(app, ada.id)
    const noted = async () => (await app.services.storage.audit.list({ action: 'consents' }, 100, null)).length
    for (let i = 0; i < 30; i++) {
      app.clock.now += 1000
      const { status, body } = await ada.post('auth/consents', { consents })
      expect(status).toBe(201)
      expect(body.items.map(({ kind, recorded_at }: any) => [kind, recorded_at])).toEqual(
        ['terms', 'privacy', 'disclaimer'].map((kind) => [kind, new Date(start).toISOString()]),
      )
    }
    expect(await log(app, ada.id)).toEqual(before)
    expect(await noted()).toBe(0)
    await Promise.all(Array.from({ length: 20 }, () => ada.post('auth/consents', { consents: { marketing: true } })))
    expect(await log(app, ada.id)).toHaveLength(before.length + 1)
    expect(await noted()).toBe(1)
    // The same holds for a withdrawal.
    for (let i = 0; i < 5; i++) await ada.post('auth/consents', { consents: { marketing: false, terms: true } })
    expect(await log(app, ada.id)).toHaveLength(before.length + 2)
    expect((await app.services.storage.audit.list({ action: 'consents' }, 1, null))[0]!.metadata).toEqual({
      consents: { marketing: false },
    })
  })

  test('more than ten changes a day answer 429, but a repeated choice is still answered', async () => {
    const app = await testApp({ RATE_LIMIT: 'on' })
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    const say = (marketing: boolean, person = ada) => person.post('auth/consents', { consents: { marketing } })
    for (let i = 0; i < 10; i++) {
      expect((await say(i % 2 === 0)).status).toBe(201)
      expect((await say(i % 2 === 0)).status).toBe(201)
    }
    const refused = await say(true)
    expectProblem(refused, 429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(80_000, 86_401)
    expect((await say(false)).status).toBe(201)
    expect((await say(true, bob)).status).toBe(201)
    expect(await log(app, ada.id)).toHaveLength(13)
  })

  test('affects only the caller', async () => {
    const app = await testApp()
    const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
    await bob.post('auth/consents', { consents: { terms: false }, user_id: ada.id })
    expect((await ada.get('me')).body.consents_missing).toEqual([])
    expect(await log(app, ada.id)).toHaveLength(3)
  })

  test.each([
    [{}, '/consents'],
    [{ consents: null }, '/consents'],
    [{ consents: true }, '/consents'],
    [{ consents: {} }, '/consents'],
    [{ consents: { cookies: true } }, '/consents'],
    [{ consents: { terms: 'true' } }, '/consents/terms'],
    [{ consents: { terms: 1 } }, '/consents/terms'],
    [{ consents: { terms: true, privacy: null } }, '/consents/privacy'],
  ])('refuses %j and records nothing', async (body, path) => {
    const app = await testApp()
    const ada = await app.person('Ada')
    expect(expectProblem(await ada.post('auth/consents', body), 422, 'validation_failed')).toEqual([path])
    expect(await log(app, ada.id)).toHaveLength(3)
  })
})

describe('a new version of a text', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'convene-consents-'))
    mkdirSync(join(directory, 'legal'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  test('makes only the consent to that text missing, until it is given again', async () => {
    const own = (file: string, text: string) => writeFileSync(join(directory, 'legal', file), text)
    const restart = () => testApp({ LEGAL_DIR: join(directory, 'legal') }, { databasePath: join(directory, 'c.db') })
    own('terms.en.md', '# Terms, first edition')
    own('terms.de.md', '# Bedingungen')
    const before = await restart()
    const ada = await before.person('Ada')
    expect((await ada.get('me')).body.consents_missing).toEqual([])

    // A change in a language that Ada never read is a new version too.
    own('terms.de.md', '# Bedingungen, zweite Auflage')
    const app = await restart()
    const later = app.as(ada.token)
    expect((await later.get('me')).body.consents_missing).toEqual(['terms'])
    const { body } = await later.post('auth/consents', { consents: { terms: true } })
    expect(body.items[0].version).toBe((await app.request('GET', 'legal/terms')).body.version)
    expect((await later.get('me')).body.consents_missing).toEqual([])
    const versions = (await log(app, ada.id)).filter(({ kind }) => kind === 'terms').map(({ version }) => version)
    expect(new Set(versions).size).toBe(2)
  })
})
