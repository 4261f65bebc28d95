import { days, minutes } from '../../lib/time.ts'
import type { Occasion } from '../../outbox/store.ts'

export type Preview = 'none' | 'name' | 'full'

/** Minutes of the day in a time zone. Excludes `to`, which is less than `from` if the time spans midnight. */
export type Quiet = { from: number; to: number; time_zone: string }

export type NotificationPreferences = {
  messages: boolean
  chats: boolean
  reviews: boolean
  digest: 'off' | 'daily'
  preview: Preview
  quiet: Quiet | null
}

export const defaultPreferences: NotificationPreferences = {
  messages: true,
  chats: true,
  reviews: true,
  digest: 'off',
  preview: 'name',
  quiet: null,
}

/** A change of preferences. Absent fields keep their values. */
export type PreferencesChange = {
  [Name in Exclude<keyof NotificationPreferences, 'quiet'>]?: NotificationPreferences[Name] | null
} & { quiet?: Quiet | null }

/** The preferences after a change. `quiet` is the only one that null clears. */
export const changedPreferences = (
  before: NotificationPreferences,
  change: PreferencesChange,
): NotificationPreferences => ({
  messages: change.messages ?? before.messages,
  chats: change.chats ?? before.chats,
  reviews: change.reviews ?? before.reviews,
  digest: change.digest ?? before.digest,
  preview: change.preview ?? before.preview,
  quiet: change.quiet === undefined ? before.quiet : change.quiet,
})

export const channelsOfUser = 10

/** Whether an account may have one more channel besides its `others`. */
export const hasRoomForChannel = ({ others, limit }: { others: number; limit: number }): boolean => others < limit

/** The shortest time between two notifications of reports to a moderator. */
export const reportsEveryMs = 5 * minutes
/** How long a message has to be unread, since it arrived, before a digest counts it. */
export const digestAfterMs = 12 * 60 * minutes
export const digestEveryMs = days

/** The state that decides whether a user gets a digest. Times are milliseconds. */
export type DigestState = {
  digest: NotificationPreferences['digest']
  /** When the last one was sent. */
  digest_at: number | null
  email: string | null
  email_verified_at: number | null
  deleted_at: number | null
  suspended_until: number | null
  /** When the newest message arrived that came before `unreadBefore` and is unread; null if there is none. */
  newest: number | null
}

export const wantsDigest = ({ digest }: Pick<NotificationPreferences, 'digest'>): boolean => digest === 'daily'

/** Whether a digest may be sent again. `lastBefore`: the last one must be from then or earlier. */
export const isDigestDue = (state: Pick<DigestState, 'digest' | 'digest_at'>, lastBefore: number): boolean =>
  wantsDigest(state) && (state.digest_at ?? 0) <= lastBefore

/** The address that a digest goes to now; null if none is sent. */
export function digestAddress(
  state: DigestState,
  { now, unreadBefore, lastBefore }: { now: number; unreadBefore: number; lastBefore: number },
): string | null {
  const { email, email_verified_at, deleted_at, suspended_until, digest_at, newest } = state
  if (!isDigestDue(state, lastBefore) || newest === null) return null
  if (email === null || email_verified_at === null || deleted_at !== null || (suspended_until ?? 0) > now) return null
  // Messages of the last digest are counted again, but do not cause another one by themselves.
  const toldTo = digest_at === null ? 0 : digest_at - (now - unreadBefore)
  return newest > toldTo ? email : null
}

/** How long shown notifications are remembered, so that a device can be asked to take them back. */
export const shownForMs = 30 * days

const formats = new Map<string, Intl.DateTimeFormat | null>()
// Each takes some kilobytes.
const mostFormats = 1000

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  let format: Intl.DateTimeFormat | null = null
  try {
    if (/^[A-Za-z]/.test(timeZone))
      format = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  } catch {
    // Not a zone.
  }
  if (formats.size >= mostFormats) formats.clear()
  formats.set(timeZone, format)
  return format
}

/** Whether this server knows a time zone of the IANA database, such as `Europe/Berlin`. */
export const isTimeZone = (name: string): boolean => name.length <= 64 && formatOf(name) !== null

