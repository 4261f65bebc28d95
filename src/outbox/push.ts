import { Undeliverable } from './carrier.ts'

/** The address of one device, by kind of channel. It is secret: whoever has it can send to that device. */
export type ChannelTargets = {
  /** A Web Push subscription, as `PushSubscription.toJSON()` gives it. Keys are base64url. */
  webpush: { endpoint: string; keys: { p256dh: string; auth: string } }
  fcm: { token: string }
  /** `since` is when the device was registered, the last time: absent for one that an earlier release has stored. */
  apns: { token: string; since?: number }
  /** The chat with the bot, which is the user's id at the messenger. */
  telegram: { messenger_id: string }
}
export type ChannelKind = keyof ChannelTargets
export const channelKinds = ['webpush', 'fcm', 'apns', 'telegram'] as const satisfies readonly ChannelKind[]

/** What a device shows. It is made when it is delivered, from what the device's owner may read at that time. */
export type Notification = {
  kind: 'message' | 'chat' | 'review' | 'notice' | 'report' | 'test'
  /** A notification replaces an earlier one with the same tag, such as `chat_<id>`. At most 64 characters. */
  tag: string
  title: string
  body: string
  /** The chat that a tap opens; null to open the app. */
  chat_id: string | null
  /** How many messages the user has not read, over all chats. */
  unread: number
  language: 'en' | 'ru'
}

/** The provider no longer knows the device: the channel is removed. */
export class ChannelGone extends Undeliverable {}

/**
 * Sends to the devices of one kind. `show` and `takeBack` throw ChannelGone if the device is unknown, Undeliverable if another
 * attempt is useless, TryLater if the provider named a time, and anything else for a transient failure. No error message
 * contains a target or a text.
 */
export type PushSender<K extends ChannelKind> = {
  /** How many notifications are being sent at once. */
  atOnce: number
  /**
   * Shows a notification. Returns what `takeBack` and the next `show` with the same tag need to change it, such as the id of
   * the bot's message; null if the provider replaces by tag. `replaces` is what the last `show` with this tag returned.
   */
  show(target: ChannelTargets[K], notification: Notification, replaces: string | null): Promise<string | null>
  /** Removes what is shown for a tag, if the provider can do that. */
  takeBack?(target: ChannelTargets[K], tag: string, shown: string | null): Promise<void>
  /** Closes its connections when nothing is being delivered. */
  close?(): void
}

/** The kinds that are configured. */
export type PushSenders = { [K in ChannelKind]?: PushSender<K> }
