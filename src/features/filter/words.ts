import { collapsed, coversRuns, fold, unleeted } from './fold.ts'

const token = /[\p{L}\p{N}\p{M}]+/gu
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const leetBesideLetter = /[a-z][0134578@$]|[0134578@$!|][a-z]/
// A chain of letters with a sign between each, as in s.p.a.m.
const longestChain = 24
/** How many words a phrase of a list may have. */
export const longestPhrase = 6

/** How many words may differ only in repeated letters: a text is compared with each of them. */
export const mostOfOneForm = 20

type Token = { text: string; /** The text between the previous token and this one. */ gap: string }

function tokensOf(folded: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const { 0: text, index } of folded.matchAll(token)) {
    tokens.push({ text, gap: folded.slice(end, index) })
    end = index + text.length
  }
  return tokens
}

/** The form in which a word or phrase of a list is looked up; empty for one without two letters. */
export function foldedWord(word: string): string {
  const folded = tokensOf(fold(word))
    .map(({ text }) => text)
    .join(' ')
  return folded.replaceAll(' ', '').length < 2 ? '' : folded
}

/** A group of more than `mostOfOneForm` words that differ only in repeated letters; null if there is none. */
export function tooManyOfOneForm(words: readonly string[]): string[] | null {
  const forms = Map.groupBy(new Set(words.map(foldedWord)), collapsed)
  return [...forms.values()].find((same) => same.length > mostOfOneForm) ?? null
}

/** Finds the owners, such as rules, whose lists of words a text matches. The time is linear in the text's length. */
type WordIndex<Owner> = { find(folded: string): Set<Owner> }

export function indexWords<Owner>(lists: readonly { owner: Owner; words: readonly string[] }[]): WordIndex<Owner> {
  const byForm = new Map<string, { word: string; owner: Owner }[]>()
  const phraseStarts = new Set<string>()
  const unspacedLengths = new Set<number>()
  let longestUnspaced = 0
  const hashes = new Set<number>()
  let longestWord = 0
  for (const { owner, words } of lists)
    for (const given of words) {
      const word = foldedWord(given)
      if (word === '') continue
      const form = collapsed(word)
      const entries = byForm.get(form)
      if (entries) entries.push({ word, owner })
      else byForm.set(form, [{ word, owner }])
      const [first = '', ...rest] = form.split(' ')
      if (rest.length > 0) phraseStarts.add(first)
      hashes.add(hashOf(form))
      hashes.add(hashOf(first))
      if (unspacedScript.test(word)) {
        unspacedLengths.add(word.length)
        longestUnspaced = Math.max(longestUnspaced, word.length)
      }
      longestWord = Math.max(longestWord, form.length)
    }

  /**
   * Whether a search could find anything, by one pass that makes no strings: most texts have no word of any list. It looks
   * up the hash of each token without repeated letters, and of each chain of joined tokens.
   */
  function mayMatch(folded: string): boolean {
    // No destructuring here: it takes most of the time.
    let hash = 0
    let last = 0
    let length = 0
    let chainHash = 0
    let chainLast = 0
    let gap = 0
    let singles = 0
    let before = 0
    for (let i = 0; i <= folded.length; i++) {
      const unit = i < folded.length ? folded.charCodeAt(i) : 0
      let kind = kinds[unit] ?? unknown
      if (kind === unknown) kind = kindOf(unit)
      if (kind === letter || kind === digit) {
        // A letter and a digit or sign that may stand for one.
        if (kind === digit ? isLatin(before) : unit < 128 && isSign(before)) return true
        if (length === 0) {
          // A chain ends at more than one sign, or at one that is no joiner.
          if (gap !== 1) chainHash = chainLast = 0
          gap = 0
        }
        if (unit !== last) hash = (Math.imul(hash, 31) + unit) | 0
        if (unit !== chainLast) chainHash = (Math.imul(chainHash, 31) + unit) | 0
        last = chainLast = before = unit
        length++
        continue
      }
      if (kind === unspaced && unspacedLengths.size > 0) return true
      if (kind === surrogate && isLetterPair(folded, i)) return true
      if (length > 0) {
        if (hashes.has(hash)) return true
        singles = length === 1 ? singles + 1 : 0
        if (singles === 2) return true
        hash = last = length = 0
      }
      if ((unit === dollar || unit === atSign) && isLatin(before)) return true
      if (kind === joiner && gap === 0) gap = 1
      else {
        if (gap < 2 && chainHash !== 0 && hashes.has(chainHash)) return true
        gap = 2
      }
      before = unit
    }
    return false
  }

  function look(candidate: string, found: Set<Owner>) {
    const entries = byForm.get(collapsed(candidate))
    if (!entries) return
    for (const { word, owner } of entries) if (!found.has(owner) && coversRuns(candidate, word)) found.add(owner)
  }

  /** Looks up the words that begin at each letter of a text without spaces. Makes a string only if its hash is a word's. */
  function searchUnspaced(text: string, found: Set<Owner>) {
    const seen = new Set<string>()
    const letters = [...text]
    let at = 0
    for (const [first, letter] of letters.entries()) {
      let hash = 0
      let length = 0
      for (let i = first; i < letters.length && length < longestUnspaced; i++) {
        const added = letters[i] ?? ''
        length += added.length
        if (i === first || added !== letters[i - 1])
          for (let unit = 0; unit < added.length; unit++) hash = (Math.imul(hash, 31) + added.charCodeAt(unit)) | 0
        if (!unspacedLengths.has(length) || !hashes.has(hash)) continue
        const candidate = text.slice(at, at + length)
        if (seen.has(candidate)) continue
        seen.add(candidate)
        look(candidate, found)
      }
      at += letter.length
    }
  }

  function search(folded: string, found: Set<Owner>) {
    const tokens = tokensOf(folded)
    for (const [i, { text }] of tokens.entries()) {
      look(text, found)
      if (unspacedLengths.size > 0 && unspacedScript.test(text)) searchUnspaced(text, found)
      if (phraseStarts.has(collapsed(text))) {
        let phrase = text
        for (const next of tokens.slice(i + 1, i + longestPhrase)) look((phrase += ` ${next.text}`), found)
      }
    }
    for (const chain of chainsOf(tokens, isSpelled))
      for (const [i, first] of chain.entries()) {
        let word = first
        for (const letter of chain.slice(i + 1, i + Math.min(longestChain, longestWord * 2))) {
          word += letter
          look(word, found)
        }
      }
    for (const chain of chainsOf(tokens, isJoined)) if (chain.length <= longestChain) look(chain.join(''), found)
  }

  return {
    find(folded) {
      const found = new Set<Owner>()
      if (byForm.size === 0 || !mayMatch(folded)) return found
      search(folded, found)
      if (leetBesideLetter.test(folded)) search(unleeted(folded), found)
      return found
    },
  }
}

