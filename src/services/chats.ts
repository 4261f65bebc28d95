import { chatService } from '../features/chats/service.ts'
import { reviewService } from '../features/reviews/service.ts'
import { safetyService } from '../features/safety/service.ts'
import { hours } from '../lib/time.ts'
import type { Content } from './content.ts'
import type { Core } from './core.ts'
import type { Outgoing } from './outgoing.ts'
import type { ProfileServices } from './profiles.ts'
import type { Realtime } from './realtime.ts'

export type ChatServices = ReturnType<typeof buildChats>

/** Chats, reviews, blocks and reports. */
export function buildChats({
  config,
  storage,
  keyFor,
  limits,
  paging,
  audit,
  blocking,
  webhooks,
  schedule,
  bot,
  ruleReports,
  media,
  filter,
  profiles,
  chatViews,
  hub,
  ids,
  now,
  random,
}: Core & Outgoing & Content & ProfileServices & Realtime) {
  const chats = chatService({
    store: storage.chats,
    views: chatViews,
    profiles,
    filter,
    ruleReports,
    blocking,
    photos: media,
    limits,
    push: hub.push,
    schedule,
    ids,
    now,
    firstContact: config.firstContact,
    paging,
  })
  const reviews = reviewService({
    store: storage.reviews,
    profiles,
    filter,
    blocking,
    push: hub.push,
    schedule,
    audit,
    paging,
    ids,
    now,
    random,
    anonymousDelayMs: config.anonymousReviewDelayH * hours,
  })
  const safety = safetyService({
    blocks: storage.blocks,
    reports: storage.reports,
    push: hub.push,
    schedule,
    webhooks,
    moderatorParcels: bot.reminderParcels,
    targetMs: config.reportTargetH * hours,
    originKey: keyFor('report origins'),
    audit,
    paging,
    ids,
    now,
  })
  return { chats, reviews, safety }
}
