import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core'
import type { ChannelKind, ChannelTargets } from '../../outbox/push.ts'
import { type Kind, outboxKinds, type Payloads } from '../../outbox/store.ts'
import { messageKinds } from '../../features/chats/content.ts'
import type { Evidence, PendingDecision, ReportReason } from '../../features/safety/store.ts'
import type { Rule } from '../../features/filter/store.ts'

// The migrated tables as Drizzle sees them; test/storage/migrations.test.ts compares the two.
// Times are milliseconds since 1970 in UTC.

export const users = sqliteTable('users', {
  id: text().primaryKey().notNull(),
  email: text().unique(),
  phone: text().unique(),
  messenger_id: text().unique(),
  password_hash: text(),
  name: text(),
  city: text(),
  bio: text(),
  gender: text({ enum: ['female', 'male', 'other'] }),
  photo: text(),
  role: text({ enum: ['user', 'moderator', 'admin'] })
    .notNull()
    .default('user'),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  deleted_at: integer(),
  suspended_until: integer(),
  suspended_reason: text(),
  suspension_id: text(),
  email_verified_at: integer(),
  email_asked_at: integer(),
  hidden: text({ enum: ['nearby', 'profile'] }),
  hidden_by: text(),
  birth_month: text(),
  show_age: integer({ mode: 'boolean' }).notNull().default(false),
})

export const consentLog = sqliteTable('consent_log', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  kind: text({ enum: ['terms', 'privacy', 'disclaimer', 'marketing'] }).notNull(),
  accepted: integer({ mode: 'boolean' }).notNull(),
  version: text().notNull(),
  text_hash: text().notNull(),
  recorded_at: integer().notNull(),
  user_agent: text(),
  address: text(),
})

export const auditLog = sqliteTable('audit_log', {
  id: text().primaryKey().notNull(),
  at: integer().notNull(),
  actor_id: text(),
  action: text().notNull(),
  subject_id: text(),
  metadata: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
})

export const preferences = sqliteTable('preferences', {
  user_id: text().primaryKey().notNull(),
  drinks: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  activities: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  purposes: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  language: text().notNull().default('en'),
  folded: text().notNull().default('[]'),
  folded_of: text().notNull().default('[][][]'),
})

export const locations = sqliteTable('locations', {
  id: integer().primaryKey().notNull(),
  user_id: text().notNull().unique(),
  latitude: real(),
  longitude: real(),
  square: integer(),
  visible: integer({ mode: 'boolean' }).notNull().default(true),
  cell: blob({ mode: 'buffer' }),
  strayed: integer({ mode: 'boolean' }).notNull().default(false),
  updated_at: integer(),
  held_back: integer({ mode: 'boolean' }).notNull().default(false),
})

export const nearbyTraits = sqliteTable(
  'nearby_traits',
  {
    trait: text().notNull(),
    square: integer().notNull(),
    location_id: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.trait, t.square, t.location_id] })],
)

export const nearbyPeople = sqliteTable(
  'nearby_people',
  {
    square: integer().notNull(),
    user_id: text().notNull(),
    name: text(),
    city: text(),
    bio: text(),
    gender: text(),
    photo: text(),
    drinks: text(),
    activities: text(),
    purposes: text(),
    language: text().notNull(),
    rating_avg: real(),
    reviews_count: integer().notNull(),
    created_at: integer().notNull(),
    hidden: text(),
    shown_birth_month: text(),
  },
  (t) => [primaryKey({ columns: [t.square, t.user_id] })],
)

export const locationCells = sqliteTable(
  'location_cells',
  {
    user_id: text().notNull(),
    tag: blob({ mode: 'buffer' }).notNull(),
    uses: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.tag] })],
)

