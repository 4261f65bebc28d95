import type { Presence } from 'convene-client'
import { dayOf, timeOf } from '../../shared/dates.ts'
import { useLanguage } from '../language.tsx'
import { useToday } from '../today.ts'

/** "Online", or when somebody was last seen; null if that is not known. */
export function useSeenText({ online, lastSeenAt }: Presence): string | null {
  const { t, language } = useLanguage()
  const now = useToday()
  if (online) return t('people.online')
  if (lastSeenAt === null) return null
  const at = new Date(lastSeenAt)
  return t('people.lastSeen', { day: dayOf(language, at, now), time: timeOf(language, at) })
}
