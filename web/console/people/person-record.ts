import type { components } from 'convene-client'
import { useConvene } from 'convene-client/react'
import { useEffect, useSyncExternalStore } from 'react'
import { type Failure, outcomeOf } from '../requests.ts'

export type Person = components['schemas']['PersonRecord']
export const roles = ['user', 'moderator', 'admin'] as const
type State = { data: Person | null; failure: Failure | null }

/** Whether there is no such account any more. */
export const isGone = (failure: Failure): boolean => failure !== 'offline' && failure.code === 'not_found'

const nothing: State = { data: null, failure: null }
// The audit log records each read, so several parts of a screen share one.
let current: { id: string; state: State } | null = null
const listeners = new Set<() => void>()

function set(id: string, state: State) {
  if (current?.id !== id) return
  current = { id, state }
  listeners.forEach((listener) => listener())
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    // Do not keep a person's data longer than it is shown.
    if (listeners.size === 0) current = null
  }
}

/** Somebody's account as the caller may see it; null while it loads, and without an id. */
export function usePerson(id: string | null): State & { reload: () => Promise<void> } {
  const { api } = useConvene()
  const read = async (of: string) => {
    const { data, failure } = await outcomeOf(api.GET('/api/v1/admin/users/{id}', { params: { path: { id: of } } }))
    if (failure === null) return set(of, { data, failure })
    // What is known of an account that is erased by now is not shown any longer.
    const known = current?.id === of && !isGone(failure) ? current.state.data : null
    set(of, { data: known, failure })
  }
  const state = useSyncExternalStore(subscribe, () => (current !== null && current.id === id ? current.state : nothing))
  useEffect(() => {
    if (id === null || current?.id === id) return
    current = { id, state: nothing }
    void read(id)
  })
  return { ...state, reload: () => (id === null ? Promise.resolve() : read(id)) }
}
