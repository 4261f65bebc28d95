import { collapsed, coversRuns, fold, unleeted } from './fold.ts'

const token = /[\p{L}\p{N}\p{M}]+/gu
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const leetSign = /[0134578@$!|]/
// A chain of letters with a sign between each, as in s.p.a.m.
const longestChain = 24
const longestPhrase = 6

type Token = { text: string; /** What stands between it and the one before. */ gap: string }

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

/** A list of words for each owner, such as a rule. Building and searching take time in proportion to their length. */
export type WordIndex<Owner> = { find(text: string): Set<Owner> }

export function indexWords<Owner>(lists: readonly { owner: Owner; words: readonly string[] }[]): WordIndex<Owner> {
  const byForm = new Map<string, { word: string; owner: Owner }[]>()
  const phraseStarts = new Set<string>()
  const unspacedLengths = new Set<number>()
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
      if (unspacedScript.test(word)) unspacedLengths.add(word.length)
      longestWord = Math.max(longestWord, form.length)
    }

  function look(candidate: string, found: Set<Owner>) {
    const entries = byForm.get(collapsed(candidate))
    if (!entries) return
    for (const { word, owner } of entries) if (coversRuns(candidate, word)) found.add(owner)
  }

  function search(folded: string, found: Set<Owner>) {
    const tokens = tokensOf(folded)
    for (const [i, { text }] of tokens.entries()) {
      look(text, found)
      if (unspacedLengths.size > 0 && unspacedScript.test(text))
        for (const length of unspacedLengths)
          for (let at = 0; at + length <= text.length; at++) look(text.slice(at, at + length), found)
      if (phraseStarts.has(collapsed(text))) {
        let phrase = text
        for (const next of tokens.slice(i + 1, i + longestPhrase)) look((phrase += ` ${next.text}`), found)
      }
    }
    for (const chain of chainsOf(tokens, isSpelled))
      for (let i = 0; i < chain.length; i++) {
        let word = chain[i]!
        for (const letter of chain.slice(i + 1, i + Math.min(longestChain, longestWord * 2))) {
          word += letter
          look(word, found)
        }
      }
    for (const chain of chainsOf(tokens, isJoined)) if (chain.length <= longestChain) look(chain.join(''), found)
  }

  return {
    find(text) {
      const found = new Set<Owner>()
      if (byForm.size === 0) return found
      const folded = fold(text)
      search(folded, found)
      if (leetSign.test(folded)) search(unleeted(folded), found)
      return found
    },
  }
}

/** `s p a m`: single letters with little between them. */
const isSpelled = (before: Token, { text, gap }: Token) =>
  text.length === 1 && before.text.length === 1 && gap.length <= 3

/** `sp.am`: one sign, and no space. */
const isJoined = (_: Token, { gap }: Token) => gap.length === 1 && /[._*~^-]/.test(gap)

/** Runs of tokens of which each belongs to the one before; of two tokens at least. */
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
