import { openCurrent } from '../../lib/current.ts'
import { compileRules } from './matcher.ts'
import type { FilterStore, Rule } from './store.ts'

export type CurrentRules = ReturnType<typeof openCurrentRules>

/** The rules that decide on this node, compiled once for each version. */
export function openCurrentRules({ store, now }: { store: Pick<FilterStore, 'newest' | 'rules'>; now: () => number }) {
  /** The newest version, whether it is in force here yet or not. */
  const newest = async (): Promise<{ version: number; rules: readonly Rule[] }> =>
    (await store.rules()) ?? { version: 0, rules: (await import('./start-set.ts')).startSet }

  const { current, forget } = openCurrent({
    newest: store.newest,
    async load() {
      // The rules of the start set are off, and loading them takes 35 ms: no start and no message waits for them.
      const { version, rules } = (await store.rules()) ?? { version: 0, rules: [] }
      return { version, compiled: compileRules(rules.filter(({ on }) => on)) }
    },
    now,
  })
  return { newest, current, forget }
}
