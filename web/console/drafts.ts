import { useState } from 'react'
import { useStaff } from './staff.tsx'

/** The forms that somebody began to fill in, by the id of what they are about. They last until the page is closed. */
export type Drafts<Draft> = Map<string, Draft>

/** The key of a draft of this user. Somebody else may sign in on the same page. */
export function useDraftKey(): (about: string) => string {
  const { id } = useStaff()
  return (about) => `${id} ${about}`
}

/** A form's values, which survive opening something else. `first` is what they are if nothing has been written. */
export function useDraft<Draft>(
  drafts: Drafts<Draft>,
  about: string,
  first: Draft,
): [draft: Draft, change: (changed: Partial<Draft>) => void] {
  const key = useDraftKey()(about)
  const [draft, setDraft] = useState(() => drafts.get(key) ?? first)
  const change = (changed: Partial<Draft>) => {
    const next = { ...draft, ...changed }
    drafts.set(key, next)
    setDraft(next)
  }
  return [draft, change]
}