export const chats = sqliteTable(
  'chats',
  {
    id: text().primaryKey().notNull(),
    user_a: text().notNull(),
    user_b: text().notNull(),
    created_at: integer().notNull(),
    last_msg_at: integer(),
    last_seq: integer().notNull().default(0),
    unread_a: integer().notNull().default(0),
    unread_b: integer().notNull().default(0),
    read_to_a: integer().notNull().default(0),
    read_to_b: integer().notNull().default(0),
    wrote_a: integer({ mode: 'boolean' }).notNull().default(false),
    wrote_b: integer({ mode: 'boolean' }).notNull().default(false),
    muted_a: integer(),
    muted_b: integer(),
    held_a: integer().notNull().default(0),
    held_b: integer().notNull().default(0),
    held_at_a: integer().notNull().default(0),
    held_at_b: integer().notNull().default(0),
  },
  (t) => [unique().on(t.user_a, t.user_b)],
)

export const messages = sqliteTable(
  'messages',
  {
    id: text().notNull().unique(),
    chat_id: text().notNull(),
    seq: integer().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: integer(),
    deleted_at: integer(),
    created_at: integer().notNull(),
    read_at: integer(),
    caution: text(),
  },
  (t) => [primaryKey({ columns: [t.chat_id, t.seq] })],
)

export const heldMessages = sqliteTable(
  'held_messages',
  {
    id: text().primaryKey().notNull(),
    chat_id: text().notNull(),
    seq: integer().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: integer(),
    deleted_at: integer(),
    created_at: integer().notNull(),
    caution: text(),
  },
  (t) => [unique().on(t.chat_id, t.seq)],
)

export const blocks = sqliteTable(
  'blocks',
  {
    id: text().primaryKey().notNull(),
    blocker_id: text().notNull(),
    blocked_id: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [
    unique().on(t.blocker_id, t.blocked_id),
    index('blocks_by_blocked').on(t.blocked_id, t.blocker_id),
    index('blocks_of_user').on(t.blocker_id, t.created_at, t.id),
  ],
)

export const reports = sqliteTable('reports', {
  id: text().primaryKey().notNull(),
  reporter_id: text(),
  target: text({ enum: ['user', 'message', 'review'] }).notNull(),
  target_id: text().notNull(),
  subject_id: text(),
  reason: text().$type<ReportReason>().notNull(),
  details: text(),
  status: text({ enum: ['open', 'resolved'] })
    .notNull()
    .default('open'),
  evidence: text({ mode: 'json' }).$type<Evidence>(),
  created_at: integer().notNull(),
  resolved_at: integer(),
  resolved_by: text(),
  action: text({ enum: ['dismiss', 'warn', 'remove_content', 'suspend'] }),
  note: text(),
  until: integer(),
  /** Whom a reported review is of. */
  reviewed_id: text().generatedAlwaysAs(sql`CASE WHEN target = 'review' THEN evidence ->> '$.review.reviewed_id' END`, {
    mode: 'virtual',
  }),
  due_at: integer(),
  claimed_by: text(),
  claimed_until: integer(),
  pending: text({ mode: 'json' }).$type<PendingDecision>(),
  pending_until: integer(),
  kind: text({ enum: ['rule', 'held'] }),
  hides: integer(),
  origin: text(),
})

export const reviews = sqliteTable('reviews', {
  id: text().primaryKey().notNull(),
  chat_id: text().notNull().unique(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  anonymous: integer({ mode: 'boolean' }).notNull().default(false),
  text: text(),
  created_at: integer().notNull(),
})

export const pendingReviews = sqliteTable('pending_reviews', {
  chat_id: text().primaryKey().notNull(),
  id: text().notNull().unique(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  text: text(),
  created_at: integer().notNull(),
  appears_at: integer().notNull(),
})

export const userStats = sqliteTable('user_stats', {
  user_id: text().primaryKey().notNull(),
  rating_avg: real(),
  count: integer().notNull().default(0),
})

export const lastSeen = sqliteTable('last_seen', {
  user_id: text().primaryKey().notNull(),
  at: integer().notNull(),
})

export const sessions = sqliteTable('sessions', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  generation: integer().notNull().default(0),
  rotated_at: integer().notNull(),
  created_at: integer().notNull(),
  last_used_at: integer().notNull(),
  user_agent: text(),
  ended_at: integer(),
  passkey_at: integer(),
})

export const media = sqliteTable('media', {
  id: text().primaryKey().notNull(),
  owner_id: text().notNull(),
  file: text().notNull().unique(),
  width: integer().notNull(),
  height: integer().notNull(),
  placeholder: text().notNull(),
  bytes: integer().notNull(),
  created_at: integer().notNull(),
  thumb_bytes: integer(),
  hashes: text(),
  hash_quality: integer(),
  check_action: text(),
  check_label: text(),
})

export const eventCounters = sqliteTable('event_counters', {
  user_id: text().primaryKey().notNull(),
  seq: integer().notNull(),
})

export const events = sqliteTable(
  'events',
  {
    user_id: text().notNull(),
    seq: integer().notNull(),
    type: text().notNull(),
    at: integer().notNull(),
    ref: text(),
    data: text({ mode: 'json' }).$type<unknown>(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.seq] })],
)

