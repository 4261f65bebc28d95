import type { ChannelKind, ChannelTargets } from '../../outbox/push.ts'
import type { NewParcel, Occasion } from '../../outbox/store.ts'
import type { Message } from '../chats/store.ts'
import type { NotificationPreferences, PreferencesChange } from './rules.ts'

/** A device of a user, or their chat with the bot. */
export type Channel<K extends ChannelKind = ChannelKind> = {
  id: string
  user_id: string
  /** The session whose end removes the channel. */
  session_id: string
  kind: K
  target: ChannelTargets[K]
  /** A hash of the device's address, which does not depend on its keys. */
  target_hash: string
  label: string
  created_at: number
  last_delivered_at: number | null
  failing_since: number | null
}

/** Sessions that began or were last used before these times are over. */
export type Lasting = { began: number; lastUsed: number }

/** A notification that a device shows. */
export type Shown = {
  channel_id: string
  tag: string
  ref: string
  content_hash: string
  shown: string | null
  at: number
}

/** The data of an account that notifications depend on. */
export type Account = {
  name: string | null
  erased: boolean
  suspended_until: number | null
  has_unverified_email: boolean
  role: 'user' | 'moderator' | 'admin'
  language: string
  messenger_id: string | null
  preferences: NotificationPreferences
}

/** A chat from one member's point of view. */
export type ChatState = {
  other: { name: string | null; erased: boolean; suspended_until: number | null }
  blocked: boolean
  muted_until: number | null
  /** The newest message of the other member that is unread and not deleted. */
  newest: Pick<Message, 'id' | 'kind' | 'text'> | null
  is_empty: boolean
}

/** A user whose digest may be due, and what is unread in chats that are neither muted nor blocked. */
export type DigestCandidate = { user_id: string; email: string; language: string; messages: number; chats: number }

export type NotificationStore = {
  preferences(userId: string): Promise<NotificationPreferences>
  /** Merges a change into what is stored (`changedPreferences`). Returns all preferences; null if the account is erased. */
  savePreferences(userId: string, change: PreferencesChange): Promise<NotificationPreferences | null>
  /** Switches the digest off. */
  endDigest(userId: string): Promise<void>

  /** Mutes a chat for a member until that time; null unmutes it. */
  mute(chatId: string, userId: string, until: number | null): Promise<void>
  /** The chats that a user has muted, including mutes that have ended. */
  mutes(userId: string): Promise<{ chat_id: string; until: number }[]>

  /** A user's channels whose sessions last, oldest first. */
  channels(userId: string, lasting: Lasting): Promise<Channel[]>
  /** All stored channels of a user. */
  channelsStored(userId: string): Promise<Channel[]>
  /** One channel, if its session lasts. */
  channel(id: string, lasting: Lasting): Promise<Channel | null>
  /**
   * Adds a channel, or moves the existing one for the same device to this session and user. Refused if the user has `limit`
   * others, or the session has ended.
   */
  addChannel(
    channel: Channel,
    lasting: Lasting,
    limit: number,
  ): Promise<{ channel: Channel; created: boolean } | 'too_many' | 'no_session'>
  removeChannel(id: string, userId?: string): Promise<boolean>
  /** Removes up to `limit` channels of ended sessions, and notifications shown before `shownBefore`. Returns how many rows. */
  removeOld(lasting: Lasting, shownBefore: number, limit: number): Promise<number>

  account(userId: string): Promise<Account | null>
  chat(chatId: string, userId: string): Promise<ChatState | null>
  hasReview(reviewId: string, userId: string): Promise<boolean>
  hasNotice(noticeId: string, userId: string): Promise<boolean>
  /** The open reports that a moderator may see. */
  openReports(moderatorId: string): Promise<{ count: number; oldest: number | null }>

  shown(channelId: string, tag: string): Promise<Shown | null>
  /** The channels of a user that show something with that tag. */
  shownFor(userId: string, tag: string): Promise<{ channel_id: string; at: number }[]>
  /** Records a delivery to a device, and what it shows now; null if it keeps nothing. */
  delivered(channel: Pick<Channel, 'id' | 'user_id'>, at: number, shown: Shown | null): Promise<void>
  forgetShown(channelId: string, tag: string): Promise<void>
  /** Records that a delivery to a channel has failed. */
  failing(channelId: string, at: number): Promise<void>

  /** Users whose digest may be due, after that user: they have unread messages from before `unreadBefore`, some of them new. */
  digests(
    when: { now: number; unreadBefore: number; lastBefore: number },
    after: string,
    limit: number,
  ): Promise<{ candidates: DigestCandidate[]; last: string | null }>
  /** Puts a digest into the outbox and records its time, unless another node has, or the user no longer wants one. */
  sendDigest(userId: string, now: number, lastBefore: number, mail: NewParcel<'mail'>): Promise<boolean>
}

/** A notification to put into the outbox, in the transaction that causes it. */
export type Asked = { id: string; user_id: string; occasion: Occasion; at: number; due_at: number }
