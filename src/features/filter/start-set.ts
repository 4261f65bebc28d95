import lists from 'naughty-words'
import { ambiguousWords } from './ambiguous.ts'
import type { Rule } from './store.ts'
import { foldedWord } from './words.ts'

const languages = 'ar cs da de en es fa fi fil fr hi hu it ja ko nl no pl pt ru sv th tr zh'.split(' ')

const wordsOf = (language: string) =>
  (lists[language] ?? []).filter((word) => foldedWord(word) !== '' && !ambiguousWords[language]?.includes(word))

const idOf = (number: number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

const off = (number: number, rule: Omit<Rule, 'id' | 'on' | 'scope' | 'public_text'> & Partial<Rule>): Rule => ({
  ...{ id: idOf(number), on: false, scope: {}, public_text: null },
  ...rule,
})

/** The rules of a new server, all of them off. Their ids never change. */
export const startSet: readonly Rule[] = [
  off(1, {
    name: 'Links in first messages',
    applies_to: ['first_message'],
    match: { type: 'link', domains: null },
    action: 'refuse',
    public_text: 'Links are for people who have answered you.',
  }),
  off(2, {
    name: 'Repeated openers',
    applies_to: ['first_message'],
    match: { type: 'repeated', people: 5, within_h: 24 },
    action: 'refuse',
    public_text: 'You have sent this to several people. Write something of your own.',
  }),
  off(3, {
    name: 'Contact details in first messages',
    applies_to: ['first_message'],
    match: { type: 'contact', kinds: null },
    action: 'note',
    public_text: 'Be careful with people who want to leave this app at once.',
  }),
  ...languages.map((language, i) =>
    off(16 + i, {
      name: `Obscene words (${language})`,
      applies_to: ['message', 'name', 'bio', 'review'],
      match: { type: 'words', words: wordsOf(language) },
      action: 'flag',
    }),
  ),
]
