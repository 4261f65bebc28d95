import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ChatMessage } from '../../client/src/types.ts'
import { linkToken } from '../../web/app/account/link-token.ts'
import { rowsOf, shownSize } from '../../web/app/chats/rows.ts'
import { choicesOf, tagsOf } from '../../web/app/people/common.ts'
import { circle, offset, rings } from '../../web/app/people/geometry.ts'
import { aText } from '../../web/book/whole.ts'

test('the page of a mail’s link finds its token in the fragment, and that of List-Unsubscribe in the query', () => {
  expect(linkToken({ hash: '#token=abc', search: '' })).toBe('abc')
  expect(linkToken({ hash: '', search: '?token=ada.abc' })).toBe('ada.abc')
  expect(linkToken({ hash: '', search: '' })).toBe('')
})

const nobody = { drinks: [], activities: [], purposes: [] }
const place = fc.record({
  latitude: fc.double({ min: -80, max: 80, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
})

test('what we have in common comes first, however it is written', () => {
  const tags = tagsOf({ ...nobody, drinks: ['wine', 'Tea'], activities: ['chess'] }, { ...nobody, drinks: ['tea'] })
  expect(tags.map(({ tag, isCommon }) => [tag, isCommon])).toEqual([
    ['Tea', true],
    ['wine', false],
    ['chess', false],
  ])
})

test('the choices of a filter are those chosen, mine, then the most frequent ones, each once', () => {
  const around = [['beer', 'TEA'], ['beer'], ['water']].map((drinks) => ({ ...nobody, drinks }))
  expect(choicesOf('drinks', ['mate'], { ...nobody, drinks: ['tea'] }, around)).toEqual([
    'mate',
    'tea',
    'beer',
    'water',
  ])
})

test('every corner of a circle of uncertainty is its radius away, across the date line too', () => {
  fc.assert(
    fc.property(place, (centre) => {
      for (const [longitude, latitude] of circle(centre, 600)) {
        const { east, north } = offset(centre, { latitude, longitude })
        expect(Math.abs(Math.hypot(east, north) - 600)).toBeLessThan(2)
      }
    }),
  )
})

test('the radar reaches to the farthest person, with at most six rings', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), (farthest) => {
      const { reach, at } = rings(farthest)
      expect(reach).toBeGreaterThanOrEqual(farthest)
      expect(at.length).toBeLessThanOrEqual(6)
      expect(at.at(-1)).toBe(reach)
    }),
  )
})

const message = (sender_id: string, created_at: string): ChatMessage => ({
  ...aText,
  key: created_at,
  sender_id,
  created_at,
  state: 'sent',
  problem: null,
})

test('messages stand under their day, in groups of one sender without a long pause', () => {
  const rows = rowsOf([
    message('a', '2026-11-20T12:00:00.000Z'),
    message('a', '2026-11-20T12:01:00.000Z'),
    message('a', '2026-11-20T12:31:00.000Z'),
    message('b', '2026-11-20T12:31:01.000Z'),
    message('b', '2026-11-22T12:00:00.000Z'),
  ])
  const shown = rows.map((row) =>
    row.kind === 'day' ? 'day' : `${row.isFirst ? '(' : ''}${row.message.sender_id}${row.isLast ? ')' : ''}`,
  )
  expect(shown).toEqual(['day', '(a', 'a)', '(a)', '(b)', 'day', '(b)'])
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
})

test('a photo keeps its proportion within a bubble', () => {
  expect(shownSize(600, 400)).toEqual({ width: 260, height: 173 })
  expect(shownSize(400, 1600)).toEqual({ width: 96, height: 320 })
  expect(shownSize(100, 80)).toEqual({ width: 100, height: 80 })
})
