import { describe, expect, test } from 'bun:test'
import { type Person, start, testApp } from '../app.ts'
import { nodesOfApps } from '../engines.ts'
import { expectProblem } from '../problem.ts'

const unknownId = '01a1fdfa-4600-7000-8000-000000000000'
const minute = 60_000

const change = async (person: Person, fields: Record<string, unknown>) => {
  const answer = await person.put('me', fields)
  expect(answer.status).toBe(200)
  return answer.body
}

const expectRefused = async (person: Person, path: string, fields: Record<string, unknown>, at: string | string[]) =>
  expect(expectProblem(await person.put(path, fields), 422, 'validation_failed')).toEqual([at].flat())

describe('PUT /me', () => {
  test('changes the given fields, keeps absent ones, and null clears', async () => {
    const { person, clock } = await testApp()
    const ada = await person('Ada')
    const fields = {
      city: 'London',
      bio: 'Notes.\n\tMore notes.',
      gender: 'female',
    }
    clock.now += minute
    const changed = await change(ada, fields)
    expect(changed).toMatchObject({ name: 'Ada', ...fields, updated_at: new Date(start + minute).toISOString() })
    expect((await ada.get('me')).body).toEqual(changed)
    expect(await change(ada, { name: 'Countess' })).toMatchObject({ name: 'Countess', ...fields })
    for (const [field, value] of Object.entries(fields)) {
      expect(await change(ada, { [field]: null })).toMatchObject({ [field]: null, name: 'Countess' })
      expect(await change(ada, { [field]: value })).toMatchObject({ ...fields, name: 'Countess' })
    }
    expect(await change(ada, {})).toMatchObject({ ...fields, name: 'Countess', created_at: changed.created_at })
  })

  test('normalizes text to NFC and trims it, and an empty city or bio becomes null', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const decomposed = 'A\u030angstro\u0308m'
    expect(
      await change(ada, { name: ` \u00a0${decomposed}\u3000 `, city: `\n${decomposed}\t`, bio: ` a\r\nb \n` }),
    ).toMatchObject({
      name: 'Ångström',
      city: 'Ångström',
      bio: 'a\nb',
    })
    expect(await change(ada, { city: '', bio: ' \n ' })).toMatchObject({ city: null, bio: null })
  })

  test('counts code points, after normalization', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const limits: [string, number][] = [
      ['name', 80],
      ['city', 80],
      ['bio', 500],
    ]
    for (const [field, limit] of limits) {
      for (const character of ['x', 'ж', '🦊', 'e\u0301'])
        expect((await change(ada, { [field]: character.repeat(limit) }))[field]).toBe(
          character.normalize('NFC').repeat(limit),
        )
      for (const character of ['x', '🦊', 'e\u0301'])
        await expectRefused(ada, 'me', { [field]: character.repeat(limit + 1) }, `/${field}`)
      await expectRefused(ada, 'me', { [field]: 'x'.repeat(60_000) }, `/${field}`)
    }
  })

  test('stores markup and other alphabets unchanged', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    for (const text of [
      '<script>alert(1)</script> & "co"',
      '岡本太郎',
      'آدا',
      'עדה',
      '👩🏽‍🚀',
      'Zoë & Søn',
      "'; DROP TABLE users; --",
    ])
      expect(await change(ada, { name: text, bio: text })).toMatchObject({ name: text, bio: text })
  })

  test('refuses control characters, direction overrides and invalid Unicode, and changes nothing', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const before = (await ada.get('me')).body
    for (const character of [
      '\u0000',
      '\u0007',
      '\u001b',
      '\u007f',
      '\u0085',
      '\u202d',
      '\u202e',
      '\ud800',
      // More marks on one letter than Unicode's Stream-Safe Text allows: normalizing would take seconds.
      '\u0301'.repeat(31),
      '\u0316\u0301'.repeat(200),
    ])
      for (const field of ['name', 'city', 'bio'])
        await expectRefused(ada, 'me', { [field]: `a${character}b` }, `/${field}`)
    for (const field of ['name', 'city'])
      for (const character of ['\n', '\t', '\u2028', '\u202a', '\u2066', '\u2069'])
        await expectRefused(ada, 'me', { [field]: `a${character}b` }, `/${field}`)
    expect((await ada.get('me')).body).toEqual(before)
  })

  test('accepts characters that address books and editors insert, and letters with many marks', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const bio = `\u202a+49 170 1234567\u202c, \u2068שלום\u2069 ${'x\u0316'.repeat(50)} o${'\u0316'.repeat(30)}`
    expect((await change(ada, { bio })).bio).toBe(bio)
    expect((await change(ada, { bio: 'a\u2028b\u2029c' })).bio).toBe('a\nb\nc')
    // Characters of private fonts, or newer than this server.
    for (const name of ['\uf8ff', '\u{1faff}']) expect((await change(ada, { name })).name).toBe(name)
  })

  test('refuses wrong types, naming each field, and changes none of them', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const before = (await ada.get('me')).body
    for (const name of [null, '', '  ', 1, true, ['Ada'], {}])
      await expectRefused(ada, 'me', { name, city: 'London' }, '/name')
    for (const gender of ['', 'Female', 'none', 1, ['female']])
      await expectRefused(ada, 'me', { gender, city: 'London' }, '/gender')
    await expectRefused(ada, 'me', { city: 1, bio: {}, gender: 'x', photo: 2, name: 'Eve' }, [
      '/city',
      '/bio',
      '/gender',
      '/photo',
    ])
    expect((await ada.get('me')).body).toEqual(before)
  })

  test('accepts as a photo only an own image, and no URL, because its host would learn who views it', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    for (const photo of [
      'https://example.org/ada.jpg',
      'https://t.me/i/ada.jpg',
      'https://localhost/',
      '//example.org/ada.jpg',
      '',
      'ada.jpg',
      'http://example.org/ada.jpg',
      'ftp://example.org/ada.jpg',
      'javascript:alert(1)',
      'data:image/png;base64,AAAA',
      'https://',
      'https://exa mple.org/',
      'https:\n//example.org/',
      unknownId,
      unknownId.toUpperCase(),
    ]) {
      const answer = await ada.put('me', { photo, city: 'Oslo' })
      expect(expectProblem(answer, 422, 'validation_failed')).toEqual(['/photo'])
      const code = photo.toLowerCase() === unknownId ? 'unknown' : 'not_yours'
      expect([photo, answer.body.errors[0].code]).toEqual([photo, code])
    }
    await expectRefused(ada, 'me', { photo: `https://example.org/${'x'.repeat(2048)}` }, '/photo')
    expect((await ada.get('me')).body).toMatchObject({ photo: null, photo_thumb: null, city: null })
  })

  test('sets nothing else', async () => {
    const { person, rows } = await testApp()
    const ada = await person('Ada')
    const row = async () => (await rows('SELECT * FROM users WHERE id = ?', ada.id))[0]
    const before = await row()
    await change(ada, {
      id: unknownId,
      email: 'eve@example.org',
      phone: '+14155550100',
      messenger_id: '1',
      password_hash: 'x',
      role: 'admin',
      visible: false,
      suspended_until: 1,
      deleted_at: 1,
      created_at: 1,
      updated_at: 1,
      consents_missing: ['terms'],
    })
    expect(await row()).toEqual(before)
  })

  test('of two users at once changes each their own', async () => {
    const { person } = await testApp()
    const people = await Promise.all([person('Ada'), person('Bob')])
    await Promise.all(people.map((one) => change(one, { city: `City of ${one.name}` })))
    for (const one of people)
      expect((await one.get('me')).body).toMatchObject({ id: one.id, city: `City of ${one.name}` })
  })
})

