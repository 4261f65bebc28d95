import { keptDrafts } from '../../shared/kept-drafts.ts'
import type { Edited } from './rule-form.ts'

const kept = keptDrafts<Edited>('rules')
let keys: ReadonlySet<string> = new Set(kept.keys())
const listeners = new Set<() => void>()

/** Unsaved changes of rules, by `useDraftKey` of the rule's id or `new`. They survive opening another rule. */
export const drafts = {
  of: (key: string): Edited | undefined => kept.get(key),
  keys: () => keys,
  set(key: string, edited: Edited | null) {
    if (edited === null) kept.delete(key)
    else kept.set(key, edited)
    if (kept.size === keys.size) return
    keys = new Set(kept.keys())
    listeners.forEach((listener) => listener())
  },
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