export const messageVersions = sqliteTable(
  'message_versions',
  {
    message_id: text().notNull(),
    at: integer().notNull(),
    text: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.message_id, t.at] })],
)

export const notices = sqliteTable('notices', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  report_id: text(),
  action: text({
    enum: ['warn', 'remove_content', 'suspend', 'unsuspend', 'appeal_upheld', 'appeal_rejected'],
  }).notNull(),
  reason: text().notNull(),
  note: text(),
  until: integer(),
  created_at: integer().notNull(),
  decided_by: text(),
  strikes: integer(),
  kind: text({ enum: ['hide', 'show'] }),
})

export const appeals = sqliteTable('appeals', {
  id: text().primaryKey().notNull(),
  notice_id: text().notNull().unique(),
  user_id: text().notNull(),
  text: text().notNull(),
  status: text({ enum: ['open', 'upheld', 'rejected'] })
    .notNull()
    .default('open'),
  created_at: integer().notNull(),
  resolved_at: integer(),
  resolved_by: text(),
  note: text(),
})

export const ageRefusals = sqliteTable('age_refusals', {
  origin: text().primaryKey().notNull(),
  at: integer().notNull(),
})

export const announcements = sqliteTable('announcements', {
  id: text().primaryKey().notNull(),
  text: text().notNull(),
  until: integer(),
  created_at: integer().notNull(),
})

export const templates = sqliteTable(
  'templates',
  {
    id: text().primaryKey().notNull(),
    name: text().notNull(),
    language: text().notNull(),
    text: text().notNull(),
    created_at: integer().notNull(),
  },
  (t) => [unique().on(t.name, t.language)],
)

export const dailyFigures = sqliteTable('daily_figures', {
  day: integer().primaryKey().notNull(),
  registered: integer().notNull(),
  active: integer().notNull(),
  messages: integer().notNull(),
  chats: integer().notNull(),
  reports: integer().notNull(),
  decided: integer().notNull(),
  blocks: integer().notNull(),
  counted_at: integer().notNull(),
})

export const evidencePhotos = sqliteTable(
  'evidence_photos',
  {
    media_id: text().notNull(),
    report_id: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.media_id, t.report_id] })],
)

export const unfinishedErasures = sqliteTable('unfinished_erasures', {
  user_id: text().primaryKey().notNull(),
  at: integer().notNull(),
})

export const community = sqliteTable('community', { name: text().primaryKey().notNull(), value: text().notNull() })

export const outbox = sqliteTable('outbox', {
  id: text().primaryKey().notNull(),
  kind: text({ enum: outboxKinds }).$type<Kind>().notNull(),
  user_id: text(),
  payload: text({ mode: 'json' }).$type<Payloads[Kind]>().notNull(),
  created_at: integer().notNull(),
  due_at: integer().notNull(),
  leased_by: text(),
  attempts: integer().notNull().default(0),
  last_error: text(),
  slot: text(),
  again_at: integer(),
  lane: text(),
  ordered_by: text(),
  position: integer(),
})

export const emailLinks = sqliteTable('email_links', {
  hash: text().primaryKey().notNull(),
  user_id: text().notNull(),
  kind: text({ enum: ['verify', 'reset', 'change', 'undo'] }).notNull(),
  email: text(),
  expires_at: integer().notNull(),
})