const [separator, letter, digit, joiner, unspaced, surrogate] = [0, 1, 2, 3, 4, 5]

const kindOf = (unit: number): number => {
  const text = String.fromCharCode(unit)
  const isHalf = unit >= 0xd800 && unit < 0xe000
  const kind = isHalf
    ? surrogate
    : unspacedScript.test(text)
      ? unspaced
      : /[\p{L}\p{N}\p{M}]/u.test(text)
        ? letter
        : separator
  return (kinds[unit] = kind)
}
const unknown = 255
/** The kind of each UTF-16 code unit of folded text, determined at its first use. */
const kinds = new Uint8Array(0x10000).fill(unknown)
for (let unit = 0; unit < 128; unit++) {
  const sign = String.fromCharCode(unit)
  kinds[unit] = /[a-z]/.test(sign) ? letter : /[0-9]/.test(sign) ? digit : /[._*~^-]/.test(sign) ? joiner : separator
}

const isLatin = (unit: number) => unit >= 97 && unit <= 122
const dollar = 36
const atSign = 64
/** Digits and signs that stand for letters. */
const isSign = (unit: number) => unit === 64 || unit === 36 || unit === 33 || unit === 124 || (unit >= 48 && unit <= 57)

/** Whether a surrogate pair is a letter beyond the basic plane, and no emoji. */
function isLetterPair(text: string, at: number): boolean {
  const point = text.codePointAt(at) ?? 0
  return point >= 0x10000 && !(point >= 0x1f000 && point < 0x1fb00)
}

function hashOf(form: string): number {
  let hash = 0
  for (let i = 0; i < form.length; i++) hash = (Math.imul(hash, 31) + form.charCodeAt(i)) | 0
  return hash
}

/** Single letters with at most three characters between them: `s p a m`. */
const isSpelled = (before: Token, { text, gap }: Token) =>
  text.length === 1 && before.text.length === 1 && gap.length <= 3

/** Joined by one sign without a space: `sp.am`. */
const isJoined = (_: Token, { gap }: Token) => gap.length === 1 && /[._*~^-]/.test(gap)

/** Runs of two or more tokens, each of which belongs to the one before. */
function chainsOf(tokens: readonly Token[], belongs: (before: Token, token: Token) => boolean): string[][] {
  const chains: string[][] = []
  let chain: string[] = []
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1]
    if (before && belongs(before, token)) chain.push(token.text)
    else {
      if (chain.length > 1) chains.push(chain)
      chain = [token.text]
    }
  }
  if (chain.length > 1) chains.push(chain)
  return chains
}
