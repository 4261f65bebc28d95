import { openCurrentRules } from './current.ts'
import { type EditingDeps, ruleEditing } from './editing.ts'
import type { FilterStore } from './store.ts'
import { type VerdictDeps, verdicts } from './verdicts.ts'

export type Filter = ReturnType<typeof filterService>

type Deps = Omit<EditingDeps & VerdictDeps, 'store' | 'rules'> & { store: FilterStore }

/** The operator's rules about what people write. They are kept in versions, and every node applies the newest one. */
export function filterService(deps: Deps) {
  const rules = openCurrentRules(deps)
  return {
    /** Call this when another node has, or may have, changed the rules. */
    forget: rules.forget,

    ...verdicts({ ...deps, rules }),
    ...ruleEditing({ ...deps, rules }),
  }
}
