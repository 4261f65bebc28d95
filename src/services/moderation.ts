import { figuresService } from '../features/figures/service.ts'
import { profilePhotoCheck } from '../features/image-bank/profile-photos.ts'
import { openPendingChecks } from '../features/media/checks.ts'
import { noticeService } from '../features/moderation/notices.ts'
import { moderationService } from '../features/moderation/service.ts'
import { tagService } from '../features/tags/service.ts'
import { templateService } from '../features/templates/service.ts'
import { hours } from '../lib/time.ts'
import type { Accounts } from './accounts.ts'
import type { Content } from './content.ts'
import type { Core } from './core.ts'
import type { Outgoing } from './outgoing.ts'
import type { ProfileServices } from './profiles.ts'
import type { Realtime } from './realtime.ts'

export type ModerationServices = ReturnType<typeof buildModeration>

/** The work of moderators, and what follows from their decisions and from automatic rules. */
export function buildModeration({
  config,
  storage,
  paging,
  audit,
  callers,
  webhooks,
  schedule,
  ruleReports,
  files,
  imageHashes,
  imageBank,
  imageChecks,
  media,
  filter,
  profiles,
  chatViews,
  hub,
  announcements,
  auth,
  secondFactor,
  ids,
  now,
}: Core & Outgoing & Content & ProfileServices & Realtime & Accounts) {
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
  const moderation = moderationService({
    store: storage.moderation,
    queue: storage.queue,
    templates: storage.templates,
    auditLog: storage.audit,
    profiles,
    chats: chatViews,
    photos: media,
    imageHashes,
    imageBank,
    ruleReports,
    callers,
    sockets: hub.control,
    push: hub.push,
    schedule,
    webhooks,
    secondFactor,
    audit,
    paging,
    ids,
    now,
  })
  const pendingChecks = openPendingChecks({
    store: storage.media,
    files,
    checks: imageChecks,
    releaseChecked: moderation.releaseChecked,
  })
  const profilePhotos = profilePhotoCheck({
    store: storage.imageBank,
    hashesOf: imageHashes.of,
    filter,
    report: async (userId) => void (await ruleReports.file('user', userId, ['Banned images'])),
    takeDown: moderation.takeDownPhoto,
  })
  const figures = figuresService({ store: storage.figures, targetMs: config.reportTargetH * hours, now })
  const tags = tagService({ store: storage.tags, now })
  const templates = templateService({ store: storage.templates, audit, paging, ids, now })
  return { notices, moderation, pendingChecks, profilePhotos, figures, tags, templates }
}
