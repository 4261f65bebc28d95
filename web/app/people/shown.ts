import { useSession } from 'convene-client/react'
import { useNearbyState } from './nearby-store.ts'

/**
 * Whether others find the user nearby, and if not, why: the user is hiding, is hidden by reports, or has shared no place.
 * `consents`: the user is hidden if they have withdrawn a consent, but not if a text is only newer than theirs; the server does
 * not say which. `unknown` until it is known whether a place was shared.
 */
export type Shown = 'shown' | 'hiding' | 'reports' | 'nowhere' | 'consents' | 'unknown'

export function useShown(): Shown {
  const isVisible = useVisible()
  const isReported = useSession(({ user }) => user?.hidden != null)
  const isMissing = useSession(({ user }) => (user?.consents_missing.length ?? 0) > 0)
  const place = useNearbyState(({ place }) => place)
  if (!isVisible) return 'hiding'
  if (isReported) return 'reports'
  if (typeof place === 'string') return place === 'none' ? 'nowhere' : 'unknown'
  return isMissing ? 'consents' : 'shown'
}

/** Whether the user wants to be found, as chosen just now or as the server has it. */
export function useVisible(): boolean {
  const chosen = useNearbyState(({ visible }) => visible)
  const stored = useSession(({ user }) => user?.visible === true)
  return chosen ?? stored
}
