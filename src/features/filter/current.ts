import { openCurrent } from '../../lib/current.ts'
import { compileRules } from './matcher.ts'
import type { FilterStore, Rule } from './store.ts'

export type CurrentRules = ReturnType<typeof openCurrentRules>

/** The rules in force on this node, compiled once for each version. */
export function openCurrentRules({ store, now }: { store: Pick<FilterStore, 'newest' | 'rules'>; now: () => number }) {
  /** The newest version, which may not be in force on this node yet. */
  const newest = async (): Promise<{ version: number; rules: readonly Rule[] }> =>
    (await store.rules()) ?? { version: 0, rules: (await import('./start-set.ts')).startSet }

  const { current, forget } = openCurrent({
    newest: store.newest,
    async load() {
      // Without the start set: its rules are off, and loading it takes 35 ms, which would delay a start or a message.
      const { version, rules } = (await store.rules()) ?? { version: 0, rules: [] }
      return { version, compiled: compileRules(rules.filter(({ on }) => on)) }
    },
    now,
  })
  return { newest, current, forget }
}
