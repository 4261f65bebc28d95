import { hasLink } from '../chats/links.ts'
import { contactKinds, hasContact, namesDomain } from './contacts.ts'
import { fold } from './fold.ts'
import { indexPatterns } from './patterns.ts'
import type { Rule, RuleSubject } from './store.ts'
import { ruleSubjects } from './store.ts'
import { indexWords } from './words.ts'

/** Finds the rules whose words, pattern, link or contact a text has. Of `repeated` texts only a count can tell. */
export type Matcher = { matching(text: string): Rule[]; readonly repeated: readonly Rule[]; readonly isEmpty: boolean }

const ofType = <Type extends Rule['match']['type']>(rules: readonly Rule[], type: Type) =>
  rules.flatMap((rule) =>
    rule.match.type === type ? [{ rule, match: rule.match as Extract<Rule['match'], { type: Type }> }] : [],
  )

export function openMatcher(rules: readonly Rule[]): Matcher {
  const words = indexWords(ofType(rules, 'words').map(({ rule, match }) => ({ owner: rule, words: match.words })))
  const patterns = indexPatterns(
    ofType(rules, 'pattern').map(({ rule, match }) => ({ owner: rule, pattern: match.pattern })),
  )
  const hasPatterns = rules.some(({ match }) => match.type === 'pattern')
  const links = ofType(rules, 'link')
  const contacts = ofType(rules, 'contact')

  return {
    repeated: rules.filter(({ match }) => match.type === 'repeated'),
    isEmpty: rules.length === 0,
    matching(text) {
      const folded = fold(text)
      const found = words.find(folded)
      // Patterns see the text as it is written, and as words see it.
      if (hasPatterns) patterns.find(isFolded(text, folded) ? [text] : [text, folded], found)
      for (const { rule, match } of links)
        if (match.domains?.length ? namesDomain(text, match.domains) : hasLink(text)) found.add(rule)
      for (const { rule, match } of contacts)
        if (hasContact(text, match.kinds?.length ? match.kinds : contactKinds)) found.add(rule)
      return found.size === 0 ? [] : rules.filter((rule) => found.has(rule))
    },
  }
}

/** Whether patterns, for which case does not matter, see nothing else in the folded text. */
const isFolded = (text: string, folded: string) => folded.length === text.length && folded === text.toLowerCase()

/** The rules compiled once for each thing that they apply to. */
export type CompiledRules = Record<RuleSubject, Matcher>

export function compileRules(rules: readonly Rule[]): CompiledRules {
  const of = (subject: RuleSubject) => openMatcher(rules.filter(({ applies_to }) => applies_to.includes(subject)))
  return Object.fromEntries(ruleSubjects.map((subject) => [subject, of(subject)])) as CompiledRules
}
