import { hasLink } from '../chats/links.ts'
import { asciiDomain, type ContactKind, contactKinds, domainsIn, hasContact } from './contacts.ts'
import { fold } from './fold.ts'
import { indexPatterns } from './patterns.ts'
import type { Rule, RuleSubject } from './store.ts'
import { ruleSubjects } from './store.ts'
import { indexWords } from './words.ts'
import { recordOf } from '../../lib/record.ts'

/**
 * Finds the rules whose words, pattern, link or contact a text contains. The rules in `repeated` need a count as well, and
 * those in `images` the image bank.
 */
export type Matcher = {
  matching(text: string): Rule[]
  /** The rules that messages match which are read one after the other, with and without spaces between them. */
  matchingTogether(texts: readonly string[]): Rule[]
  readonly repeated: readonly Rule[]
  readonly images: readonly Rule[]
  readonly isEmpty: boolean
}

type Match = Rule['match']
const isOf = <Type extends Match['type']>(match: Match, type: Type): match is Extract<Match, { type: Type }> =>
  match.type === type

const ofType = <Type extends Match['type']>(rules: readonly Rule[], type: Type) =>
  rules.flatMap((rule) => {
    const { match } = rule
    return isOf(match, type) ? [{ rule, match }] : []
  })

export function openMatcher(rules: readonly Rule[]): Matcher {
  const words = indexWords(ofType(rules, 'words').map(({ rule, match }) => ({ owner: rule, words: match.words })))
  const patterns = indexPatterns(
    ofType(rules, 'pattern').map(({ rule, match }) => ({ owner: rule, pattern: match.pattern })),
  )
  const hasPatterns = rules.some(({ match }) => match.type === 'pattern')
  const links = ofType(rules, 'link')
  const anyLink = links.filter(({ match }) => !match.domains?.length)
  const domains = Map.groupBy(
    links.flatMap(({ rule, match }) => (match.domains ?? []).map((domain) => ({ rule, domain: asciiDomain(domain) }))),
    ({ domain }) => domain,
  )
  const contacts = Map.groupBy(
    ofType(rules, 'contact').flatMap(({ rule, match }) =>
      (match.kinds?.length ? match.kinds : contactKinds).map((kind) => ({ rule, kind })),
    ),
    ({ kind }) => kind,
  )

  function find(text: string, kinds: readonly ContactKind[] = contactKinds): Set<Rule> {
    const folded = fold(text)
    const found = words.find(folded)
    // Patterns match the text as it is written, or in its folded form.
    if (hasPatterns) patterns.find(isFolded(text, folded) ? [text] : [text, folded], found)
    // Computed once for all rules.
    if (anyLink.length > 0 && hasLink(text)) for (const { rule } of anyLink) found.add(rule)
    if (domains.size > 0)
      for (const domain of domainsIn(text)) for (const { rule } of domains.get(domain) ?? []) found.add(rule)
    for (const kind of kinds) {
      const asked = contacts.get(kind)
      if (asked && hasContact(text, [kind])) for (const { rule } of asked) found.add(rule)
    }
    return found
  }

  return {
    repeated: rules.filter(({ match }) => match.type === 'repeated'),
    images: rules.filter(({ match }) => match.type === 'image'),
    isEmpty: rules.length === 0,
    matching(text) {
      const found = find(text)
      return found.size === 0 ? [] : rules.filter((rule) => found.has(rule))
    },
    matchingTogether(texts) {
      // A phone number may have spaces. Without one, the time 19:30 and the date 2026-11-27 would make a number.
      const found = find(texts.join(' ')).union(find(texts.join(''), ['email', 'payment']))
      return found.size === 0 ? [] : rules.filter((rule) => found.has(rule))
    },
  }
}

/** Whether the folded text differs from the text only by case, which patterns ignore. */
const isFolded = (text: string, folded: string) => folded.length === text.length && folded === text.toLowerCase()

/** One matcher for each subject of rules. */
export type CompiledRules = Record<RuleSubject, Matcher>

export function compileRules(rules: readonly Rule[]): CompiledRules {
  return recordOf(ruleSubjects, (subject) =>
    openMatcher(rules.filter(({ applies_to }) => applies_to.includes(subject))),
  )
}
