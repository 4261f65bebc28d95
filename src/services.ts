import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { openErasures } from './features/account/erasures.ts'
import { openExporter } from './features/account/export.ts'
import { accountService } from './features/account/service.ts'
import { auditService } from './features/audit/service.ts'
import { callers as openCallers } from './features/auth/callers.ts'
import { consentsService } from './features/auth/consents.ts'
import { openPasswords } from './features/auth/passwords.ts'
import { authService } from './features/auth/service.ts'
import { openTokens } from './features/auth/tokens.ts'
import { chatService } from './features/chats/service.ts'
import { communityService } from './features/community/service.ts'
import { legalService } from './features/legal/service.ts'
import { searchBudget } from './features/location/search-budget.ts'
import { locationService } from './features/location/service.ts'
import { mediaService } from './features/media/service.ts'
import { noticeService } from './features/moderation/notices.ts'
import { moderationService } from './features/moderation/service.ts'
import { profileService } from './features/profile/service.ts'
import { retentionService } from './features/retention/service.ts'
import { reviewService } from './features/reviews/service.ts'
import { blocking as openBlocking } from './features/safety/blocking.ts'
import { safetyService } from './features/safety/service.ts'
import { ids as realIds, type Ids } from './ids.ts'
import { openLimits } from './limits.ts'
import { type Metrics, openMetrics } from './metrics.ts'
import { openTurns } from './turns.ts'
import type { Traces } from './traces.ts'
import { openHub } from './realtime/hub.ts'
import type { Shared } from './redis/open.ts'
import { type EventViews, replay as openReplay } from './realtime/replay.ts'
import type { Secrets } from './secrets.ts'
import { openErasureJournal } from './storage/files/erasure-journal.ts'
import { openFiles } from './storage/files/open.ts'
import type { Storage } from './storage/storage.ts'

export type Ports = {
  config: Config
  secrets: Secrets
  storage: Storage
  log: Logger
  metrics?: Metrics
  /** Null where nobody asked for traces. */
  traces?: Traces | null
  /** What several nodes share; null where this is the only one. */
  shared?: Shared | null
  ids?: Ids
  now?: () => number
}

export type Services = ReturnType<typeof buildServices>

/** Every service, built from its ports, in the order in which they need each other. */
export function buildServices({
  config,
  secrets,
  storage,
  log,
  metrics = openMetrics(),
  traces = null,
  shared = null,
  ids = realIds,
  now = Date.now,
}: Ports) {
  const nodes = shared?.nodes ?? null
  const limits = openLimits({ enabled: config.rateLimit, counter: shared?.counter })
  const legal = legalService({ dir: config.legalDir })
  const audit = auditService({
    store: storage.audit,
    ids,
    now,
    failed: (error, { action, actor_id, subject_id }) =>
      log.error({ err: error, action, actor_id, subject_id }, 'an entry of the audit log could not be written'),
  })
  const consents = consentsService({ store: storage.accounts, legal, audit, ids, now })
  const tokens = openTokens({ secret: secrets.jwt, now })
  const mayMiss = nodes !== null || config.database.engine === 'postgres'
  const callers = openCallers({ tokens, sessions: storage.sessions, consents, nodes, mayMiss, now })
  const blocking = openBlocking({ store: storage.blocks })
  const files = openFiles(config, {
    now,
    onAnswer(operation, seconds, error) {
      metrics.s3Request(operation, error === null ? 'done' : 'failed', seconds)
      if (error) log.warn({ operation, reason: error.message }, 'the bucket of the images failed')
    },
  })
  const community = communityService({ store: storage.community, secrets, files, ids })
  const media = mediaService({
    store: storage.media,
    files,
    community,
    key: new Bun.CryptoHasher('sha256', secrets.jwt).update('convene media url v1').digest(),
    ids,
    now,
  })
  const profiles = profileService({
    store: storage.users,
    consents,
    photos: media,
    blocking,
    audit,
    now,
  })
  const budget = searchBudget({ enabled: config.rateLimit, shared: shared?.places, now })
  const locations = locationService({
    store: storage.locations,
    profiles,
    budget,
    audit,
    locationKey: secrets.location,
    maxAgeDays: config.nearbyMaxAgeDays,
    now,
  })
  const views: EventViews = {
    message: (shown) => chats.messagesFor(shown),
    message_edited: (shown) => chats.messagesFor(shown),
    message_deleted: (shown) => chats.messagesFor(shown),
    chat: (shown) => chats.chatsForEach(shown),
    review: (shown) => reviews.forEvents(shown),
  }
  const replay = openReplay({ store: storage.events, views, gathers: mayMiss })
  const hub = openHub({
    replay,
    peers: (userId) => chats.peers(userId),
    standing: callers.standing,
    nodes,
    mayMiss,
    log,
    now,
  })
  nodes?.listen({ ...hub.ear, forget: callers.forgetHere, forgetAll: callers.forgetAll })
  const chats = chatService({
    store: storage.chats,
    profiles,
    blocking,
    photos: media,
    push: hub.push,
    ids,
    now,
    firstContact: config.firstContact,
  })
  const auth = authService({
    accounts: storage.accounts,
    sessions: storage.sessions,
    profiles,
    consents,
    callers,
    tokens,
    passwords: openPasswords(),
    limits,
    sockets: hub.control,
    audit,
    ids,
    now,
    messengerBotToken: config.messengerBotToken,
    initDataMaxAgeS: config.initDataMaxAgeS,
    consentGate: config.consentGate,
  })
  const safety = safetyService({ blocks: storage.blocks, reports: storage.reports, push: hub.push, audit, ids, now })
  const reviews = reviewService({ store: storage.reviews, blocking, push: hub.push, audit, ids, now })
  const notices = noticeService({ store: storage.notices, moderation: storage.moderation, auth, audit, ids, now })
  const moderation = moderationService({
    store: storage.moderation,
    auditLog: storage.audit,
    profiles,
    chats,
    photos: media,
    callers,
    sockets: hub.control,
    push: hub.push,
    audit,
    ids,
    now,
  })
  metrics.watch({ callers, hub, storage, shared })
  const erasures = openErasures({
    store: storage.erasures,
    journal: openErasureJournal(join(config.dataDir, 'erasures.log')),
    files,
    audit,
    now,
  })
  const account = accountService({
    erasures,
    exporter: openExporter({
      store: storage.holdings,
      auditLog: storage.audit,
      messages: storage.chats,
      locations: storage.locations,
      profiles,
      chats,
      media,
      safety,
      notices,
      reviews,
      now,
    }),
    auth,
    callers,
    sockets: hub.control,
    chats,
    push: hub.push,
    audit,
    now,
  })
  const retention = retentionService({
    store: storage.retention,
    events: storage.events,
    eventRetentionDays: config.eventRetentionDays,
    now,
  })
  const turns = openTurns({ store: storage.turns, node: realIds.random(), now })
  return {
    config,
    now,
    storage,
    log,
    metrics,
    traces,
    shared,
    limits,
    legal,
    audit,
    consents,
    callers,
    files,
    community,
    media,
    profiles,
    chats,
    locations,
    budget,
    replay,
    hub,
    auth,
    safety,
    reviews,
    notices,
    moderation,
    erasures,
    account,
    retention,
    turns,
  }
}
