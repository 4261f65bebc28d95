import { describe, expect, test } from 'bun:test'
import { withoutInvisible } from '../../src/lib/invisible.ts'
import { password, testApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

// The input, and the text that remains of it.
const lookAlikes: [what: string, given: string, left: string][] = [
  ['a zero-width space', 'A\u200Bda', 'Ada'],
  ['a zero-width space at the end', 'Ada\u200B', 'Ada'],
  ['a joiner between Latin letters', 'A\u200Dda', 'Ada'],
  ['a non-joiner between Latin letters', 'A\u200Cda', 'Ada'],
  ['a non-joiner between Cyrillic letters', 'А\u200Cнна', 'Анна'],
  ['a word joiner', 'A\u2060da', 'Ada'],
  ['a byte order mark', '\uFEFFAda', 'Ada'],
  ['a soft hyphen', 'A\u00ADda', 'Ada'],
  ['a combining grapheme joiner', 'A\u034Fda', 'Ada'],
  ['marks of direction', '\u200EAda\u200F\u061C', 'Ada'],
  ['invisible operators', 'A\u2061\u2062\u2063\u2064da', 'Ada'],
  ['fillers of Hangul', 'A\u115F\u1160\u3164\uFFA0da', 'Ada'],
  ['a variation selector after a letter', 'A\uFE0Fda\u{E0100}', 'Ada'],
  ['tags after a letter', 'Ada\u{E0061}\u{E007F}', 'Ada'],
  ['a joiner after an emoji', '🦊\u200D', '🦊'],
  ['two joiners in an emoji', '👩\u200D\u200D👧', '👩👧'],
  ['a non-joiner after an Arabic letter that does not join', 'دار\u200Cا', 'دارا'],
  ['a non-joiner at the end of a Persian name', 'علی\u200C', 'علی'],
  ['a non-joiner at the end after a virama', 'क्\u200C', 'क्'],
  ['a joiner between Devanagari letters', 'क\u200Dष', 'कष'],
  ['what kept a letter and its accent apart', 'Zoe\u200D\u0308', 'Zo\u00EB'],
]
const needed: [what: string, text: string][] = [
  ['a Persian name', 'علی\u200Cرضا'],
  ['a Persian name with a mark', 'بی\u064E\u200Cتا'],
  ['a half letter of Devanagari', 'क्\u200Dष'],
  ['letters of Devanagari that do not join', 'क्\u200Cष'],
  ['a Sinhala conjunct', 'ශ්\u200Dරී'],
  ['a Bengali name', 'র\u200D্যাচেল'],
  ['a Malayalam chillu', 'അവന്\u200D'],
  ['a Japanese name with the form of its character', '葛\u{E0100}城'],
  ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ\u180Eᠠ'],
  ['a family', '👩\u200D👩\u200D👧\u200D👦'],
  ['a profession with a colour', '👩🏽\u200D🚀'],
  ['a kiss', '👩\u200D❤\uFE0F\u200D💋\u200D👨'],
  ['a heart', 'Ada ❤\uFE0F'],
  ['a keycap', '1\uFE0F\u20E3'],
  ['the flag of Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
  ['a pirate', '🏴\u200D☠\uFE0F'],
  ['a rainbow flag', '🏳\uFE0F\u200D🌈'],
]

describe('a name', () => {
  test.each(lookAlikes)('loses %s', async (_, given, left) => {
    expect(withoutInvisible(given).normalize('NFC')).toBe(left)
    expect(withoutInvisible(left)).toBe(left)
  })

  test.each(needed)('keeps the necessary characters in %s', (_, text) => {
    expect(withoutInvisible(text)).toBe(text)
  })

  test('is stored like this, and so are a city and preferences', async () => {
    const app = await testApp()
    const ada = await app.person('Ada')
    for (const [, given, left] of lookAlikes) expect((await ada.put('me', { name: given })).body.name).toBe(left)
    for (const [, text] of needed) expect((await ada.put('me', { name: text })).body.name).toBe(text.normalize('NFC'))
    expect((await ada.put('me', { city: 'Lis\u200Bbon' })).body.city).toBe('Lisbon')
    expect((await ada.put('me', { city: '\u200B' })).body.city).toBeNull()
    const twice = await ada.put('me/prefs', { drinks: ['tea', 'te\u200Ba'] })
    expect(expectProblem(twice, 422, 'validation_failed')).toEqual(['/drinks/1'])
    expect((await ada.put('me/prefs', { drinks: ['te\u200Ba'] })).body.drinks).toEqual(['tea'])
    await ada.put('me/location', { latitude: 52.5, longitude: 13.4 })
    const bob = await app.person('Bob')
    const found = await bob.get('search/nearby?lat=52.5&lng=13.4&drinks=tea%E2%80%8B')
    expect(found.body.items).toHaveLength(1)
    // Longer texts are not changed.
    expect((await ada.put('me', { bio: 'Auf\u200Clage' })).body.bio).toBe('Auf\u200Clage')
  })

  test.each(['\u200B', '\u200D\u200C', '\u3164', '\u2800', '\u00AD \u2060', '\uFE0F', '\u{E0061}', '\u0301'])(
    'that shows nothing is refused: %j',
    async (name) => {
      const app = await testApp()
      const consents = { terms: true, privacy: true, disclaimer: true }
      const body = { email: 'eve@example.org', password, name, consents }
      const registered = await app.request('POST', 'auth/register', { body })
      expect(expectProblem(registered, 422, 'validation_failed')).toEqual(['/name'])
      expect(registered.body.errors[0].code).toBe('too_short')
      const ada = await app.person('Ada')
      expectProblem(await ada.put('me', { name }), 422, 'validation_failed')
      expect((await ada.get('me')).body.name).toBe('Ada')
    },
  )

  test('is measured after the removal, and marks do not pile up behind removed characters', async () => {
    const ada = await (await testApp()).person('Ada')
    const long = `${'x'.repeat(80)}${'\u200B'.repeat(80)}`
    expect((await ada.put('me', { name: long })).body.name).toBe('x'.repeat(80))
    const marks = '\u0316'.repeat(30)
    expectProblem(await ada.put('me', { name: `A${marks}\u200D${marks}` }), 422, 'validation_failed')
    expectProblem(await ada.put('me', { name: 'A\u202Eda' }), 422, 'validation_failed')
  })
})
