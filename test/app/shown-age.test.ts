import { expect, test } from 'bun:test'
import { birthsOf, shownAge } from '../../src/features/profile/rules.ts'
import { minutes } from '../../src/lib/time.ts'
import { type Person, start, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

async function setting(now = start) {
  const app = await testApp()
  app.clock.now = now
  const people = { ada: await app.person('Ada'), bob: await app.person('Bob'), cleo: await app.person('Cleo') }
  for (const [name, month] of Object.entries({ ada: '1990-11', bob: '2001-03' } as const))
    await app.rows('UPDATE users SET birth_month = ? WHERE id = ?', month, people[name as 'ada' | 'bob'].id)
  for (const person of Object.values(people)) {
    app.forget(person.id)
    expect((await person.put('me/location', { latitude: 52.5, longitude: 13.4 })).status).toBe(200)
  }
  return { app, ...people }
}

const found = async (person: Person, query = '') => {
  const { status, body } = await person.get(`search/nearby?radius=5000${query}`)
  expect(status).toBe(200)
  return body.items.map(({ user }: { user: { name: string; age: number | null } }) => [user.name, user.age]).sort()
}

test('an age is shown in profiles only if its owner wants', async () => {
  const { app, ada, bob, cleo } = await setting()
  expect((await ada.get('me')).body).toMatchObject({ birth_month: '1990-11', show_age: false })
  expect((await cleo.get(`users/${ada.id}`)).body.age).toBeNull()
  expect(await found(cleo)).toEqual([
    ['Ada', null],
    ['Bob', null],
  ])
  const changed = await ada.put('me', { show_age: true })
  expect([changed.status, changed.body.show_age]).toEqual([200, true])
  expect((await cleo.get(`users/${ada.id}`)).body.age).toBe(36)
  expect((await ada.get(`users/${ada.id}`)).body.age).toBe(36)
  expect(await found(cleo)).toEqual([
    ['Ada', 36],
    ['Bob', null],
  ])
  await cleo.post('chats', { user_id: ada.id })
  expect((await cleo.get('chats')).body.items[0].user.age).toBe(36)
  // Only she sees the date.
  for (const path of [`users/${ada.id}`, 'search/nearby', 'chats', 'sync', 'me/export'])
    expect([path, (await cleo.get(path)).text.includes('1990')]).toEqual([path, false])
  expect((await ada.get('me/export')).text).toContain('1990-11')
  expect((await ada.get('sync')).text).not.toContain('1990')
  expect(app.logged()).not.toContain('1990-11')
  expect(JSON.stringify(await app.rows('SELECT * FROM audit_log'))).not.toContain('1990')

  await ada.put('me', { show_age: false })
  expect((await cleo.get(`users/${ada.id}`)).body.age).toBeNull()
  // A blocked user sees nothing any longer.
  await ada.put('me', { show_age: true })
  await ada.post('blocks', { user_id: cleo.id })
  expect((await cleo.get('chats')).body.items[0].user.age).toBeNull()
  expect(await found(bob)).toContainEqual(['Ada', 36])
})

test('a search by age finds only people who show theirs', async () => {
  const { app, ada, bob, cleo } = await setting()
  expect(await found(cleo, '&age_min=0&age_max=150')).toEqual([])
  await ada.put('me', { show_age: true })
  await bob.put('me', { show_age: true })
  expect(await found(cleo, '&age_min=18')).toEqual([
    ['Ada', 36],
    ['Bob', 25],
  ])
  for (const [query, names] of [
    ['&age_min=25&age_max=25', ['Bob']],
    ['&age_min=26', ['Ada']],
    ['&age_min=36&age_max=36', ['Ada']],
    ['&age_min=37', []],
    ['&age_max=35', ['Bob']],
    ['&age_max=24', []],
    ['&age_max=99&gender=female', []],
  ] as const)
    expect([query, (await found(cleo, query)).map(([name]: [string]) => name)]).toEqual([query, [...names]])
  await bob.put('me', { show_age: false })
  expect(await found(cleo, '&age_min=18')).toEqual([['Ada', 36]])
  await ada.delete('me', { password: 'twelve green bottles' })
  expect(await found(cleo, '&age_min=18')).toEqual([])
  expect(await app.rows("SELECT * FROM nearby_traits WHERE trait LIKE 'born:%'")).toEqual([])
})

test('an age increases at the beginning of the month of birth', async () => {
  const { app, bob, cleo } = await setting(Date.UTC(2027, 1, 28, 23, 55))
  await bob.put('me', { show_age: true })
  expect(await found(cleo, '&age_max=25')).toEqual([['Bob', 25]])
  app.clock.now += 10 * minutes
  expect(await found(cleo, '&age_max=25')).toEqual([])
  expect(await found(cleo, '&age_min=26&age_max=26')).toEqual([['Bob', 26]])
})

test('impossible ages are refused, and an unknown age cannot be shown', async () => {
  const { ada, cleo } = await setting()
  for (const [query, field] of [
    ['age_min=-1', '/age_min'],
    ['age_min=18.5', '/age_min'],
    ['age_min=', '/age_min'],
    ['age_max=151', '/age_max'],
    ['age_max=old', '/age_max'],
    ['age_min=30&age_max=29', '/age_max'],
  ] as const)
    expect([query, expectProblem(await cleo.get(`search/nearby?${query}`), 422, 'validation_failed')]).toEqual([
      query,
      [field],
    ])
  const codeOf = async (query: string) => (await cleo.get(`search/nearby?${query}`)).body.errors[0].code
  expect([await codeOf('age_min=-1'), await codeOf('age_min=151')]).toEqual(['out_of_range', 'out_of_range'])
  expect(expectProblem(await cleo.put('me', { show_age: true }), 422, 'validation_failed')).toEqual(['/show_age'])
  expect(expectProblem(await ada.put('me', { show_age: 'yes' }), 422, 'validation_failed')).toEqual(['/show_age'])
  expect((await cleo.put('me', { show_age: false })).status).toBe(200)
})

test('ages, and the times of birth of people with them', () => {
  const now = Date.UTC(2026, 10, 21)
  expect(shownAge(null, now)).toBeNull()
  expect(['2008-11', '2008-12', '2000-01', '2026-11'].map((month) => shownAge(month, now))).toEqual([18, 17, 26, 0])
  expect(birthsOf({ min: 36, max: 36 }, Date.UTC(2026, 11, 1))).toEqual(['1990'])
  expect(birthsOf({ min: 35, max: 36 }, Date.UTC(2026, 10, 1))).toEqual([
    '1989-12',
    '1990',
    ...Array.from({ length: 11 }, (_, i) => `1991-${String(i + 1).padStart(2, '0')}`),
  ])
  // Each month of birth is in the list of exactly one age.
  for (let month = 0; month < 40 * 12; month++) {
    const born = `${1980 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
    const age = shownAge(born, now)!
    for (const years of [age - 1, age, age + 1]) {
      const births = birthsOf({ min: years, max: years }, now)
      expect([born, years, births.includes(born) || births.includes(born.slice(0, 4))]).toEqual([
        born,
        years,
        years === age,
      ])
    }
  }
})
