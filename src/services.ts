import { buildAccounts } from './services/accounts.ts'
import { buildChats } from './services/chats.ts'
import { buildContent } from './services/content.ts'
import { buildDelivery } from './services/delivery.ts'
import { buildCore, type Ports } from './services/core.ts'
import { buildModeration } from './services/moderation.ts'
import { buildOutgoing } from './services/outgoing.ts'
import { buildProfiles } from './services/profiles.ts'
import { buildRealtime } from './services/realtime.ts'
import { buildUpkeep } from './services/upkeep.ts'

export type Services = ReturnType<typeof buildServices>

/**
 * Every service, built from its ports, in the order in which they need each other. Each step receives what the steps before
 * it have built. Values that only the steps need, such as keys and ports, are not returned.
 */
export function buildServices(ports: Ports) {
  const core = buildCore(ports)
  const { config, now, storage, log, metrics, traces, shared, replica, peerOf } = core
  const { limits, paging, legal, audit, consents, callers, webhooks, jobLeases } = core

  const outgoing = buildOutgoing(core)
  const { bot, mails, digest } = outgoing

  const content = buildContent({ ...core, ...outgoing })
  const { files, community, imageHashes, imageBank, media, photos, filter, messengerPhotos } = content

  const profileServices = buildProfiles({ ...core, ...content })
  const { profiles, budget, locations } = profileServices

  const realtime = buildRealtime({ ...core, ...content, ...profileServices })
  const { replay, hub, announcements } = realtime

  const base = { ...core, ...outgoing, ...content, ...profileServices, ...realtime }
  const chatServices = buildChats(base)
  const { chats, reviews, safety } = chatServices

  const accounts = buildAccounts(base)
  const { emailLinks, registration, auth, emails, passkeys, identities, oidc, people } = accounts

  const moderationServices = buildModeration({ ...base, ...accounts })
  const { notices, moderation, pendingChecks, profilePhotos, figures, tags, templates } = moderationServices

  const deliveryServices = buildDelivery({ ...base, ...accounts, ...moderationServices })
  const { delivery, notifications } = deliveryServices

  const upkeep = buildUpkeep({ ...base, ...chatServices, ...accounts, ...moderationServices, ...deliveryServices })
  const { erasures, account, retention, maintenance, room, halfSet } = upkeep

  return {
    config,
    now,
    storage,
    log,
    metrics,
    traces,
    shared,
    replica,
    peerOf,
    limits,
    paging,
    legal,
    audit,
    consents,
    callers,
    webhooks,
    jobLeases,
    bot,
    mails,
    digest,
    files,
    community,
    imageHashes,
    imageBank,
    media,
    photos,
    filter,
    messengerPhotos,
    profiles,
    budget,
    locations,
    replay,
    hub,
    announcements,
    chats,
    reviews,
    safety,
    emailLinks,
    registration,
    auth,
    emails,
    passkeys,
    identities,
    oidc,
    people,
    notices,
    moderation,
    pendingChecks,
    profilePhotos,
    figures,
    tags,
    templates,
    delivery,
    notifications,
    erasures,
    account,
    retention,
    maintenance,
    room,
    halfSet,
  }
}
