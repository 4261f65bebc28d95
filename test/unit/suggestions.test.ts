import { expect, test } from 'bun:test'
import { tagsOf } from '../../web/app/people/common.ts'
import { sameTag, spellingsOf, suggested, tagText } from '../../web/app/people/suggestions.ts'

test('a suggested tag is the same in every language, in any case, and other tags only as they are written', () => {
  expect([sameTag('Чай', 'tea'), sameTag('tea', 'ЧАЙ'), sameTag('TEA', 'Tea')]).toEqual([true, true, true])
  expect([sameTag('чай', 'coffee'), sameTag('kombucha', 'tea'), sameTag('kombucha', 'чайный гриб')]).toEqual([
    false,
    false,
    false,
  ])
  expect(sameTag('Kombucha', 'kombucha')).toBe(true)
})

test('a suggested tag is shown in the language of the app, and searched for in all of them', () => {
  expect([tagText('tea', 'ru'), tagText('Чай', 'en'), tagText('Kombucha', 'ru')]).toEqual(['чай', 'tea', 'Kombucha'])
  expect(spellingsOf(['чай', 'Kombucha'])).toEqual(['чай', 'Kombucha', 'tea'])
  const all = suggested('activities', 'ru')
  expect(spellingsOf(all).slice(0, all.length)).toEqual(all)
  expect(spellingsOf(all)).toHaveLength(20)
  // A language without suggestions of its own has the English ones.
  expect(suggested('drinks', 'de')).toEqual(suggested('drinks', 'en'))
})

test('what two people like in two languages is in common', () => {
  const likes = (drinks: string[]) => ({ drinks, activities: [], purposes: [] })
  expect(tagsOf(likes(['чай', 'вино']), likes(['tea']))).toEqual([
    { kind: 'drinks', tag: 'чай', isCommon: true },
    { kind: 'drinks', tag: 'вино', isCommon: false },
  ])
})
