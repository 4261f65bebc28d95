import type { Edited } from './rule-form.ts'

let kept: ReadonlyMap<string, Edited> = new Map()
let ids: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

/** Unsaved changes of rules, by the id of the rule or `new`. They survive opening another rule. */
export const drafts = {
  of: (id: string): Edited | undefined => kept.get(id),
  ids: () => ids,
  set(id: string, edited: Edited | null) {
    const next = new Map(kept)
    if (edited === null) next.delete(id)
    else next.set(id, edited)
    const idsChanged = next.size !== kept.size
    kept = next
    if (!idsChanged) return
    ids = new Set(kept.keys())
    listeners.forEach((listener) => listener())
  },
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
