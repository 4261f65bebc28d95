import type { Config } from '../config.ts'
import type { Secrets } from '../installation/secrets.ts'
import type { Outbound } from '../lib/outbound.ts'
import { apnsSender, apnsUrls } from './apns/sender.ts'
import { fcmSender } from './fcm/sender.ts'
import type { PushSenders } from './push.ts'
import { webPushSender } from './webpush/sender.ts'
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

/** The senders of the kinds that are configured, and the key that browsers subscribe to Web Push with. */
export function openPushSenders({ config, secrets, outbound, now }: Deps): {
  senders: PushSenders
  vapidPublicKey: string
} {
  const vapid = openVapid({ secrets, subject: vapidSubject(config), now })
  const { fcmServiceAccount: account, fcmUrl, apnsKey, apnsKeyId, apnsTeamId, apnsTopic } = config
  const senders: PushSenders = { webpush: webPushSender({ vapid, outbound, now }) }
  if (account !== null) senders.fcm = fcmSender({ account, url: fcmUrl ?? undefined, now })
  // The settings come together: `config.ts` sees to it.
  if (apnsKey !== null && apnsKeyId !== null && apnsTeamId !== null && apnsTopic !== null)
    senders.apns = apnsSender({
      key: apnsKey,
      keyId: apnsKeyId,
      teamId: apnsTeamId,
      topic: apnsTopic,
      url: config.apnsUrl ?? apnsUrls[config.apnsEnv],
      now,
    })
  return { senders, vapidPublicKey: vapid.publicKey }
}
