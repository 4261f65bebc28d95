import { join } from 'node:path'
import type { Config } from '../config.ts'
import { communityService } from '../features/community/service.ts'
import { openRecentTexts, recentFromStorage } from '../features/filter/recent.ts'
import { filterService } from '../features/filter/service.ts'
import { imageBankService } from '../features/image-bank/service.ts'
import { openImageChecks } from '../features/media/checks.ts'
import { openImageHashes } from '../features/media/hashes.ts'
import { messengerPhotos as openMessengerPhotos } from '../features/media/messenger-photos.ts'
import { mediaService } from '../features/media/service.ts'
import { photoWatch } from '../features/media/watch.ts'
import { openRuleReports } from '../features/safety/rule-reports.ts'
import { messageOf } from '../lib/errors.ts'
import { hours } from '../lib/time.ts'
import { shownPlace } from '../s3/place.ts'
import { openFiles } from '../storage/files/open.ts'
import type { Core } from './core.ts'
import type { Outgoing } from './outgoing.ts'

export type Content = ReturnType<typeof buildContent>

/** The operator's image checker; null if there is none. */
function imageCheckOf({ imageCheckUrl, imageCheckSecret, imageCheck }: Config, now: () => number) {
  // `config.ts` ensures that both are set, or neither.
  if (imageCheckUrl === null || imageCheckSecret === null) return null
  // Required here, so that a server without a checker does not load the library.
  const {
    openImageCheck,
  }: typeof import('../features/media/image-check.ts') = require('../features/media/image-check.ts')
  return openImageCheck({ url: imageCheckUrl, secret: imageCheckSecret, isRequired: imageCheck === 'required', now })
}

/** Images, and the rules about them and about texts. */
export function buildContent({
  config,
  secrets,
  storage,
  log,
  metrics,
  replica,
  filesElsewhere,
  outbound,
  nodes,
  keyFor,
  limits,
  paging,
  audit,
  webhooks,
  schedule,
  bot,
  ids,
  now,
}: Core & Outgoing) {
  const ruleReports = openRuleReports({
    store: storage.reports,
    schedule,
    webhooks,
    moderatorParcels: bot.reminderParcels,
    targetMs: config.reportTargetH * hours,
    audit,
    ids,
    now,
  })
  const ownFiles = openFiles(config, {
    now,
    onAnswer(operation, seconds, error) {
      metrics.s3Request(operation, error === null ? 'done' : 'failed', seconds)
      if (error) log.warn({ operation, reason: error.message }, 'the bucket of the images failed')
    },
  })
  // Photos in a bucket are not shipped: a bucket keeps them by itself.
  const stored = filesElsewhere ?? replica?.follow
  const files = stored && !ownFiles.remote ? stored(ownFiles) : ownFiles
  const community = communityService({ store: storage.community, secrets, files, ids })
  const imageHashes = openImageHashes({ store: storage.media, files })
  const imageBank = imageBankService({
    store: storage.imageBank,
    hashesOf: imageHashes.of,
    nodes,
    audit,
    paging,
    ids,
    now,
  })
  const imageChecks = openImageChecks({
    store: storage.media,
    check: imageCheckOf(config, now),
    unanswered: (error) => log.warn({ reason: messageOf(error) }, 'an image was not checked'),
  })
  const media = mediaService({
    store: storage.media,
    limits,
    files,
    community,
    key: keyFor('media url'),
    checks: imageChecks,
    uploaded: imageBank.uploaded,
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
  const filter = filterService({
    store: storage.filter,
    async author(userId) {
      const user = await storage.users.byId(userId)
      return user && { created_at: user.created_at, verified: user.email_verified_at !== null }
    },
    hasWritten: storage.chats.hasWritten,
    // Of several nodes, each knows only what it has stored itself.
    recent: nodes === null ? openRecentTexts({ now }) : recentFromStorage({ chats: storage.chats, now }),
    ruleReports,
    images: { distanceTo: imageBank.distanceTo, checkOf: imageChecks.of },
    failed: (error) => log.error({ err: error }, 'a report that a rule asks for could not be filed'),
    nodes,
    key: keyFor('openers'),
    audit,
    paging,
    ids,
    now,
  })
  const messengerPhotos = openMessengerPhotos({
    users: storage.users,
    media,
    filter,
    webhooks,
    outbound,
    hosts: config.messengerPhotoHosts,
    log,
    now,
  })
  return {
    ruleReports,
    files,
    community,
    imageHashes,
    imageBank,
    imageChecks,
    media,
    photos,
    filter,
    messengerPhotos,
  }
}