export const identities = sqliteTable('identities', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  kind: text({ enum: ['password', 'messenger', 'oidc'] }).notNull(),
  provider: text(),
  issuer: text(),
  subject: text(),
  client_id: text(),
  grant_token: text(),
  created_at: integer().notNull(),
  last_used_at: integer(),
})

export const invites = sqliteTable('invites', {
  id: text().primaryKey().notNull(),
  code_hash: text().notNull().unique(),
  uses: integer().notNull(),
  used: integer().notNull().default(0),
  expires_at: integer(),
  note: text(),
  created_at: integer().notNull(),
})

export const channels = sqliteTable('channels', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  session_id: text().notNull(),
  kind: text().$type<ChannelKind>().notNull(),
  target: text({ mode: 'json' }).$type<ChannelTargets[ChannelKind]>().notNull(),
  target_hash: text().notNull().unique(),
  label: text().notNull(),
  created_at: integer().notNull(),
  last_delivered_at: integer(),
  failing_since: integer(),
})

export const notificationPreferences = sqliteTable('notification_preferences', {
  user_id: text().primaryKey().notNull(),
  messages: integer({ mode: 'boolean' }).notNull().default(true),
  chats: integer({ mode: 'boolean' }).notNull().default(true),
  reviews: integer({ mode: 'boolean' }).notNull().default(true),
  digest: text({ enum: ['off', 'daily'] })
    .notNull()
    .default('off'),
  preview: text({ enum: ['none', 'name', 'full'] })
    .notNull()
    .default('name'),
  quiet_from: integer(),
  quiet_to: integer(),
  quiet_zone: text(),
  digest_at: integer(),
})

export const shownNotifications = sqliteTable(
  'shown_notifications',
  {
    channel_id: text().notNull(),
    tag: text().notNull(),
    user_id: text().notNull(),
    ref: text().notNull(),
    content_hash: text().notNull(),
    shown: text(),
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channel_id, t.tag] })],
)

export const botPermissions = sqliteTable('bot_permissions', {
  user_id: text().primaryKey().notNull(),
  messenger_id: text().notNull(),
  state: text({ enum: ['granted', 'stopped', 'refused'] }).notNull(),
  language: text({ enum: ['en', 'ru'] }).notNull(),
  changed_at: integer().notNull(),
  told_at: integer(),
  told_until: integer(),
})

export const botUpdates = sqliteTable('bot_updates', {
  update_id: integer().primaryKey().notNull(),
  at: integer().notNull(),
})

export const ruleVersions = sqliteTable('rule_versions', {
  version: integer().primaryKey().notNull(),
  change: text({ enum: ['created', 'changed', 'deleted', 'imported'] }).notNull(),
  rule_id: text(),
  rule_count: integer().notNull(),
  rules: text({ mode: 'json' }).$type<Rule[]>().notNull(),
  actor_id: text(),
  at: integer().notNull(),
})

export const openers = sqliteTable(
  'openers',
  {
    user_id: text().notNull(),
    text_hash: text().notNull(),
    chat_id: text().notNull(),
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.text_hash, t.chat_id] })],
)

export const imageBank = sqliteTable('image_bank', {
  id: text().primaryKey().notNull(),
  hash: text().notNull(),
  distance: integer(),
  reason: text().notNull(),
  report_id: text(),
  added_by: text(),
  created_at: integer().notNull(),
  version: integer().notNull(),
})

export const imageBankState = sqliteTable('image_bank_state', {
  id: integer().primaryKey().notNull(),
  version: integer().notNull(),
  checked_to: integer().notNull(),
  checking_to: integer(),
  checked_id: text(),
})

export const passkeys = sqliteTable('passkeys', {
  id: text().primaryKey().notNull(),
  user_id: text().notNull(),
  credential_id: text().notNull().unique(),
  public_key: text().notNull(),
  counter: integer().notNull(),
  transports: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  label: text().notNull(),
  created_at: integer().notNull(),
  last_used_at: integer(),
})

export const usedChallenges = sqliteTable('used_challenges', {
  id: text().primaryKey().notNull(),
  expires_at: integer().notNull(),
})
