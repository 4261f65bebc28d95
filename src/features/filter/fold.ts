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
    // Greek sigma at the end of a word is the same letter.
    ...{ ς: 'σ' },
    // Letters of Arabic that Persian and Urdu write with other code points.
    ...{ ي: 'ی', ى: 'ی', ك: 'ک' },
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
    },
  }),
)
const alphabet = 'abcdefghijklmnopqrstuvwxyz'
// Letters in black circles and squares. Those of flags are left out, because a flag after a word would become part of it.
for (const first of [0x1f150, 0x1f170])
  for (const [i, letter] of [...alphabet].entries()) lookAlikes.set(String.fromCodePoint(first + i), letter)
const smallCapitals = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ'
for (const [i, letter] of [...'abcdefghijklmnoprstuvwyz'].entries()) lookAlikes.set(smallCapitals.charAt(i), letter)
const lookAlike = new RegExp(`[${[...lookAlikes.keys()].join('')}]`, 'gu')
// The marks of Latin, Greek, Cyrillic, Arabic and Hebrew. Those of other scripts are vowels or change the letter. U+0640 only
// makes Arabic words longer.
const marksAndInvisible =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Cyrillic}\p{sc=Hebrew}]]--\p{scx=Hiragana}]|[\p{Default_Ignorable_Code_Point}\p{Cf}\u0640]/gv
const ascii = /^[\0-\x7f]*$/

function foldWhole(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(marksAndInvisible, '')
    .replace(lookAlike, (letter) => lookAlikes.get(letter) ?? letter)
}

const several = 0xffff
/**
 * The folded form of each UTF-16 code unit: 0 if it is dropped, `several` if `expansions` or `foldWhole` has it. Without this
 * table, folding a text by Unicode would take longer than sending it.
 */
let units: Uint16Array | null = null
const expansions = new Map<number, string>()

function tableOfUnits(): Uint16Array {
  const table = new Uint16Array(0x10000)
  for (let unit = 0; unit < table.length; unit++) {
    const isSurrogate = unit >= 0xd800 && unit < 0xe000
    const folded = isSurrogate ? '' : foldWhole(String.fromCharCode(unit))
    if (folded.length > 1) expansions.set(unit, folded)
    table[unit] = isSurrogate || folded.length > 1 ? several : folded === '' ? 0 : folded.charCodeAt(0)
  }
  return table
}

/** Text without case, diacritics, width, invisible characters and look-alike letters. */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  const table = (units ??= tableOfUnits())
  let folded = ''
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const becomes = table[unit] ?? 0
    if (becomes === 0) continue
    if (becomes !== several) folded += String.fromCharCode(becomes)
    else if (unit < 0xd800 || unit >= 0xe000) folded += expansions.get(unit)
    else {
      const symbol = String.fromCodePoint(text.codePointAt(i) ?? unit)
      if (symbol.length === 2) i++
      // Most of these are emoji, which need no folding.
      folded += symbol >= '\u{1f200}' && symbol < '\u{1fb00}' ? symbol : foldWhole(symbol)
    }
  }
  return folded
}

const digitLetters: Record<string, string> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b' },
  ...{ '@': 'a', $: 's', '!': 'i', '|': 'i' },
}
const besideLetter =
  /(?<=[a-z][0134578@$!|]{0,3})(?:[0134578@$]|[!|](?=[a-z]))|[0134578@$!|](?=[0134578@$!|]{0,3}[a-z])/g

/** Folded text in which digits and signs beside a letter are replaced by the letters that they stand for (leetspeak). */
export const unleeted = (folded: string): string => folded.replace(besideLetter, (sign) => digitLetters[sign] ?? sign)

const doubled = /(.)\1+/gsu
const hasDoubled = /(.)\1/su

/** Replaces each run of the same letter by one. */
export const collapsed = (word: string): string => (hasDoubled.test(word) ? word.replace(doubled, '$1') : word)

/** Whether a token repeats each letter at least as often as the word. Both must have the same `collapsed` form. */
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
