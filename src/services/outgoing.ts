import { openBot } from '../features/bot/open.ts'
import { accountMails } from '../features/email/account-mails.ts'
import { openSchedule } from '../features/notifications/schedule.ts'
import { openDigest } from '../features/notifications/digest.ts'
import { openProviders } from '../features/notifications/providers.ts'
import { seconds } from '../lib/time.ts'
import { linkKeyOf } from '../outbox/mail/links.ts'
import { openMailCarrier } from '../outbox/mail/open.ts'
import { openPushSenders } from '../outbox/senders.ts'
import { openWakes } from '../outbox/wakes.ts'
import type { Core } from './core.ts'

export type Outgoing = ReturnType<typeof buildOutgoing>

/** Fills the outbox: mails, notifications, messages of the bot. `delivery.ts` delivers it. */
export function buildOutgoing({
  config,
  secrets,
  storage,
  shared,
  limits,
  jobLeases,
  node,
  log,
  metrics,
  outbound,
  givenProviders,
  ids,
  now,
}: Core) {
  const wakes = openWakes()
  const wakeMail = () => wakes.wake('mail')
  const bot = openBot({
    config,
    storage,
    key: secrets.jwt,
    counter: shared?.counter ?? null,
    leases: jobLeases,
    node,
    log,
    metrics,
    ids,
    now,
  })
  const providers = givenProviders ?? openProviders({ push: openPushSenders({ config, secrets, outbound, now }), bot })
  const schedule = openSchedule({
    isOn: Object.keys(providers.senders).length > 0,
    afterMs: config.notifyAfterS * seconds,
    id: ids.next,
    wake: () => wakes.wake('notification'),
  })
  const linkKey = linkKeyOf(secrets)
  const mailCarrier = openMailCarrier(config, linkKey)
  const isOn = mailCarrier !== null
  const mails = accountMails({ store: storage.emails, isOn, wake: wakeMail, limits, ids, now })
  const digest = openDigest({ store: storage.notifications, isOn, wake: wakeMail, ids, now })
  return { wakes, bot, providers, schedule, linkKey, mailCarrier, mails, digest }
}
