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

export type { Ports }

export type Services = ReturnType<typeof buildServices>

/**
 * Every service, built from its ports, in the order in which they need each other. Each step gets what the ones before it
 * have built, and keeps to itself what nobody else is to reach.
 */
export function buildServices(ports: Ports) {
  const ground = buildGround(ports)
  const { config, now, storage, log, metrics, traces, shared, replica } = ground
  const { limits, paging, legal, audit, consents, callers, webhooks, jobLeases } = ground

  const outgoing = buildOutgoing(ground)
  const { bot, mails, digest } = outgoing

  const content = buildContent({ ...ground, ...outgoing })
  const { files, community, imageHashes, imageBank, media, photos, filter, messengerPhotos } = content

  const ofProfiles = buildProfiles({ ...ground, ...content })
  const { profiles, budget, locations } = ofProfiles

  const realtime = buildRealtime({ ...ground, ...content, ...ofProfiles })
  const { replay, hub, announcements } = realtime

  const base = { ...ground, ...outgoing, ...content, ...ofProfiles, ...realtime }
  const ofChats = buildChats(base)
  const { chats, reviews, safety } = ofChats

  const accounts = buildAccounts(base)
  const { emailLinks, registration, auth, emails, passkeys, identities, oidc, people } = accounts

  const ofModeration = buildModeration({ ...base, ...accounts })
  const { notices, moderation, pendingChecks, profilePhotos, figures, tags, templates } = ofModeration

  const ofDelivery = buildDelivery({ ...base, ...accounts, ...ofModeration })
  const { delivery, notifications } = ofDelivery

  const upkeep = buildUpkeep({ ...base, ...ofChats, ...accounts, ...ofModeration, ...ofDelivery })
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
