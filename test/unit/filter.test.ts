import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { hasContact, contactKinds, namesDomain } from '../../src/features/filter/contacts.ts'
import { coversRuns, collapsed, fold } from '../../src/features/filter/fold.ts'
import { openMatcher } from '../../src/features/filter/matcher.ts'
import { startSet } from '../../src/features/filter/start-set.ts'
import { indexWords } from '../../src/features/filter/words.ts'
import type { Match, Rule } from '../../src/features/filter/store.ts'
import { harmless } from '../fixtures/harmless.ts'

const rule = (match: Match, given: Partial<Rule> = {}): Rule => ({
  ...{
    id: crypto.randomUUID(),
    name: 'a rule',
    on: true,
    applies_to: ['message'],
    action: 'refuse',
    public_text: null,
  },
  ...{ scope: {} },
  match,
  ...given,
})

const scam = openMatcher([rule({ type: 'words', words: ['scam', 'gift card', 'ass', 'хуй', 'Straße', '裸聊'] })])
const isCaught = (text: string) => scam.matching(text).length > 0

// The table of docs/moderation.md.
describe('ways around a word', () => {
  const ways: Record<string, { caught: string[]; missed?: string[] }> = {
    case: { caught: ['SCAM', 'ScAm', 'STRASSE'] },
    spacing: {
      caught: ['a s c a m', 's.c.a.m', 's-c-a-m', 's  c  a  m', 'sc.am', 'gift  card', 'gift-card'],
      missed: ['sc am', 'giftcard'],
    },
    'look-alikes': { caught: ['sсаm', 'ѕсам', 'ｓｃａｍ', '𝓼𝓬𝓪𝓶', 'ⓢⓒⓐⓜ', 'ХУЙ', 'xyй'], missed: ['ꜱᴄᴀᴍ', '🅂🄲🄰🄼🅂'] },
    'zero-width': { caught: ['s\u200bc\u200ba\u200bm', 's\u00adcam', 'sc\u2060am', 'sc\ufe0fam', 'sc\u202eam'] },
    diacritics: { caught: ['sçâm', 's\u0336c\u0336a\u0336m\u0336', 'šćäm'] },
    leetspeak: { caught: ['sc4m', '5cam', '$c@m', '@ss', 'a$$'], missed: ['sc^m', 's<am', 'sc*m'] },
    'repeated letters': { caught: ['scaaaaam', 'sscamm', 'assss'] },
    'other words around it': {
      caught: ['no scam!', '(scam)', '“scam”', 'scam,scam', '我们裸聊吧'],
      missed: ['scammer', 'antiscam'],
    },
    'other words': { caught: [], missed: ['mac s', 'sham', 'fraud'] },
  }
  for (const [way, { caught, missed = [] }] of Object.entries(ways)) {
    for (const text of caught)
      test(`${way}: ${JSON.stringify(text)} is caught`, () => expect(isCaught(text)).toBe(true))
    for (const text of missed) test(`${way}: ${JSON.stringify(text)} is not`, () => expect(isCaught(text)).toBe(false))
  }
})

describe('false alarms', () => {
  test.each(['as', 'class', 'assassin', 'pass', 'a s', 'gift', 'card', 'gift a card', 'mass', 'con', 'us$ 5', 'scan'])(
    '%s is no word of the list',
    (text) => expect(isCaught(text)).toBe(false),
  )

  test('the lists of words of the start set find under one in a thousand harmless sentences', () => {
    const ofWords = startSet.filter(({ match }) => match.type === 'words')
    // Sentences in English are judged by the English list, and by those of all other languages together.
    const english = openMatcher(ofWords.filter(({ name }) => name.endsWith('(en)')))
    const alarms = harmless.filter((text) => english.matching(text).length > 0)
    expect(harmless.length).toBeGreaterThan(2000)
    expect(alarms.length / harmless.length).toBeLessThan(0.001)
  })
})

