import type { ChannelKind, ChannelTargets } from '../../outbox/push.ts'
import type { NewParcel, Occasion } from '../../outbox/store.ts'
import type { Message } from '../chats/store.ts'
import type { NotificationPreferences } from './rules.ts'

/** Where somebody gets notifications: a device, or their chat with the bot. */
export type Channel<K extends ChannelKind = ChannelKind> = {
  id: string
  user_id: string
  /** Whose end removes it. */
  session_id: string
  kind: K
  target: ChannelTargets[K]
  /** The same device has the same one, whatever its keys are. */
  target_hash: string
  label: string
  created_at: number
  last_delivered_at: number | null
  failing_since: number | null
}

/** Sessions that began or were last used before are over. */
export type Lasting = { began: number; lastUsed: number }

/** What a device shows. */
export type Shown = {
  channel_id: string
  tag: string
  ref: string
  content_hash: string
  shown: string | null
  at: number
}

/** An account as notifications see it. */
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

/** A chat as one member has it. */
export type ChatState = {
  other: { name: string | null; erased: boolean; suspended_until: number | null }
  blocked: boolean
  muted_until: number | null
  /** The newest message of the other one that is unread and not deleted. */
  newest: Pick<Message, 'id' | 'kind' | 'text'> | null
  is_empty: boolean
}

/** Somebody whose digest may be due. `unread` is of chats that are neither muted nor blocked. */
export type DigestCandidate = { user_id: string; email: string; language: string; messages: number; chats: number }

export type NotificationStore = {
  preferences(userId: string): Promise<NotificationPreferences>
  /** False if the account is erased. */
  savePreferences(userId: string, preferences: NotificationPreferences): Promise<boolean>
  /** Switches the digest off, whoever asks. */
  endDigest(userId: string): Promise<void>

  /** Sets until when a member has muted a chat; null for no more. */
  mute(chatId: string, userId: string, until: number | null): Promise<void>
  /** The chats that a user has muted, whether the time is over or not. */
  mutes(userId: string): Promise<{ chat_id: string; until: number }[]>

  /** A user's channels whose sessions last, oldest first. */
  channels(userId: string, lasting: Lasting): Promise<Channel[]>
  /** All channels that are stored of a user. */
  channelsStored(userId: string): Promise<Channel[]>
  /** One channel, if its session lasts. */
  channel(id: string, lasting: Lasting): Promise<Channel | null>
  /**
   * Adds a channel, or gives one for the same device to this session. The device is nobody else's from now on. Refused
   * where the user has `limit` others, or their session has ended.
   */
  addChannel(
    channel: Channel,
    lasting: Lasting,
    limit: number,
  ): Promise<{ channel: Channel; created: boolean } | 'too_many' | 'no_session'>
  removeChannel(id: string, userId?: string): Promise<boolean>
  /** Removes up to `limit` channels whose sessions are over, and what is shown since before then. Returns how many rows. */
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
  /** A device has shown something, or, with null, answered without keeping anything. */
  delivered(channel: Pick<Channel, 'id' | 'user_id'>, at: number, shown: Shown | null): Promise<void>
  forgetShown(channelId: string, tag: string): Promise<void>
  /** A delivery to a channel has failed. */
  failing(channelId: string, at: number): Promise<void>

  /** Whose digest may be due, after that user: unread since before `unreadBefore`, and something of it since their last one. */
  digests(
    when: { now: number; unreadBefore: number; lastBefore: number },
    after: string,
    limit: number,
  ): Promise<{ candidates: DigestCandidate[]; last: string | null }>
  /** Puts a digest into the outbox and notes its time, unless another node has, or the user no longer wants one. */
  sendDigest(userId: string, now: number, lastBefore: number, mail: NewParcel<'mail'>): Promise<boolean>
}

/** Asks for a notification, in the transaction that causes it. */
export type Asked = { id: string; user_id: string; occasion: Occasion; at: number; due_at: number }
