import { seconds } from '../../lib/time.ts'
import { type CompiledRules, compileRules } from './matcher.ts'
import { startSet } from './start-set.ts'
import type { FilterStore, Rule } from './store.ts'

type Known = { version: number; compiled: CompiledRules }

// The longest that a node may decide by rules that another node or the command line has changed, if it is not told.
const believedMs = 2 * seconds

/** The rules that decide on this node: read once, compiled once for each version, and looked for again every `believedMs`. */
export function openCurrentRules({ store, now }: { store: Pick<FilterStore, 'newest' | 'rules'>; now: () => number }) {
  let known: Known | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  // Counts the times that something changed: a look-up that began before must not be believed after.
  let epoch = 0
  let loading: Promise<Known> | null = null

  /** The newest version, whether it is in force here yet or not. */
  const newest = async (): Promise<{ version: number; rules: readonly Rule[] }> =>
    (await store.rules()) ?? { version: 0, rules: startSet }

  async function load(): Promise<Known> {
    const began = epoch
    const at = now()
    let found = known
    if (found === null || (await store.newest()) !== found.version) {
      const { version, rules } = await newest()
      found = { version, compiled: compileRules(rules.filter(({ on }) => on)) }
    }
    if (began === epoch) {
      known = found
      checkedAt = at
    }
    return found
  }

  return {
    newest,

    /** The newest rules, or those of at most `believedMs` ago. No promise where nothing has to be read. */
    current(): Known | Promise<Known> {
      const age = now() - checkedAt
      if (known !== null && age >= 0 && age < believedMs) return known
      if (loading !== null) return loading
      const started = load().finally(() => {
        if (loading === started) loading = null
      })
      return (loading = started)
    },

    /** The rules have changed, or may have. */
    forget() {
      epoch++
      checkedAt = Number.NEGATIVE_INFINITY
      loading = null
    },
  }
}
