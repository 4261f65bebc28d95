import { expect, test } from 'bun:test'
import { kinds, tagsOf } from '../../web/app/people/common.ts'
import { sameTag, spellingsOf, suggestions, tagText } from '../../web/app/people/suggestions.ts'
import { en } from '../../web/app/texts/en.ts'
import { ru } from '../../web/app/texts/ru.ts'

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
  const all = String(ru['settings.preferences.activities']).split(', ')
  expect(spellingsOf(all).slice(0, all.length)).toEqual(all)
  expect(spellingsOf(all)).toHaveLength(20)
  // A language without words of its own for them shows them as they are.
  expect(tagText('чай', 'de')).toBe('чай')
})

test('what two people like in two languages is in common', () => {
  const likes = (drinks: string[]) => ({ drinks, activities: [], purposes: [] })
  expect(tagsOf(likes(['чай', 'вино']), likes(['tea']))).toEqual([
    { kind: 'drinks', tag: 'чай', isCommon: true },
    { kind: 'drinks', tag: 'вино', isCommon: false },
  ])
})

test('the words of every language are those that its texts suggest, in the same order', () => {
  for (const [language, texts] of Object.entries({ en, ru }))
    for (const kind of kinds)
      expect(suggestions[kind].map((one) => one[language]).join(', ')).toBe(
        String(texts[`settings.preferences.${kind}`]),
      )
})
