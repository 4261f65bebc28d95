import type { Presence } from 'convene-client'
import { useConnection, usePresence } from 'convene-client/react'
import { dayOf, timeOf } from '../../shared/dates.ts'
import { useLanguage } from '../language.tsx'
import { useToday } from '../today.ts'

const unknown: Presence = { online: false, lastSeenAt: null }

/** Whether somebody is online. Without a connection that is not known: the last frame may be old. */
export function useCurrentPresence(userId: string): Presence {
  const presence = usePresence(userId)
  const isConnected = useConnection(({ state }) => state === 'online')
  return isConnected ? presence : unknown
}

/** "Online", or when somebody was last seen; null if that is not known. */
export function useSeenText({ online, lastSeenAt }: Presence): string | null {
  const { t, language } = useLanguage()
  const now = useToday()
  if (online) return t('people.online')
  if (lastSeenAt === null) return null
  const at = new Date(lastSeenAt)
  return t('people.lastSeen', { day: dayOf(language, at, now), time: timeOf(language, at) })
}
