import { openMembership } from '../features/chats/membership.ts'
import { decisionCarrier } from '../features/moderation/reports.ts'
import { notificationCarriers } from '../features/notifications/carriers.ts'
import { withLiveLinks } from '../features/email/live-links.ts'
import { openMoments } from '../features/notifications/moments.ts'
import { notificationService } from '../features/notifications/service.ts'
import { openDelivery } from '../outbox/delivery.ts'
import { revocationCarrier } from '../outbox/oidc/carrier.ts'
import { openWebhookCarrier } from '../outbox/webhook/open.ts'
import type { Accounts } from './accounts.ts'
import type { Core } from './core.ts'
import type { ModerationServices } from './moderation.ts'
import type { Outgoing } from './outgoing.ts'
import type { Realtime } from './realtime.ts'

export type DeliveryServices = ReturnType<typeof buildDelivery>

/** Delivers the outbox, and keeps what people want to be notified of. */
export function buildDelivery({
  config,
  storage,
  log,
  metrics,
  traces,
  node,
  limits,
  paging,
  consents,
  wakes,
  wakeElsewhere,
  bot,
  providers,
  linkKey,
  mailCarrier,
  presence,
  chatViews,
  oidcProviders,
  grants,
  moderation,
  ids,
  now,
}: Core & Outgoing & Realtime & Accounts & ModerationServices) {
  const moments = openMoments({
    store: storage.notifications,
    chats: storage.chats,
    consents,
    isForeground: presence.isForeground,
    consentGate: config.consentGate,
    emailRequired: config.emailVerification === 'required',
    community: config.mailFrom?.name ?? 'Convene',
    now,
  })
  const webhookCarrier = openWebhookCarrier(config, log, now)
  const delivery = openDelivery({
    store: storage.outbox,
    around: traces
      ? (kind, deliver) => traces.around(`outbox ${kind}`, { 'convene.outbox.kind': kind }, deliver)
      : undefined,
    carriers: {
      ...(mailCarrier && { mail: withLiveLinks(mailCarrier, { store: storage.emails, linkKey, now }) }),
      ...(webhookCarrier && { webhook: webhookCarrier }),
      ...(config.oidc.length > 0 && { oidc_revoke: revocationCarrier(oidcProviders, grants) }),
      ...(bot.carrier && { bot: bot.carrier }),
      decision: decisionCarrier(moderation.carryOutPending),
      ...notificationCarriers({
        store: storage.notifications,
        outbox: storage.outbox,
        moments,
        senders: providers.senders,
        node,
        wake: wakes.wake,
        ids,
        now,
      }),
    },
    node,
    log,
    onOutcome: metrics.delivery,
    now,
  })
  wakes.listen(wakeElsewhere ?? delivery.wake)
  const notifications = notificationService({
    store: storage.notifications,
    outbox: storage.outbox,
    membership: openMembership({ store: storage.chats }),
    chats: chatViews,
    providers,
    limits,
    paging,
    linkKey,
    wake: wakes.wake,
    ids,
    now,
  })
  return { delivery, notifications }
}
