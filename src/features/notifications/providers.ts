import type { ChannelTargets, PushSender, PushSenders } from '../../outbox/push.ts'

/** The push services that this server can use, and the data that clients need to register with them. */
export type Providers = {
  senders: PushSenders
  /** The key that browsers subscribe with; null without Web Push. */
  vapidPublicKey: string | null
  /** The bot's user name; null without the bot. */
  botName(): Promise<string | null>
  /** A browser's subscription, or what is wrong with it. */
  readSubscription(subscription: unknown): ChannelTargets['webpush'] | { problem: string }
  /** Whether the bot may write to that user, who is `messengerId` there. */
  botMayWriteTo(userId: string, messengerId: string): Promise<boolean>
}

type Deps = {
  push: Pick<Providers, 'senders' | 'vapidPublicKey' | 'readSubscription'>
  bot: {
    sender: PushSender<'telegram'> | null
    name(): string | null
    permissions: { targetOf(userId: string): Promise<{ messenger_id: string } | null> }
  }
}

/** The configured push services, including the bot if this server runs it. */
export function openProviders({ push, bot }: Deps): Providers {
  return {
    ...push,
    senders: { ...push.senders, ...(bot.sender && { telegram: bot.sender }) },
    botName: async () => bot.name(),
    botMayWriteTo: async (userId, messengerId) =>
      (await bot.permissions.targetOf(userId))?.messenger_id === messengerId,
  }
}
