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
import { openBot } from './features/bot/open.ts'
import { webhookService } from './features/webhooks/service.ts'
import { accountMails } from './features/email/account-mails.ts'
import { emailLinks as openEmailLinks, emailService } from './features/email/service.ts'
import { openChallenges } from './features/passkeys/challenges.ts'
import { relyingParty } from './features/passkeys/relying-party.ts'
import { secondFactor as openSecondFactor } from './features/passkeys/second-factor.ts'
import { passkeyService } from './features/passkeys/service.ts'
import { openTokens } from './features/auth/tokens.ts'
import { chatService } from './features/chats/service.ts'
import { openChatViews } from './features/chats/views.ts'
import { communityService } from './features/community/service.ts'
import { maintenanceMode } from './features/maintenance/service.ts'
import { openRecentTexts, recentFromStorage } from './features/filter/recent.ts'
import { filterService } from './features/filter/service.ts'
import { profilePhotoCheck } from './features/image-bank/profile-photos.ts'
import { imageBankService } from './features/image-bank/service.ts'
import { oidcLogin } from './features/identities/oidc.ts'
import { openProviders as openOidcProviders } from './features/identities/providers.ts'
import { identityService } from './features/identities/service.ts'
import { legalService } from './features/legal/service.ts'
import { searchBudget } from './features/location/search-budget.ts'
import { locationService } from './features/location/service.ts'
import { messengerPhotos as openMessengerPhotos } from './features/media/messenger-photos.ts'
import { mediaService } from './features/media/service.ts'
import { photoWatch } from './features/media/watch.ts'
import { openAsking } from './features/notifications/asking.ts'
import { lastingAt, notificationCarriers } from './features/notifications/carriers.ts'
import { openDigest } from './features/notifications/digest.ts'
import { openMoments } from './features/notifications/moments.ts'
import { openProviders, type Providers } from './features/notifications/providers.ts'
import { shownForMs } from './features/notifications/rules.ts'
import { notificationService } from './features/notifications/service.ts'
import { openMembership } from './features/chats/membership.ts'
import { noticeService } from './features/moderation/notices.ts'
import { decisionCarrier } from './features/moderation/reports.ts'
import { type Moderation, moderationService } from './features/moderation/service.ts'
import { profileService } from './features/profile/service.ts'
import { peopleService } from './features/people/service.ts'
import { registrationService } from './features/registration/service.ts'
import { figuresService } from './features/figures/service.ts'
import { tagService } from './features/tags/service.ts'
import { announcementService } from './features/announcements/service.ts'
import { templateService } from './features/templates/service.ts'
import { retentionService } from './features/retention/service.ts'
import { reviewService, reviewsForEvents } from './features/reviews/service.ts'
import { blocking as openBlocking } from './features/safety/blocking.ts'
import { safetyService } from './features/safety/service.ts'
import { ids as realIds, type Ids } from './lib/ids.ts'
import { openLimits } from './lib/rate-limits.ts'
import { type Metrics, openMetrics } from './telemetry/metrics.ts'
import { openOutbound, type Outbound } from './lib/outbound.ts'
import { openJobLeases } from './lib/job-leases.ts'
import { openPaging } from './lib/paging.ts'
import { openSeal } from './lib/seal.ts'
import type { Traces } from './telemetry/traces.ts'
import { messageOf } from './lib/errors.ts'
import { hours, seconds } from './lib/time.ts'
import { type Delivery, openDelivery } from './outbox/delivery.ts'
import { linkKeyOf } from './outbox/mail/links.ts'
import { openMailCarrier } from './outbox/mail/open.ts'
import { revocationCarrier } from './outbox/oidc/carrier.ts'
import { openPushSenders } from './outbox/senders.ts'
import { openWebhookCarrier } from './outbox/webhook/open.ts'
import { openHub } from './realtime/hub.ts'
import type { Shared } from './redis/open.ts'
import type { Replica } from './backup/replica/open.ts'
import { watchHalfSet } from './installation/half-set.ts'
import { openRoom } from './installation/room.ts'
import { openLastSeen } from './realtime/last-seen.ts'
import { openPresence } from './realtime/presence.ts'
import { replay as openReplay } from './realtime/replay.ts'
import { openSockets } from './realtime/sockets.ts'
import { shownPlace } from './s3/place.ts'
import type { Secrets } from './installation/secrets.ts'
import { openErasureJournal } from './storage/files/erasure-journal.ts'
import { openFiles } from './storage/files/open.ts'
import type { Storage } from './storage/storage.ts'