describe('preferences', () => {
  const none = { drinks: [], activities: [], purposes: [], language: 'en' }

  test('are empty and English by default, and absent fields of a change keep their values', async () => {
    const { person } = await testApp()
    const [ada, bob] = [await person('Ada'), await person('Bob')]
    expect((await ada.get('me/prefs')).body).toEqual(none)
    const tea = { drinks: ['tea', 'coffee'] }
    expect((await ada.put('me/prefs', tea)).body).toEqual({ ...none, ...tea })
    const all = { drinks: ['tea'], activities: ['chess'], purposes: ['friends'], language: 'de' }
    expect((await ada.put('me/prefs', { ...all, drinks: undefined })).body).toEqual({ ...all, ...tea })
    expect((await ada.put('me/prefs', { drinks: [] })).body).toEqual({ ...all, drinks: [] })
    expect((await ada.put('me/prefs', {})).body).toEqual({ ...all, drinks: [] })
    expect((await ada.get('me/prefs')).body).toEqual({ ...all, drinks: [] })
    expect((await bob.get('me/prefs')).body).toEqual(none)
  })

  test('have up to 20 entries of 1 to 40 characters each, in their given order', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    const twenty = Array.from({ length: 20 }, (_, i) => `${i} ${'🦊'.repeat(37)}`)
    for (const kind of ['drinks', 'activities', 'purposes']) {
      expect((await ada.put('me/prefs', { [kind]: twenty })).body[kind]).toEqual(twenty)
      await expectRefused(ada, 'me/prefs', { [kind]: [...twenty, 'x'] }, `/${kind}`)
      for (const entry of ['', ' ', '🦊'.repeat(41), 'a\nb', 'a\u0000', '\u202e', 1, null, ['x']])
        await expectRefused(ada, 'me/prefs', { [kind]: ['fine', entry] }, `/${kind}/1`)
      for (const list of ['tea', null, { 0: 'tea' }, 7])
        await expectRefused(ada, 'me/prefs', { [kind]: list }, `/${kind}`)
    }
    expect((await ada.get('me/prefs')).body.drinks).toEqual(twenty)
  })

  test('have no duplicates, even if two differ only before they are normalized', async () => {
    const { person } = await testApp()
    const ada = await person('Ada')
    expect((await ada.put('me/prefs', { drinks: [' cafe\u0301 ', 'Café'] })).body.drinks).toEqual(['café', 'Café'])
    await expectRefused(ada, 'me/prefs', { drinks: ['tea', 'milk', 'tea'] }, '/drinks/2')
    await expectRefused(ada, 'me/prefs', { drinks: ['café', 'cafe\u0301'] }, '/drinks/1')
    await expectRefused(ada, 'me/prefs', { drinks: ['tea', ' tea'] }, '/drinks/1')
    expect((await ada.get('me/prefs')).body.drinks).toEqual(['café', 'Café'])
  })

  test.each([
    ['de', 'de'],
    ['PT-br', 'pt-BR'],
    ['zh-hans-cn', 'zh-Hans-CN'],
    ['sr-Latn', 'sr-Latn'],
  ])('the language %p is the tag %p', async (given, kept) => {
    const ada = await (await testApp()).person('Ada')
    expect((await ada.put('me/prefs', { language: given })).body.language).toBe(kept)
  })

  test('the language is a BCP 47 tag', async () => {
    const ada = await (await testApp()).person('Ada')
    for (const language of [
      '',
      'english please',
      'en_US',
      'x',
      'e',
      '12',
      'en-',
      ' en',
      `en-${'x'.repeat(40)}`,
      null,
      1,
      ['en'],
    ])
      await expectRefused(ada, 'me/prefs', { language }, '/language')
    expect((await ada.get('me/prefs')).body.language).toBe('en')
  })
})

