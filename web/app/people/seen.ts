import type { Presence } from 'convene-client'
import { dayOf, timeOf } from '../../shared/dates.ts'
import type { T } from '../language.tsx'

/** "Online", or when somebody was last seen; null if that is not known. */
export function seenText(t: T, language: string, { online, lastSeenAt }: Presence): string | null {
  if (online) return t('people.online')
  if (lastSeenAt === null) return null
  const at = new Date(lastSeenAt)
  return t('people.lastSeen', { day: dayOf(language, at, new Date()), time: timeOf(language, at) })
}