export type Ports = {
  config: Config
  secrets: Secrets
  storage: Storage
  log: Logger
  metrics?: Metrics
  /** Null if traces are off. */
  traces?: Traces | null
  /** What several nodes share; null if this is the only one. */
  shared?: Shared | null
  /** Ships commits and photos; null if nothing does. */
  replica?: Replica | null
  /** The HTTP client for URLs that others provide. */
  outbound?: Outbound
  /** The ways to devices. */
  providers?: Providers
  ids?: Ids
  now?: () => number
  /** Random numbers from 0 to below 1. */
  random?: () => number
  /** How long after the last socket has closed a user counts as offline, if not as usual. */
  calmMs?: number
}

// Presence is announced in the newest chats only, as an account may have any number of them.
const chatsWithPresence = 500

export type Services = ReturnType<typeof buildServices>

// Unpredictable, unlike Math.random.
const randomFraction = () => {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1))
  return bits / 2 ** 32
}

/** The operator's checker of images; null where there is none. */
function checkOfImages({ imageCheckUrl, imageCheckSecret, imageCheck }: Config, now: () => number) {
  // The settings come together: `config.ts` sees to it.
  if (imageCheckUrl === null || imageCheckSecret === null) return null
  // Required here, so that a server without one does not load the library.
  const {
    openImageCheck,
  }: typeof import('./features/media/image-check.ts') = require('./features/media/image-check.ts')
  return openImageCheck({ url: imageCheckUrl, secret: imageCheckSecret, isRequired: imageCheck === 'required', now })
}

