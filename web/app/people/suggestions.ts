import type { Language } from '../language.tsx'
import type { Kind } from './common.ts'

type Suggestion = { en: string } & Record<Language, string>

/** The tags that the app itself suggests, as in its texts, in each of its languages: `tea` and `чай` are the same tag. */
export const suggestions: Record<Kind, readonly Suggestion[]> = {
  drinks: [
    { en: 'coffee', ru: 'кофе' },
    { en: 'tea', ru: 'чай' },
    { en: 'beer', ru: 'пиво' },
    { en: 'wine', ru: 'вино' },
    { en: 'cocktails', ru: 'коктейли' },
    { en: 'juice', ru: 'сок' },
    { en: 'cocoa', ru: 'какао' },
    { en: 'water', ru: 'вода' },
  ],
  activities: [
    { en: 'walks', ru: 'прогулки' },
    { en: 'board games', ru: 'настольные игры' },
    { en: 'chess', ru: 'шахматы' },
    { en: 'cinema', ru: 'кино' },
    { en: 'museums', ru: 'музеи' },
    { en: 'hiking', ru: 'походы' },
    { en: 'running', ru: 'бег' },
    { en: 'cycling', ru: 'велосипед' },
    { en: 'concerts', ru: 'концерты' },
    { en: 'cooking', ru: 'кулинария' },
    { en: 'books', ru: 'книги' },
  ],
  purposes: [
    { en: 'friendship', ru: 'дружба' },
    { en: 'conversation', ru: 'разговоры' },
    { en: 'languages', ru: 'языки' },
    { en: 'sport together', ru: 'спорт вместе' },
    { en: 'company for tonight', ru: 'компания на вечер' },
    { en: 'dating', ru: 'отношения' },
  ],
}

const known = new Map<string, Suggestion>()
for (const one of Object.values(suggestions).flat()) for (const spelling of Object.values(one)) known.set(spelling, one)

const suggestionOf = (tag: string) => known.get(tag.toLocaleLowerCase())

/** Whether two tags mean the same: without case, and in any language of the app where they are suggested. */
export const sameTag = (a: string, b: string): boolean =>
  a.toLocaleLowerCase() === b.toLocaleLowerCase() || (suggestionOf(a) ?? a) === suggestionOf(b)

/** A tag as it is shown: a suggested one in the language of the app, any other as it was written. */
export const tagText = (tag: string, language: Language): string => suggestionOf(tag)?.[language] ?? tag

// The server takes no more values of a filter.
const mostSearched = 20

/** The ways in which people may have written these tags, to search for: first as they are. */
export const spellingsOf = (tags: readonly string[]): string[] =>
  [...new Set([...tags, ...tags.flatMap((tag) => Object.values(suggestionOf(tag) ?? {}))])].slice(0, mostSearched)
