/** Loaded at the first pattern, because most communities have none. */
const re2 = (): typeof import('re2js') => require('re2js')

/** Limits for the instructions of one compiled pattern, and of all. A match takes at most these times the text's length. */
const largestPattern = 1000
export const largestPatterns = 5000

/** Why a pattern is refused. `at` is the number of the faulty character, counted from 1. */
type PatternProblem = { message: string; at: number | null }

function compile(pattern: string) {
  const { RE2JS } = re2()
  return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
}

/** The size of a pattern's program, or why it is refused. */
export function examinePattern(pattern: string): { size: number } | PatternProblem {
  const { RE2JSException, RE2JSSyntaxException } = re2()
  try {
    const compiled = compile(pattern)
    // All patterns are also compiled into one, in which two groups could have the same name.
    if (Object.keys(compiled.namedGroups()).length > 0)
      return { message: 'groups must not be named', at: pattern.search(/\(\?P?</) + 1 || null }
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

type PatternIndex<Owner> = {
  /** Adds the owners of the patterns that one of the texts matches. */
  find(texts: readonly string[], found: Set<Owner>): void
}

/** Compiles the patterns. A text that matches none of them is searched only once. */
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
 * Whether matching a long text would block the event loop for too long. The time is linear in the length of the text, but also
 * in the size of the program, and some patterns need all of it for every letter. Each pattern is timed, because a text that
 * matches one is searched for each.
 */
export function areSlow(patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false
  const each = patterns.map(compile)
  const any = compile(patterns.map((pattern) => `(?:${pattern})`).join('|'))
  const own = [...new Set(patterns.join('').replaceAll(/[^\p{L}\p{N}]/gu, ''))]
  const alphabets = [own, [...own, ...'etaoin shrdlu'], ['a'], ['a', 'b']].filter((letters) => letters.length > 0)
  const timed = (letters: readonly string[]) => {
    const text = Array.from({ length: longestText }, () => letters[Math.floor(Math.random() * letters.length)]).join('')
    // CPU time, which does not depend on other work of the machine.
    const before = process.cpuUsage()
    for (const pattern of [any, ...each]) pattern.test(text)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  // Measured twice, because the first time includes the warm-up.
  return alphabets.some((letters) => timed(letters) > slowMs && timed(letters) > slowMs)
}
