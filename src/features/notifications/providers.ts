import type { ChannelTargets, PushSenders } from '../../outbox/push.ts'

/** The ways to devices that this server has, and what clients need of them. */
export type Providers = {
  senders: PushSenders
  /** The key that browsers subscribe with; null without Web Push. */
  vapidPublicKey: string | null
  /** Null without the bot. */
  botName(): Promise<string | null>
  /** A browser's subscription, or what is wrong with it. */
  readSubscription(subscription: unknown): ChannelTargets['webpush'] | { problem: string }
  /** Whether the bot may write to that user, who is `messengerId` there. */
  botMayWriteTo(userId: string, messengerId: string): Promise<boolean>
}

export const noProviders: Providers = {
  senders: {},
  vapidPublicKey: null,
  botName: async () => null,
  readSubscription: () => ({ problem: 'this server sends no Web Push' }),
  botMayWriteTo: async () => false,
}