/** Minutes since midnight on the clocks of a time zone. */
function minuteOfDay(now: number, timeZone: string): number {
  const parts = formatOf(timeZone)?.formatToParts(now) ?? []
  const valueOf = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0)
  return valueOf('hour') * 60 + valueOf('minute')
}

/** Whether it is quiet time now, with the summer time of its zone. */
export function isQuiet(quiet: Quiet | null, now: number): boolean {
  // A zone that a later version of the database no longer has must not suppress notifications.
  if (quiet === null || !isTimeZone(quiet.time_zone)) return false
  const minute = minuteOfDay(now, quiet.time_zone)
  const { from, to } = quiet
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** `22:00` as minutes; null if it is not a time of day. */
export function minutesOf(time: string): number | null {
  const [, hours, rest] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(rest)
}

export const timeOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** The state of the user who may be notified. */
export type Recipient = {
  erased: boolean
  suspended: boolean
  /** The consents or the verified address that the user lacks, without which this server refuses most requests. */
  gate: 'consents' | 'email' | null
  preferences: NotificationPreferences
  /** A socket of theirs is in the foreground. */
  foreground: boolean
}

/** The chat from the recipient's point of view; null if they are not in it. */
export type ChatMoment = {
  blocked: boolean
  otherErased: boolean
  otherSuspended: boolean
  mutedUntil: number | null
  /** The newest message of the other member that is unread and not deleted. */
  newest: { id: string } | null
  /** Nobody has written in it yet. */
  isEmpty: boolean
} | null

export type Moment = { now: number; recipient: Recipient } & (
  | { about: 'message' | 'chat'; chat: ChatMoment }
  | { about: 'review' | 'notice'; exists: boolean }
  | { about: 'report'; open: number; isModerator: boolean }
)

/**
 * `take_back`: nothing may be shown, and devices that show it have to remove it. `leave`: nothing is sent, and what devices
 * show stays.
 */
export type Verdict = { show: Occasion['about'] } | 'take_back' | 'leave'

/**
 * Whether a user is notified now. It is decided when a notification is due, and again for each device right before it is sent.
 */
export function notificationVerdict(moment: Moment): Verdict {
  const { recipient, now } = moment
  const { erased, suspended, gate, preferences, foreground } = recipient
  // A request of theirs could not read it either.
  if (erased || gate === 'email') return 'take_back'
  if (moment.about === 'notice') return !moment.exists ? 'take_back' : foreground ? 'leave' : { show: 'notice' }
  if (suspended || gate !== null) return 'take_back'

  const isUnwelcome = foreground || isQuiet(preferences.quiet, now)
  switch (moment.about) {
    case 'review':
      if (!moment.exists) return 'take_back'
      return isUnwelcome || !preferences.reviews ? 'leave' : { show: 'review' }
    case 'report':
      if (!moment.isModerator || moment.open === 0) return 'take_back'
      return isUnwelcome ? 'leave' : { show: 'report' }
    case 'message':
    case 'chat': {
      const { chat } = moment
      if (chat === null || chat.blocked || chat.otherErased || chat.otherSuspended) return 'take_back'
      const isNewChat = moment.about === 'chat' && (chat.isEmpty || chat.newest !== null) && preferences.chats
      if (chat.newest === null && !(moment.about === 'chat' && chat.isEmpty)) return 'take_back'
      if (isUnwelcome || (chat.mutedUntil !== null && chat.mutedUntil > now)) return 'leave'
      if (chat.newest !== null && preferences.messages) return { show: 'message' }
      return isNewChat ? { show: 'chat' } : 'leave'
    }
  }
}

/** The tag by which a device replaces a notification: it shows one for each tag. At most 64 characters. */
export function tagOf(occasion: Occasion | { about: 'test' }): string {
  switch (occasion.about) {
    case 'message':
    case 'chat':
      return `chat_${occasion.chat_id}`
    case 'review':
      return `review_${occasion.review_id}`
    case 'notice':
      return `notice_${occasion.notice_id}`
    case 'report':
      return 'reports'
    case 'test':
      return 'test'
  }
}

export const slotOf = (userId: string, occasion: Occasion): string => `${userId} ${tagOf(occasion)}`
