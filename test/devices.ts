import type { Providers } from '../src/features/notifications/providers.ts'
import { type ChannelKind, channelKinds, type Notification, type PushSender } from '../src/outbox/push.ts'
import type { Person, TestApp } from './app.ts'

export type Sent = { kind: ChannelKind; target: object; replaces: string | null } & (
  { show: Notification } | { takeBack: string }
)

/** Providers of every kind that keep what they are told. `answer` may throw, as a provider that refuses or is down does. */
export function devices() {
  const sent: Sent[] = []
  let answer: (kind: ChannelKind, target: object) => void | Promise<void> = () => {}
  let count = 0
  const senderOf = (kind: ChannelKind): PushSender<any> => ({
    atOnce: 4,
    async show(target, show, replaces) {
      await answer(kind, target)
      sent.push({ kind, target, replaces, show })
      return `${kind}-${++count}`
    },
    async takeBack(target, takeBack, replaces) {
      await answer(kind, target)
      sent.push({ kind, target, replaces, takeBack })
    },
  })
  const providers: Providers = {
    senders: Object.fromEntries(channelKinds.map((kind) => [kind, senderOf(kind)])),
    vapidPublicKey: 'the-public-key',
    botName: async () => 'convene_bot',
    readSubscription(given) {
      const { endpoint, keys } = given as { endpoint: string; keys: { p256dh: string; auth: string } }
      return endpoint.startsWith('https://') ? { endpoint, keys } : { problem: 'endpoint must be an https URL' }
    },
    botMayWriteTo: async () => true,
  }
  return {
    providers,
    sent,
    /** What was shown since the last look, and empties the list. */
    take: () => sent.splice(0),
    shown: () => sent.flatMap((one) => ('show' in one ? [one.show] : [])),
    answer(next: typeof answer) {
      answer = next
    },
  }
}

let devicesMade = 0

/** What a client registers; each one is another device. */
export const deviceOf = (kind: ChannelKind, host = 'push.example') => {
  const token = (++devicesMade).toString(16).padStart(64, '0')
  if (kind === 'telegram') return { kind }
  if (kind !== 'webpush') return { kind, token }
  return {
    kind,
    subscription: { endpoint: `https://${host}/${token}`, keys: { p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) } },
  }
}

/** Registers a device of somebody; for the bot their account gets a messenger. Answers the channel's id. */
export async function register(app: TestApp, person: Person, kind: ChannelKind, host?: string): Promise<string> {
  if (kind === 'telegram') await app.rows('UPDATE users SET messenger_id = ? WHERE id = ?', `m-${person.id}`, person.id)
  const answer = await person.post('me/channels', deviceOf(kind, host))
  if (answer.status !== 201) throw new Error(`no channel: ${answer.status} ${answer.text}`)
  return answer.body.id
}

/** Delivers all that is due, on every node. */
export async function deliver({ nodes }: Pick<TestApp, 'nodes'>): Promise<void> {
  // Decisions first: they make what goes to the devices.
  for (let round = 0; round < 2; round++)
    for (const kind of ['notification', ...channelKinds, 'mail'] as const) {
      for (const { services } of nodes) services.delivery.wake(kind)
      for (const { services } of nodes) await services.delivery.idle()
    }
}
