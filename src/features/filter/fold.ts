// Letters of other alphabets that look like Latin ones, in lower case, after compatibility decomposition. A word and the
// text are folded alike, so that words of these alphabets still match themselves.
const lookAlikes = new Map(
  Object.entries({
    // Cyrillic
    ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x' },
    ...{ і: 'i', ј: 'j', ѕ: 's', ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'l', ү: 'y', ԍ: 'g' },
    // Greek
    ...{
      α: 'a',
      β: 'b',
      γ: 'y',
      ε: 'e',
      η: 'n',
      ι: 'i',
      κ: 'k',
      ν: 'v',
      ο: 'o',
      ρ: 'p',
      τ: 't',
      υ: 'u',
      χ: 'x',
      ω: 'w',
    },
    // Latin letters that do not decompose
    ...{
      ı: 'i',
      ł: 'l',
      ø: 'o',
      đ: 'd',
      ß: 'ss',
      æ: 'ae',
      œ: 'oe',
      ɑ: 'a',
      ɡ: 'g',
      ħ: 'h',
      ŧ: 't',
      ɩ: 'i',
      ʋ: 'v',
      ʏ: 'y',
    },
  }),
)
const lookAlike = new RegExp(`[${[...lookAlikes.keys()].join('')}]`, 'gu')
// The marks of Latin, Greek, Cyrillic, Arabic and Hebrew. Those of other scripts are vowels or change the letter.
const marksAndInvisible =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Cyrillic}\p{sc=Hebrew}]]--\p{scx=Hiragana}]|[\p{Default_Ignorable_Code_Point}\p{Cf}]/gv
const ascii = /^[\0-\x7f]*$/

/** Text without case, diacritics, width, invisible characters and look-alike letters. */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(marksAndInvisible, '')
    .replace(lookAlike, (letter) => lookAlikes.get(letter) ?? letter)
}

const digitLetters: Record<string, string> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b' },
  ...{ '@': 'a', $: 's', '!': 'i', '|': 'i' },
}
const besideLetter = /(?<=[a-z][0134578@$!|]{0,3})[0134578@$!|]|[0134578@$!|](?=[0134578@$!|]{0,3}[a-z])/g

/** Folded text in which digits and signs beside a letter are read as the letters that they stand for. */
export const unleeted = (folded: string): string => folded.replace(besideLetter, (sign) => digitLetters[sign] ?? sign)

const doubled = /(.)\1+/gsu
const hasDoubled = /(.)\1/su

/** Each run of the same letter as one. */
export const collapsed = (word: string): string => (hasDoubled.test(word) ? word.replace(doubled, '$1') : word)

/** Whether a token is the word, with no letter repeated less often than in it. Both have the same `collapsed` form. */
export function coversRuns(token: string, word: string): boolean {
  let at = 0
  for (let i = 0; i < word.length;) {
    const letter = word[i]
    let needed = 0
    for (; word[i] === letter && i < word.length; i++) needed++
    let found = 0
    for (; token[at] === letter && at < token.length; at++) found++
    if (found < needed) return false
  }
  return at === token.length
}
