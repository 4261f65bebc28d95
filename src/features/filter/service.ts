import { openCurrentRules } from './current.ts'
import { type EditingDeps, ruleEditing } from './editing.ts'
import type { FilterStore } from './store.ts'
import { type VerdictDeps, verdicts } from './verdicts.ts'

export type Filter = ReturnType<typeof filterService>

type Deps = Omit<EditingDeps & VerdictDeps, 'store' | 'rules'> & { store: FilterStore }

/** The operator's rules about what people write: kept in versions, and decided on every node by the newest one. */
export function filterService(deps: Deps) {
  const rules = openCurrentRules(deps)
  return {
    /** Another node has changed the rules, or may have. */
    forget: rules.forget,

    ...verdicts({ ...deps, rules }),
    ...ruleEditing({ ...deps, rules }),
  }
}
