/** Loaded at the first pattern, as most communities have none. */
const re2 = (): typeof import('re2js') => require('re2js')

/** Instructions of the compiled program. Matching takes at most these times the length of the text. */
export const largestPattern = 1000
export const largestPatterns = 5000

/** Why a pattern is refused, and where it goes wrong: the number of the character, counted from 1. */
export type PatternProblem = { message: string; at: number | null }

function compile(pattern: string) {
  const { RE2JS } = re2()
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
}

/** The size of a pattern's program, or why it is none. */
export function examinePattern(pattern: string): { size: number } | PatternProblem {
  const { RE2JSException, RE2JSSyntaxException } = re2()
  try {
    const compiled = compile(pattern)
    // All patterns are compiled into one as well, in which names could meet twice.
    if (Object.keys(compiled.namedGroups()).length > 0)
      return { message: 'groups take no names here', at: pattern.search(/\(\?P?</) + 1 || null }
    const size = compiled.programSize()
    return size > largestPattern ? { message: 'the pattern is too large: repeat less', at: null } : { size }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    if (!(error instanceof RE2JSSyntaxException)) return { message: 'the pattern does not compile', at: null }
    const input = error.getPattern()
    const at = input ? pattern.indexOf(input) : -1
    return { message: reasonOf(pattern, at, error.getDescription()), at: at < 0 ? null : at + 1 }
  }
}

function reasonOf(pattern: string, at: number, description: string): string {
  if (at >= 0 && /^\(\?<[=!]/.test(pattern.slice(at))) return 'RE2 has no lookbehind'
  if (at >= 0 && /^\(\?[=!]/.test(pattern.slice(at))) return 'RE2 has no lookahead'
  return description
}

export type PatternIndex<Owner> = {
  /** Adds the owners of the patterns that one of the texts matches. */
  find(texts: readonly string[], found: Set<Owner>): void
}

/** The patterns, of which a text that matches none is told so by searching it once. */
export function indexPatterns<Owner>(list: readonly { owner: Owner; pattern: string }[]): PatternIndex<Owner> {
  if (list.length === 0) return { find() {} }
  const each = list.map(({ owner, pattern }) => ({ owner, pattern: compile(pattern) }))
  const any = compile(list.map(({ pattern }) => `(?:${pattern})`).join('|'))
  return {
    find(texts, found) {
      for (const text of texts) {
        if (!any.test(text)) continue
        for (const { owner, pattern } of each) if (!found.has(owner) && pattern.test(text)) found.add(owner)
      }
    },
  }
}

const longestText = 4000
const slowMs = 100

/**
 * Whether long texts take so long that sending them would hold up everybody. Time is linear in the length of a text, but also
 * in the size of the program, and some patterns need all of it for every letter. A text that matches one pattern is searched
 * for each, so that each is timed.
 */
export function areSlow(patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false
  const each = patterns.map(compile)
  const any = compile(patterns.map((pattern) => `(?:${pattern})`).join('|'))
  const own = [...new Set(patterns.join('').replaceAll(/[^\p{L}\p{N}]/gu, ''))]
  const alphabets = [own, [...own, ...'etaoin shrdlu'], ['a'], ['a', 'b']].filter((letters) => letters.length > 0)
  const timed = (letters: readonly string[]) => {
    const text = Array.from({ length: longestText }, () => letters[Math.floor(Math.random() * letters.length)]).join('')
    // Processor time, as other work of the machine does not change it.
    const before = process.cpuUsage()
    for (const pattern of [any, ...each]) pattern.test(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  // A second look, as the first one also warms up.
  return alphabets.some((letters) => timed(letters) > slowMs && timed(letters) > slowMs)
}
