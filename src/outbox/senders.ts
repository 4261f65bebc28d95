import type { Config } from '../config.ts'
import type { Secrets } from '../installation/secrets.ts'
import type { Outbound } from '../lib/outbound.ts'
import type { PushSenders } from './push.ts'
import { webPushSender } from './webpush/sender.ts'
import { parseSubscription, type SubscriptionProblem, type WebPushTarget } from './webpush/subscription.ts'
import { openVapid, vapidSubject } from './webpush/vapid.ts'

type Given = Pick<
  Config,
  | 'publicUrl'
  | 'mailFrom'
  | 'fcmServiceAccount'
  | 'fcmUrl'
  | 'apnsKey'
  | 'apnsKeyId'
  | 'apnsTeamId'
  | 'apnsTopic'
  | 'apnsEnv'
  | 'apnsUrl'
>

type Deps = { config: Given; secrets: Secrets; outbound: Outbound; now: () => number }

/** The senders of the kinds that are configured, and what clients need for Web Push. */
export function openPushSenders({ config, secrets, outbound, now }: Deps): {
  senders: PushSenders
  /** The key that browsers subscribe with. */
  vapidPublicKey: string
  /** A browser's subscription, or what is wrong with it. */
  readSubscription(input: unknown): WebPushTarget | SubscriptionProblem
} {
  const vapid = openVapid({ secrets, subject: vapidSubject(config), now })
  const { fcmServiceAccount: account, fcmUrl, apnsKey, apnsKeyId, apnsTeamId, apnsTopic } = config
  const senders: PushSenders = { webpush: webPushSender({ vapid, outbound, now }) }
  // Loaded here, so that a server does not load the senders it has no keys for: HTTP/2 alone takes 10 ms.
  if (account !== null) {
    const { fcmSender }: typeof import('./fcm/sender.ts') = require('./fcm/sender.ts')
    senders.fcm = fcmSender({ account, url: fcmUrl ?? undefined, now })
  }
  // `config.ts` has made sure that these are set together.
  if (apnsKey !== null && apnsKeyId !== null && apnsTeamId !== null && apnsTopic !== null) {
    const { apnsSender, apnsUrls }: typeof import('./apns/sender.ts') = require('./apns/sender.ts')
    senders.apns = apnsSender({
      key: apnsKey,
      keyId: apnsKeyId,
      teamId: apnsTeamId,
      topic: apnsTopic,
      url: config.apnsUrl ?? apnsUrls[config.apnsEnv],
      now,
    })
  }
  const { publicUrl } = config
  return {
    senders,
    vapidPublicKey: vapid.publicKey,
    readSubscription: (input) => parseSubscription(input, { outbound, publicUrl }),
  }
}
