import type { ChannelTargets, PushSender, PushSenders } from '../../outbox/push.ts'

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

type Deps = {
  push: Pick<Providers, 'senders' | 'vapidPublicKey' | 'readSubscription'>
  bot: {
    sender: PushSender<'telegram'> | null
    name(): string | null
    permissions: { targetOf(userId: string): Promise<{ messenger_id: string } | null> }
  }
}

/** The ways that are configured. The bot's is there while this server is the bot. */
export function openProviders({ push, bot }: Deps): Providers {
  return {
    ...push,
    senders: { ...push.senders, ...(bot.sender && { telegram: bot.sender }) },
    botName: async () => bot.name(),
    botMayWriteTo: async (userId, messengerId) =>
      (await bot.permissions.targetOf(userId))?.messenger_id === messengerId,
  }
}
