import type { Draft } from './rule-form.ts'

let kept: ReadonlyMap<string, Draft> = new Map()
let ids: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

/** What has been written of rules and not been saved, by the id of the rule, or `new`. Looking at another rule does not lose it. */
export const drafts = {
  of: (id: string): Draft | undefined => kept.get(id),
  ids: () => ids,
  set(id: string, draft: Draft | null) {
    const next = new Map(kept)
    if (draft === null) next.delete(id)
    else next.set(id, draft)
    const isOther = next.size !== kept.size
    kept = next
    if (!isOther) return
    ids = new Set(kept.keys())
    listeners.forEach((listener) => listener())
  },
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}
