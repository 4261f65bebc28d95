import type { Edited } from './rule-form.ts'

let kept: ReadonlyMap<string, Edited> = new Map()
let keys: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

/** Unsaved changes of rules, by `useDraftKey` of the rule's id or `new`. They survive opening another rule. */
export const drafts = {
  of: (key: string): Edited | undefined => kept.get(key),
  keys: () => keys,
  set(key: string, edited: Edited | null) {
    const next = new Map(kept)
    if (edited === null) next.delete(key)
    else next.set(key, edited)
    const keysChanged = next.size !== kept.size
    kept = next
    if (!keysChanged) return
    keys = new Set(kept.keys())
    listeners.forEach((listener) => listener())
  },
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
