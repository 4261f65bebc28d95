import { type FieldError, Refusal } from '../../lib/refusal.ts'
import { asciiDomain, domainsIn } from './contacts.ts'
import { foldedWord, longestPhrase, mostOfOneForm, tooManyOfOneForm } from './words.ts'
import { examinePattern, largestPatterns } from './patterns.ts'
import type { Rule } from './store.ts'

export type RuleInput = Omit<Rule, 'id' | 'public_text' | 'scope'> & {
  public_text?: string | null
  scope?: Rule['scope'] | null
}

// Limits for all rules together, which every node compiles.
const mostRules = 200
const mostWords = 20_000

/** The facts about an author on which the scope of rules depends. */
export type Author = { created_at: number; verified: boolean }

export function inScope({ scope }: Pick<Rule, 'scope'>, author: Author, now: number): boolean {
  const { account_younger_than_h: hours, unverified } = scope
  if (hours != null && now - author.created_at >= hours * 3_600_000) return false
  return !(unverified === true && author.verified)
}

export const hasScope = ({ scope }: Pick<Rule, 'scope'>) =>
  scope.account_younger_than_h != null || scope.unverified === true

/** The contradictions and errors in a rule. Paths are JSON pointers into the rule. */
export function ruleProblems({ name, applies_to, match, action }: RuleInput): FieldError[] {
  const problems: FieldError[] = []
  const problem = (path: string, message: string, code: FieldError['code'] = 'not_allowed') =>
    problems.push({ path, code, message })
  const isOf = (subjects: readonly string[]) => applies_to.every((subject) => subjects.includes(subject))
  // A message that is held by this name alone arrives once its image is checked.
  if (name.trim() === imageCheckName) problem('/name', 'Expected another name: this one stands for your own checker')
  if (action === 'note' && !isOf(['message', 'first_message']))
    problem('/action', 'Expected refuse or flag, unless the rule applies to messages alone')
  // A profile or a review has no recipient from whom it could be held back.
  if (action === 'hold' && !isOf(['message', 'first_message']))
    problem('/action', 'Expected refuse or flag: only messages can be held')
  if (match.type !== 'image' && applies_to.includes('photo'))
    problem('/applies_to', 'Expected no photo, unless the rule is about images')
  switch (match.type) {
    case 'words':
      for (const [i, word] of match.words.entries()) {
        const folded = foldedWord(word)
        if (folded === '') problem(`/match/words/${i}`, 'Expected a word of two letters or more', 'too_short')
        if (folded.split(' ').length > longestPhrase)
          problem(`/match/words/${i}`, `Expected a phrase of up to ${longestPhrase} words`, 'too_long')
      }
      break
    case 'pattern': {
      const examined = examinePattern(match.pattern)
      if ('message' in examined)
        problem(
          '/match/pattern',
          `Expected RE2 syntax${examined.at === null ? '' : `, at character ${examined.at}`}: ${examined.message}`,
          'format',
        )
      break
    }
    case 'repeated':
      if (!isOf(['first_message'])) problem('/applies_to', 'Expected first_message alone for repeated texts')
      break
    case 'image':
      if (!isOf(['message', 'first_message', 'photo']))
        problem('/applies_to', 'Expected messages and photos alone for images')
      break
    case 'link':
      for (const [i, domain] of match.domains?.entries() ?? [])
        if (!domainsIn(domain).has(asciiDomain(domain)))
          problem(
            `/match/domains/${i}`,
            'Expected a domain, such as example.com, which includes its subdomains',
            'format',
          )
      break
    case 'contact':
      break
  }
  return problems.slice(0, 20)
}

/** Why a set of valid rules is too large to apply to every message; null if it is not. */
export function setProblem(rules: readonly RuleInput[]): string | null {
  if (rules.length > mostRules) return `Expected up to ${mostRules} rules in all`
  const words = rules.reduce((sum, { match }) => sum + (match.type === 'words' ? match.words.length : 0), 0)
  if (words > mostWords) return `Expected up to ${mostWords} words in all rules together`
  const similar = tooManyOfOneForm(rules.flatMap(({ match }) => (match.type === 'words' ? match.words : [])))
  if (similar !== null)
    return `Expected up to ${mostOfOneForm} words that differ in repeated letters alone, such as ${similar.slice(0, 2).join(' and ')}`
  let size = 0
  for (const { match } of rules) {
    if (match.type !== 'pattern') continue
    const examined = examinePattern(match.pattern)
    if ('size' in examined) size += examined.size
  }
  return size > largestPatterns ? 'The patterns of all rules together are too large: repeat less, or remove some' : null
}

/** Refuses with 422 `validation_failed` if there are problems. */
export function refuseProblems(problems: readonly FieldError[]) {
  if (problems.length > 0)
    throw new Refusal('validation_failed', 'The request does not fit what this endpoint takes.', [...problems])
}

/** Stands for the rule's name if the operator's checker holds or flags an image. */
export const imageCheckName = 'Image check'
