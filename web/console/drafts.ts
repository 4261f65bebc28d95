import { useRef, useState } from 'react'
import { useStaff } from './staff.tsx'

/** The forms that somebody began to fill in, by the id of what they are about. They last until the tab is closed. */
type Drafts<Draft> = Map<string, Draft>

/** The key of a draft of this user. Somebody else may sign in on the same page. */
export function useDraftKey(): (about: string) => string {
  const { id } = useStaff()
  return (about) => `${id} ${about}`
}

/** What a form for something new is about. */
export const aboutNew = 'new'

/** A form's values, which survive opening something else. `first` is what they are if nothing has been written. */
export function useDraft<Draft extends object>(
  drafts: Drafts<Draft>,
  about: string,
  first: Draft,
): [draft: Draft, change: (changed: Partial<Draft>) => void, forget: () => void] {
  const key = useDraftKey()(about)
  // What another version of the console has kept may lack a field.
  const [draft, setDraft] = useState<Draft>(() => ({ ...first, ...drafts.get(key) }))
  // What is written while an action runs stays when the action changes something else.
  const latest = useRef(draft)
  const change = (changed: Partial<Draft>) => {
    latest.current = { ...latest.current, ...changed }
    drafts.set(key, latest.current)
    setDraft(latest.current)
  }
  return [draft, change, () => void drafts.delete(key)]
}

/** Whether the form for something new is open. It is, if this user has left it with something written in it. */
export function useOpenForm<Draft>(drafts: Drafts<Draft>): [isOpen: boolean, set: (open: boolean) => void] {
  const key = useDraftKey()(aboutNew)
  return useState(() => drafts.has(key))
}
