import { sign } from '@tma.js/init-data-node'
import { expect, test } from 'bun:test'
import { ageOf, dateOf, isOfLiving, refusesAccount } from '../../src/features/registration/rules.ts'
import { days, hours, minutes } from '../../src/lib/time.ts'
import { consents, password, start, testApp, type TestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

const MESSENGER_BOT_TOKEN = '7000000000:a-bot-of-this-test'
const settings = { MIN_AGE: '18', MESSENGER_BOT_TOKEN, TRUST_PROXY: '1' }
// `start` is the 21st of November 2026.
const grown = '2008-11-21'
const young = '2008-11-22'

let people = 0
const register = ({ request }: TestApp, birth_date?: unknown, network = 1) =>
  request('POST', 'auth/register', {
    body: { email: `new-${++people}@example.com`, password, name: 'New', consents, birth_date },
    headers: { 'x-forwarded-for': `198.51.100.${network}` },
  })
const messenger = ({ request }: TestApp, id: number, birth_date?: string, network = 1) =>
  request('POST', 'auth/messenger', {
    body: {
      init_data: sign({ user: { id, first_name: 'Ada' } } as never, MESSENGER_BOT_TOKEN, new Date(start)),
      birth_date,
    },
    headers: { 'x-forwarded-for': `198.51.100.${network}` },
  })
const counted = async (app: TestApp) => (await app.rows<{ n: number }>('SELECT count(*) AS n FROM users'))[0]!.n

test('without a minimum age, no date of birth is asked for or stored', async () => {
  const app = await testApp()
  expect((await app.request('GET', 'auth/providers')).body.min_age).toBeNull()
  const { status, body } = await register(app, grown)
  expect([status, body.user.birth_month]).toEqual([201, null])
  expect((await register(app)).status).toBe(201)
})

test('of the date of birth in a registration, year and month are stored', async () => {
  const app = await testApp(settings)
  expect((await app.request('GET', 'auth/providers')).body.min_age).toBe(18)
  for (const [birth_date, code] of [
    [undefined, 'required'],
    [null, 'required'],
    ['', 'format'],
    ['2008', 'format'],
    ['2001-02-30', 'format'],
    ['1890-01-01', 'out_of_range'],
    ['2026-11-22', 'out_of_range'],
    [20010101, 'type'],
  ]) {
    const answer = await register(app, birth_date)
    expectProblem(answer, 422, 'validation_failed')
    expect(answer.body.errors).toMatchObject([{ path: '/birth_date', code }])
  }
  expect(await counted(app)).toBe(0)
  const { status, body } = await register(app, grown)
  expect([status, body.user.birth_month]).toEqual([201, '2008-11'])
  const stored =
    JSON.stringify(await app.rows('SELECT * FROM users')) + JSON.stringify(await app.rows('SELECT * FROM audit_log'))
  expect(stored).not.toContain(grown)
  expect(stored.match(/2008-11/g)).toHaveLength(1)
  expect(app.logged()).not.toContain('2008-11')
  const ada = app.as(body.access_token)
  expect((await ada.get('me/export')).text).toContain('2008-11')
  const other = app.as((await register(app, grown)).body.access_token)
  expect((await other.get(`users/${body.user.id}`)).text).not.toContain('2008-11')
  expect((await ada.delete('me', { password })).status).toBe(204)
  expect(await app.rows('SELECT birth_month FROM users WHERE id = ?', body.user.id)).toEqual([{ birth_month: null }])
})

test('somebody too young is refused for a day, by the address alone', async () => {
  const app = await testApp(settings)
  expectProblem(await register(app, young), 422, 'too_young')
  // Neither another date nor another way to register helps.
  expectProblem(await register(app, grown), 422, 'too_young')
  expectProblem(await messenger(app, 4711, grown), 422, 'too_young')
  expect(await counted(app)).toBe(0)
  expect((await register(app, grown, 2)).status).toBe(201)
  expect(await app.rows('SELECT * FROM age_refusals')).toEqual([
    { origin: expect.stringMatching(/^[\w-]{22}$/), at: app.clock.now },
  ])
  const other = await testApp(settings, { beside: app })
  expectProblem(await register(other, grown), 422, 'too_young')
  app.clock.now += days
  expect((await register(app, grown)).status).toBe(201)
  expect(await app.services.retention.ageRefusals()).toBe(0)
  app.clock.now += 1
  expect(await app.services.retention.ageRefusals()).toBe(1)
})

test('somebody too young who tries again after that day is refused for another one', async () => {
  const app = await testApp(settings)
  expectProblem(await register(app, young), 422, 'too_young')
  app.clock.now += hours
  // This one does not extend the wait.
  expectProblem(await register(app, young), 422, 'too_young')
  app.clock.now += days - hours + minutes
  // The old refusal still lies there.
  expect((await app.rows('SELECT * FROM age_refusals')).length).toBe(1)
  expectProblem(await register(app, '2011-11-22'), 422, 'too_young')
  expectProblem(await register(app, grown), 422, 'too_young')
  app.clock.now += days
  expect((await register(app, grown)).status).toBe(201)
})

test('only the first login by the messenger needs it', async () => {
  const app = await testApp(settings)
  const missing = await messenger(app, 4711)
  expectProblem(missing, 422, 'validation_failed')
  expect(missing.body.errors).toMatchObject([{ path: '/birth_date', code: 'required' }])
  const first = await messenger(app, 4711, '1990-05-17')
  expect([first.status, first.body.user.birth_month]).toEqual([201, '1990-05'])
  const again = await messenger(app, 4711)
  expect([again.status, again.body.user.birth_month]).toEqual([200, '1990-05'])
  // A date of birth that an app sends all the same is ignored.
  for (const birth_date of ['xx', '2050-01-01', young])
    expect((await messenger(app, 4711, birth_date)).status).toBe(200)
  expect(await app.rows('SELECT * FROM age_refusals')).toEqual([])
})

test('ages in full years', () => {
  const at = (date: string) => Date.parse(`${date}T12:00:00Z`)
  for (const bad of ['2025-02-29', '2001-13-01', '1-1-2001', '2001-1-1', ' 2001-01-01'])
    expect([bad, dateOf(bad)]).toEqual([bad, null])
  const isPossible = (date: string) => isOfLiving(dateOf(date)!, at('2026-11-21'))
  expect(['2026-11-22', '2026-11-21', '1896-01-01', '1895-01-01'].map(isPossible)).toEqual([false, true, true, false])
  for (const [born, now, age] of [
    ['2008-11-21', '2026-11-21', 18],
    ['2008-11-22', '2026-11-21', 17],
    ['2008-12-01', '2026-11-30', 17],
    ['2008-02-29', '2026-02-28', 17],
    ['2008-02-29', '2026-03-01', 18],
    ['2000-01-01', '2026-11-21', 26],
  ] as const)
    expect([born, now, ageOf(new Date(`${born}T00:00:00Z`), at(now))]).toEqual([born, now, age])
  const open = { mode: 'open', code_hash: null } as const
  expect(refusesAccount({ ...open, age: 'missing' }, null, 0)).toBe('birth_date_missing')
  expect(refusesAccount({ ...open, age: 'too_young' }, null, 0)).toBe('too_young')
  expect(refusesAccount({ ...open, age: { birth_month: '1990-05' } }, null, 0)).toBeNull()
  expect(refusesAccount({ mode: 'closed', code_hash: null, age: 'too_young' }, null, 0)).toBe('registration_closed')
})