/** Every service, built from its ports, in the order in which they need each other. */
export function buildServices({
  config,
  secrets,
  storage,
  log,
  metrics = openMetrics(),
  traces = null,
  shared = null,
  replica = null,
  outbound = openOutbound({ allow: config.outboundAllow }),
  providers: givenProviders,
  ids = realIds,
  now = Date.now,
  random = randomFraction,
  calmMs,
}: Ports) {
  // The id of this process, for what it holds a lease of.
  const node = realIds.random()
  const nodes = shared?.nodes ?? null
  const limits = openLimits({ table: config.rateLimit, counter: shared?.counter, now })
  const paging = openPaging({ secret: secrets.jwt })
  const legal = legalService({ dir: config.legalDir, contact: config.legalContact })
  const audit = auditService({
    store: storage.audit,
    ids,
    now,
    failed: (error, { action, actor_id, subject_id }) =>
      log.error({ err: error, action, actor_id, subject_id }, 'an entry of the audit log could not be written'),
  })
  const consents = consentsService({ store: storage.accounts, legal, limits, audit, ids, now })
  const tokens = openTokens({ secret: secrets.jwt, now })
  const mayMiss = nodes !== null || config.database.engine === 'postgres'
  const callers = openCallers({ tokens, sessions: storage.sessions, consents, nodes, mayMiss, now })
  const blocking = openBlocking({ store: storage.blocks })
  const webhooks = webhookService({ isOn: config.webhookUrl !== null, ids, now })
  const ownFiles = openFiles(config, {
    now,
    onAnswer(operation, seconds, error) {
      metrics.s3Request(operation, error === null ? 'done' : 'failed', seconds)
      if (error) log.warn({ operation, reason: error.message }, 'the bucket of the images failed')
    },
  })
  // Photos in a bucket are not shipped: a bucket keeps them by itself.
  const files = replica && !ownFiles.remote ? replica.follow(ownFiles) : ownFiles
  const community = communityService({ store: storage.community, secrets, files, ids })
  const media = mediaService({
    store: storage.media,
    limits,
    files,
    community,
    key: new Bun.CryptoHasher('sha256', secrets.jwt).update('convene media url v1').digest(),
    check: checkOfImages(config, now),
    allowed: (imageId) => moderation.releaseChecked(imageId),
    unanswered: (error) => log.warn({ reason: messageOf(error) }, 'an image was not checked'),
    ids,
    now,
  })
  const photos = photoWatch({
    store: storage.media,
    files,
    place: config.media === null ? join(config.dataDir, 'media') : shownPlace(config.media),
    log,
    ids,
    now,
  })
  const imageBank = imageBankService({
    store: storage.imageBank,
    hashesOf: media.hashesOf,
    nodes,
    audit,
    paging,
    ids,
    now,
  })
  const filter = filterService({
    store: storage.filter,
    async author(userId) {
      const user = await storage.users.byId(userId)
      return user && { created_at: user.created_at, verified: user.email_verified_at !== null }
    },
    hasWritten: storage.chats.hasWritten,
    // Of several nodes, each knows only what it has stored itself.
    recent: nodes === null ? openRecentTexts({ now }) : recentFromStorage({ chats: storage.chats, now }),
    async report(target, id, names) {
      await safety.reportByRule(target, id, names)
    },
    images: { ...imageBank, checkOf: media.checkOf },
    failed: (error) => log.error({ err: error }, 'a report that a rule asks for could not be filed'),
    nodes,
    key: new Bun.CryptoHasher('sha256', secrets.jwt).update('convene openers v1').digest(),
    audit,
    paging,
    ids,
    now,
  })
  const messengerPhotos = openMessengerPhotos({
    users: storage.users,
    media,
    filter,
    outbound,
    hosts: config.messengerPhotoHosts,
    log,
    now,
  })
  const profiles = profileService({
    store: storage.users,
    filter,
    consents,
    photos: media,
    blocking,
    webhooks,
    audit,
    now,
  })
  const budget = searchBudget({ enabled: config.rateLimit !== null, shared: shared?.budget, now })
  const locations = locationService({
    store: storage.locations,
    profiles,
    budget,
    limits,
    audit,
    paging,
    locationKey: secrets.location,
    maxAgeDays: config.nearbyMaxAgeDays,
    consentGate: config.consentGate,
    now,
  })
  const sockets = openSockets()
  const lastSeen = openLastSeen({ store: storage.lastSeen, log, now })
  const presence = openPresence({
    sockets,
    peers: (userId) => storage.chats.peers(userId, chatsWithPresence),
    nodes,
    lastSeen,
    calmMs,
    log,
    now,
  })
  const chatViews = openChatViews({ store: storage.chats, profiles, blocking, photos: media, presence, now })
  const replay = openReplay({
    store: storage.events,
    views: {
      message: chatViews.messagesForEvents,
      message_edited: chatViews.messagesForEvents,
      message_deleted: chatViews.messagesForEvents,
      chat: chatViews.chatsForEvents,
      review: reviewsForEvents(storage.reviews),
    },
    gathers: mayMiss,
  })
  const hub = openHub({
    sockets,
    replay,
    presence,
    lastSeen,
    accessState: callers.accessState,
    nodes,
    mayMiss,
    log,
    now,
  })
  const announcements = announcementService({
    store: storage.announcements,
    broadcast: (announcement) => hub.broadcast('announcement', announcement),
    nodes,
    failed: (error) => log.error({ err: error }, 'announcements could not be read'),
    audit,
    paging,
    ids,
    now,
  })
  nodes?.listen({
    ...hub.listener,
    forget: callers.forgetHere,
    rulesChanged() {
      filter.forget()
      imageBank.forget()
    },
    announced: announcements.reread,
    forgetAll() {
      callers.forgetAll()
      filter.forget()
      imageBank.forget()
      announcements.reread()
    },
  })
  const jobLeases = openJobLeases({ store: storage.jobLeases, node, now })
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
  const asking = openAsking({
    isOn: Object.keys(providers.senders).length > 0,
    afterMs: config.notifyAfterS * seconds,
    id: ids.next,
    wake: () => delivery.wake('notification'),
  })
  const chats = chatService({
    store: storage.chats,
    views: chatViews,
    profiles,
    filter,
    filing: (...given) => safety.messageFiling(...given),
    blocking,
    photos: media,
    limits,
    push: hub.push,
    asking,
    ids,
    now,
    firstContact: config.firstContact,
    paging,
  })
  const linkKey = linkKeyOf(secrets)
  const mailCarrier = openMailCarrier(config, linkKey)
  const oidcProviders = openOidcProviders({ providers: config.oidc, log, now })
  const sealKey = new Bun.CryptoHasher('sha256', secrets.jwt).update('convene seal v1').digest()
  const grants = openSeal(sealKey, 'oidc grant')
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
  const delivery: Delivery = openDelivery({
    store: storage.outbox,
    around: traces
      ? (kind, deliver) => traces.around(`outbox ${kind}`, { 'convene.outbox.kind': kind }, deliver)
      : undefined,
    carriers: {
      ...(mailCarrier && { mail: mailCarrier }),
      ...(webhookCarrier && { webhook: webhookCarrier }),
      ...(config.oidc.length > 0 && { oidc_revoke: revocationCarrier(oidcProviders, grants) }),
      ...(bot.carrier && { bot: bot.carrier }),
      decision: decisionCarrier((payload) => moderation.carryOutPending(payload)),
      ...notificationCarriers({
        store: storage.notifications,
        outbox: storage.outbox,
        moments,
        senders: providers.senders,
        node,
        wake: (kind) => delivery.wake(kind),
        ids,
        now,
      }),
    },
    node,
    log,
    onOutcome: metrics.delivery,
    now,
  })
  const mails = accountMails({
    store: storage.emails,
    isOn: mailCarrier !== null,
    wake: () => delivery.wake('mail'),
    ids,
    now,
  })
  const verifies = config.emailVerification !== 'off'
  const emailLinks = openEmailLinks({ key: linkKey, mails, verifies, ids, now })
  const registration = registrationService({
    store: storage.invites,
    ages: storage.ages,
    minAge: config.minAge,
    originKey: new Bun.CryptoHasher('sha256', secrets.jwt).update('convene age refusals v1').digest(),
    mode: config.registration,
    audit,
    paging,
    ids,
    now,
  })
  const auth = authService({
    accounts: storage.accounts,
    sessions: storage.sessions,
    profiles,
    filter,
    consents,
    callers,
    tokens,
    passwords: openPasswords(),
    limits,
    paging,
    sockets: hub.control,
    messengerPhotos,
    mails,
    emailLinks,
    registration,
    webhooks,
    botPermissions: bot.permissions,
    audit,
    ids,
    now,
    messengerBotToken: config.messengerBotToken,
    initDataMaxAgeS: config.initDataMaxAgeS,
    consentGate: config.consentGate,
  })
  const emails = emailService({
    store: storage.emails,
    links: emailLinks,
    mails,
    webhooks,
    auth,
    callers,
    sockets: hub.control,
    limits,
    audit,
    failed: (error) => log.error({ err: error }, 'a link for a new password could not be sent'),
    now,
    random,
  })
  const secondFactor = openSecondFactor({ staffPasskey: config.staffPasskey, now })
  const passkeys = passkeyService({
    store: storage.passkeys,
    auth,
    callers,
    profiles,
    mails,
    audit,
    challenges: openChallenges({ jwt: secrets.jwt, now }),
    relyingParty: relyingParty(config),
    secondFactor,
    ids,
    now,
  })
  const identities = identityService({
    store: storage.identities,
    botPermissions: bot.permissions,
    auth,
    passkeys,
    callers,
    mails,
    providers: oidcProviders,
    configured: { messenger: config.messengerBotToken !== null, issuers: oidcProviders.issuers },
    wakeRevocation: () => delivery.wake('oidc_revoke'),
    audit,
    now,
  })
  const oidc = oidcLogin({
    providers: oidcProviders,
    store: storage.identities,
    identities,
    callers,
    auth,
    mails,
    errands: openSeal(sealKey, 'oidc errand'),
    grants,
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    audit,
    ids,
    now,
  })
  const people = peopleService({
    identities,
    store: storage.people,
    users: storage.users,
    sessions: storage.sessions,
    emails,
    auditLog: storage.audit,
    webhooks,
    callers,
    sockets: hub.control,
    recheckSockets: (userIds) => hub.listener.mayHaveMissed(userIds),
    audit,
    paging,
    now,
  })
  const safety = safetyService({
    blocks: storage.blocks,
    reports: storage.reports,
    push: hub.push,
    asking,
    webhooks,
    moderatorsTold: bot.reportFiled,
    targetMs: config.reportTargetH * hours,
    originKey: new Bun.CryptoHasher('sha256', secrets.jwt).update('convene report origins v1').digest(),
    audit,
    paging,
    ids,
    now,
  })
  const reviews = reviewService({
    store: storage.reviews,
    profiles,
    filter,
    blocking,
    push: hub.push,
    asking,
    audit,
    paging,
    ids,
    now,
    random,
    anonymousDelayMs: config.anonymousReviewDelayH * hours,
  })
  const notices = noticeService({
    store: storage.notices,
    announcements,
    moderation: storage.moderation,
    auth,
    webhooks,
    audit,
    paging,
    ids,
    now,
  })
  const moderation: Moderation = moderationService({
    store: storage.moderation,
    queue: storage.queue,
    templates: storage.templates,
    auditLog: storage.audit,
    profiles,
    chats: chatViews,
    photos: media,
    imageBank,
    reportByRule: safety.reportByRule,
    callers,
    sockets: hub.control,
    push: hub.push,
    asking,
    webhooks,
    secondFactor,
    audit,
    paging,
    ids,
    now,
  })
  const profilePhotos = profilePhotoCheck({
    store: storage.imageBank,
    hashesOf: media.hashesOf,
    filter,
    report: async (userId) => void (await safety.reportByRule('user', userId, ['Banned images'])),
    takeDown: moderation.takeDownPhoto,
  })
  const figures = figuresService({ store: storage.figures, now })
  const tags = tagService({ store: storage.tags, now })
  const templates = templateService({ store: storage.templates, audit, ids, now })
  const notifications = notificationService({
    store: storage.notifications,
    outbox: storage.outbox,
    membership: openMembership({ store: storage.chats }),
    chats: chatViews,
    providers,
    limits,
    linkKey,
    wake: (kind) => delivery.wake(kind),
    ids,
    now,
  })
  const digest = openDigest({
    store: storage.notifications,
    isOn: mailCarrier !== null,
    wake: () => delivery.wake('mail'),
    ids,
    now,
  })
  metrics.watch({ callers, hub, storage, shared, photos, replica, now })
  const erasures = openErasures({
    store: storage.erasures,
    journal: openErasureJournal(join(config.dataDir, 'erasures.log')),
    files,
    audit,
    webhooks,
    ids,
    now,
  })
  const account = accountService({
    erasures,
    exporter: openExporter({
      store: storage.holdings,
      auditLog: storage.audit,
      messages: storage.chats,
      locations: storage.locations,
      lastSeen: storage.lastSeen,
      emails: storage.emails,
      identities: storage.identities,
      outbox: storage.outbox,
      bot: storage.bot,
      passkeys: storage.passkeys,
      profiles,
      chats: chatViews,
      media,
      safety,
      notices,
      notifications,
      reviews,
      now,
    }),
    auth,
    mails,
    callers,
    sockets: hub.control,
    chats: chatViews,
    push: hub.push,
    audit,
    now,
  })
  const retention = retentionService({
    store: storage.retention,
    events: storage.events,
    emails: storage.emails,
    oldChannels: (limit) => storage.notifications.removeOld(lastingAt(now()), now() - shownForMs, limit),
    bot: storage.bot,
    passkeys: storage.passkeys,
    eventRetentionDays: config.eventRetentionDays,
    retention: () => config.retention,
    now,
  })
  const maintenance = maintenanceMode({
    store: storage.community,
    onChange(mode) {
      log.warn({ on: mode !== null, text: mode?.text }, 'maintenance has begun, changed or ended')
      hub.tellMaintenance(mode?.text ?? null)
    },
  })
  const room = openRoom({ config, store: storage.community, now })
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
    files,
    community,
    media,
    photos,
    messengerPhotos,
    profiles,
    filter,
    imageBank,
    profilePhotos,
    chats,
    locations,
    budget,
    replay,
    hub,
    auth,
    mails,
    emailLinks,
    emails,
    identities,
    oidc,
    registration,
    people,
    webhooks,
    bot,
    passkeys,
    delivery,
    safety,
    reviews,
    notices,
    notifications,
    digest,
    moderation,
    templates,
    announcements,
    tags,
    figures,
    erasures,
    account,
    retention,
    room,
    halfSet: watchHalfSet(config),
    maintenance,
    jobLeases,
  }
}
