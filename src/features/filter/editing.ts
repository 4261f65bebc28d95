import type { Ids } from '../../lib/ids.ts'
import type { Page, Paging } from '../../lib/paging.ts'
import { Refusal } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso } from '../../lib/time.ts'
import type { Nodes } from '../../realtime/nodes.ts'
import type { Audit } from '../audit/service.ts'
import type { CurrentRules } from './current.ts'
import { compileRules } from './matcher.ts'
import { areSlow } from './patterns.ts'
import { refuseProblems, type RuleInput, ruleProblems, setProblem } from './rules.ts'
import type { FilterStore, Rule, RuleSubject, RuleVersion } from './store.ts'

export type EditingDeps = {
  store: Pick<FilterStore, 'add' | 'versions'>
  rules: Pick<CurrentRules, 'newest' | 'forget'>
  nodes: Pick<Nodes, 'rulesChanged'> | null
  audit: Audit
  paging: Paging
  ids: Ids
  now: () => number
}

type Admin = { id: string | null }

const keptVersions = 50
const attempts = 5

/** Lets admins read and change the rules. Each change makes a version. */
export function ruleEditing({ store, rules: { newest, forget }, nodes, audit, paging, ids, now }: EditingDeps) {
  const { keyOf, pageOf, pageOfAll } = paging

  /** Applies a change to the newest rules. If a concurrent change is faster, applies this one to its outcome. */
  async function change(
    admin: Admin,
    kind: RuleVersion['change'],
    apply: (rules: readonly Rule[]) => { rules: Rule[]; rule: Rule | null },
  ): Promise<Rule | null> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const before = await newest()
      const { rules, rule } = apply(before.rules)
      const problem = setProblem(rules) ?? slowProblem(rules)
      if (problem !== null) refuseProblems([{ path: '/match', code: 'out_of_range', message: problem }])
      const version = before.version + 1
      const about = { version, ...(rule === null ? { rules: rules.length } : { rule_id: rule.id, name: rule.name }) }
      const entry = audit.entry(`rule_${kind}`, admin.id, null, about)
      const row = {
        version,
        change: kind,
        rule_id: rule?.id ?? null,
        rule_count: rules.length,
        actor_id: admin.id,
        at: now(),
      }
      if (!(await store.add(row, rules, entry, keptVersions))) continue
      forget()
      await nodes?.rulesChanged()
      return rule
    }
    throw new Refusal('conflict', 'The rules are being changed by others: look at them again.')
  }

  const indexOf = (rules: readonly Rule[], id: string) => {
    const index = rules.findIndex((rule) => rule.id === id)
    if (index < 0) throw new Refusal('not_found', 'There is no such rule.')
    return index
  }

  return {
    async list(page: Page = {}) {
      const { version, rules } = await newest()
      return { version, ...pageOfAll('rules', rules, page, ruleView) }
    },

    async add(admin: Admin, input: RuleInput) {
      refuseProblems(ruleProblems(input))
      const rule = tidied({ ...input, id: ids.next() })
      await change(admin, 'created', (rules) => ({ rules: [...rules, rule], rule }))
      return ruleView(rule)
    },

    async replace(admin: Admin, id: string, input: RuleInput) {
      refuseProblems(ruleProblems(input))
      const rule = tidied({ ...input, id })
      await change(admin, 'changed', (rules) => ({ rules: rules.with(indexOf(rules, id), rule), rule }))
      return ruleView(rule)
    },

    async remove(admin: Admin, id: string): Promise<void> {
      await change(admin, 'deleted', (rules) => {
        const rule = rules[indexOf(rules, id)] ?? null
        return { rules: rules.filter((other) => other.id !== id), rule }
      })
    },

    /** Replaces all rules. Given ids are kept. */
    async replaceAll(admin: Admin, inputs: readonly (RuleInput & { id?: string | null })[]): Promise<number> {
      const seen = new Set<string>()
      const problems = inputs.flatMap((input, i) => {
        const isRepeated = input.id != null && seen.has(input.id)
        if (input.id != null) seen.add(input.id)
        return [
          ...(isRepeated ? [{ path: '/id', code: 'duplicate' as const, message: 'Expected each id once' }] : []),
          ...ruleProblems(input),
        ].map(({ path, ...rest }) => ({ path: `/rules/${i}${path}`, ...rest }))
      })
      refuseProblems(problems.slice(0, 20))
      const rules = inputs.map((input) => tidied({ ...input, id: input.id ?? ids.next() }))
      await change(admin, 'imported', () => ({ rules, rule: null }))
      return rules.length
    },

    /** Newest first, without their rules. */
    async versions({ limit = 30, cursor }: Page) {
      const below = keyOf('rule-versions', cursor, ['number'])?.[0] ?? Number.MAX_SAFE_INTEGER
      const rows = await store.versions(below, limit + 1)
      return pageOf(
        'rule-versions',
        rows,
        limit,
        ({ version }) => [version],
        ({ at, ...rest }) => ({ ...rest, at: iso(at) }),
      )
    },

    /** Which rules a text matches, on or off. Ignores scopes and rules about repeated texts. */
    async trial({ text, applies_to }: { text: string; applies_to: RuleSubject }) {
      const { version, rules } = await newest()
      const { [applies_to]: matcher } = compileRules(rules)
      const matches = matcher.matching(text).map(({ id, name, on, action, match, public_text }) => ({
        ...{ id, name, on, action, public_text },
        type: match.type,
      }))
      return { version, matches }
    },
  }
}

const slowProblem = (rules: readonly RuleInput[]) =>
  areSlow(rules.flatMap(({ match }) => (match.type === 'pattern' ? [match.pattern] : [])))
    ? 'The patterns of all rules together take too long: repeat less'
    : null

const tidied = (rule: RuleInput & { id: string }): Rule => {
  const { id, name, on, applies_to, match, action, scope } = rule
  const public_text = tidy(rule.public_text ?? '') || null
  return {
    id,
    name: name.trim(),
    on,
    applies_to: [...new Set(applies_to)],
    match: tidiedMatch(match),
    action,
    public_text,
    scope: scope ?? {},
  }
}

function tidiedMatch(match: Rule['match']): Rule['match'] {
  switch (match.type) {
    case 'words':
      return { ...match, words: [...new Set(match.words.map((word) => word.trim()))] }
    case 'link':
      return { ...match, domains: match.domains?.map((domain) => domain.toLowerCase()) ?? null }
    case 'contact':
      return { ...match, kinds: match.kinds ?? null }
    case 'image':
      return { ...match, distance: match.distance ?? null }
    case 'pattern':
    case 'repeated':
      return match
  }
}

const ruleView = ({ scope, ...rule }: Rule) => ({
  ...rule,
  scope: {
    account_younger_than_h: scope.account_younger_than_h ?? null,
    unverified: scope.unverified ?? false,
  },
})