test('the public profile shows public fields, and never contact data or positions', async () => {
  const app = await testApp()
  const [ada, bob] = [await app.person('Ada'), await app.person('Bob')]
  await app.rows("UPDATE users SET phone = '+14155550177', messenger_id = '4711881188' WHERE id = ?", ada.id)
  await change(ada, { city: 'London', bio: 'Notes', gender: 'female' })
  await ada.put('me/prefs', { drinks: ['tea'], activities: ['chess'], purposes: ['friends'], language: 'fr' })

  for (const viewer of [bob, ada]) {
    const answer = await viewer.get(`users/${ada.id}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      id: ada.id,
      name: 'Ada',
      city: 'London',
      bio: 'Notes',
      gender: 'female',
      age: null,
      photo: null,
      photo_thumb: null,
      drinks: ['tea'],
      activities: ['chess'],
      purposes: ['friends'],
      language: 'fr',
      rating_avg: null,
      reviews_count: 0,
      created_at: new Date(start).toISOString(),
    })
    for (const secret of [ada.email, '14155550177', '4711881188', 'latitude', 'password'])
      expect(answer.text).not.toContain(secret)
  }
})

test('the public profile of an unknown or erased user is 404', async () => {
  const { person, rows } = await testApp()
  const [ada, bob] = [await person('Ada'), await person('Bob')]
  const ids = [unknownId, 'x', '0', `${bob.id}x`, `urn:uuid:${bob.id}`, bob.id.replaceAll('-', '')]
  // nginx refuses it itself.
  if (nodesOfApps === 1) ids.push('%00')
  for (const id of ids) expectProblem(await ada.get(`users/${id}`), 404, 'not_found')
  await rows('UPDATE users SET name = NULL, email = NULL, deleted_at = 1 WHERE id = ?', bob.id)
  expectProblem(await ada.get(`users/${bob.id}`), 404, 'not_found')
})

test('the public profile needs a token', async () => {
  const { request, person } = await testApp()
  const ada = await person('Ada')
  for (const path of [`users/${ada.id}`, `users/${unknownId}`, 'users/x', 'me', 'me/prefs'])
    expectProblem(await request('GET', path), 401, 'unauthenticated')
})
