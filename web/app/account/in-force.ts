import type { components } from 'convene-client'

type Notice = Pick<components['schemas']['Notice'], 'action' | 'appeal' | 'until'>

/**
 * The suspension that is in force, according to the user's notices, the newest first; `over` if it has ended, was lifted or was
 * overturned; null if the notices say nothing about one. A newer suspension replaces the one before.
 */
export function suspensionOf<N extends Notice>(notices: readonly N[], now: number): N | 'over' | null {
  const newest = notices.find(({ action }) => action === 'suspend' || action === 'unsuspend')
  if (!newest) return null
  const hasEnded = newest.until !== null && Date.parse(newest.until) <= now
  return newest.action === 'unsuspend' || newest.appeal?.status === 'upheld' || hasEnded ? 'over' : newest
}
