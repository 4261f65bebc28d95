import { buildAccounts } from './services/accounts.ts'
import { buildChats } from './services/chats.ts'
import { buildContent } from './services/content.ts'
import { buildDelivery } from './services/delivery.ts'
import { buildGround, type Ports } from './services/ground.ts'
import { buildModeration } from './services/moderation.ts'
import { buildOutgoing } from './services/outgoing.ts'
import { buildProfiles } from './services/profiles.ts'
import { buildRealtime } from './services/realtime.ts'
import { buildUpkeep } from './services/upkeep.ts'

export type Services = ReturnType<typeof buildServices>

/**
 * Every service, built from its ports, in the order in which they need each other. Each step receives what the steps before
 * it have built. What the steps alone need, such as keys and ports, is not among the services.
 */
export function buildServices(ports: Ports) {
  const ground = buildGround(ports)
  const { config, now, storage, log, metrics, traces, shared, replica, peerOf } = ground
  const { limits, paging, legal, audit, consents, callers, webhooks, jobLeases } = ground

  const outgoing = buildOutgoing(ground)
  const { bot, mails, digest } = outgoing

  const content = buildContent({ ...ground, ...outgoing })
  const { files, community, imageHashes, imageBank, media, photos, filter, messengerPhotos } = content

  const profileServices = buildProfiles({ ...ground, ...content })
  const { profiles, budget, locations } = profileServices

  const realtime = buildRealtime({ ...ground, ...content, ...profileServices })
  const { replay, hub, announcements } = realtime

  const base = { ...ground, ...outgoing, ...content, ...profileServices, ...realtime }
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