test('what the quick look leaves out has no word of the list', () => {
  const lists = [{ owner: 'a', words: ['aab', 'b a', 'bba', '裸聊', 'aєb'] }]
  const [quick, thorough] = [
    indexWords(lists),
    // Every text ends with this word, which the quick look finds.
    indexWords([...lists, { owner: 'z', words: ['zz'] }]),
  ]
  const sign = fc.constantFrom(...'aabb4@ .-!_ 裸聊єᴀàА🙂\u200b𝓪x')
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 12 }), (text) => {
      expect([...quick.find(fold(text))]).toEqual(
        [...thorough.find(fold(`${text} ;; zz`))].filter((owner) => owner !== 'z'),
      )
    }),
    { numRuns: 5000 },
  )
})

describe('folding', () => {
  test('words with double letters need them', () => {
    expect(coversRuns('as', 'ass')).toBe(false)
    expect(coversRuns('asss', 'ass')).toBe(true)
    expect(coversRuns('ssaa', 'ass')).toBe(false)
    expect(collapsed('mississippi')).toBe('misisipi')
  })

  test('folds what is folded to itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const once = fold(text)
        expect(fold(once)).toBe(once)
      }),
    )
  })

  test('vowels of Hindi and Thai stay', () => {
    expect(fold('किताब')).toBe('किताब')
    expect(fold('ที่')).not.toBe(fold('ทา'))
    expect(fold('が')).not.toBe(fold('か'))
  })
})

describe('contacts', () => {
  test.each([
    '+49 151 2345678',
    '0151 23456789',
    '(0151) 234-56-78 9',
    'ada@example.org',
    'ada.l+x@mail.example.co.uk',
    '$adalove',
    'paypal.me/ada',
    'DE89 3704 0044 0532 0130 00',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '＋４９ １５１ ２３４５６７８',
  ])('%s', (text) => expect(hasContact(`Write me: ${text} please`, contactKinds)).toBe(true))

  test.each([
    'at 10:30 on 2026-11-22',
    '22.11.2026, 18.30',
    'it costs $5 or 1 000',
    'house 12, 3rd floor',
    '2026',
    'ada@home',
    'DE89 3704 0044 0532 0130 01',
    'A$AP',
    'call me maybe',
    '52.5200, 13.4050',
  ])('not %s', (text) => expect(hasContact(text, contactKinds)).toBe(false))

  test('domains and what is below them', () => {
    expect(namesDomain('see https://Evil.example/x', ['evil.example'])).toBe(true)
    expect(namesDomain('a.b.evil.example', ['evil.example'])).toBe(true)
    expect(namesDomain('notevil.example', ['evil.example'])).toBe(false)
    expect(namesDomain('evil.example.org', ['evil.example'])).toBe(false)
  })
})

describe('patterns', () => {
  const found = (pattern: string, text: string) =>
    openMatcher([rule({ type: 'pattern', pattern })]).matching(text).length

  test('see the text as written and as folded', () => {
    expect(found('send\\s+\\d+ (usd|eur)', 'Send 50 EUR')).toBe(1)
    expect(found('\\bscam\\b', 's\u200bcаm')).toBe(1)
    expect(found('\\p{Cyrillic}', 'щ')).toBe(1)
    expect(found('^\\d+$', '12a')).toBe(0)
  })

  test('each of several is told apart', () => {
    const rules = ['foo', 'ba[rz]', 'x{3}'].map((pattern) => rule({ type: 'pattern', pattern }))
    expect(openMatcher(rules).matching('a baz and xxx')).toEqual([rules[1]!, rules[2]!])
  })

  // A backtracking engine takes 2^4000 steps for it. Whether this ends is the test.
  test.each(['(a+)+$', '(a|aa)+$', '(.*)*x', '([a-z]+)*=', '(a?){300}a{300}b'])('%s ends', (pattern) => {
    expect(found(pattern, `${'a'.repeat(4000)}!`)).toBe(0)
  })
})

test('any text of any script is searched without a failure', () => {
  const matcher = openMatcher([
    ...startSet,
    rule({ type: 'pattern', pattern: 'a.c' }),
    rule({ type: 'contact' }),
    rule({ type: 'link', domains: ['example.com'] }),
  ])
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void matcher.matching(text)))
})
