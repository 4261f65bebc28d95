import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  doublePrecision,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core'
import { messageKinds } from '../../features/chats/content.ts'

// The migrated tables as Drizzle sees them; test/process/migrations-postgres.test.ts compares the two.
// Times are milliseconds since 1970 in UTC. JSON is text: `JSON.stringify` on the way in, `JSON.parse` on the way out.
//
// What each table is sharded by stands first in its primary key. Global, and so a look-up on all shards, are the unique
// email, phone and messenger_id of users, the pair of a chat, a sender's client_id, and the one open report of a thing.

const int8 = () => bigint({ mode: 'number' })
/** JSON, kept as the text that JSON.stringify makes. */
const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'text',
  toDriver: JSON.stringify,
  fromDriver: (text) => JSON.parse(text),
})
const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

export const users = pgTable('users', {
  id: text().primaryKey(),
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
  created_at: int8().notNull(),
  updated_at: int8().notNull(),
  deleted_at: int8(),
  suspended_until: int8(),
  suspended_reason: text(),
  suspension_id: text(),
  email_verified_at: int8(),
  email_asked_at: int8(),
  hidden: text({ enum: ['nearby', 'profile'] }),
  hidden_by: text(),
  birth_month: text(),
  show_age: boolean().notNull().default(false),
})

export const consentLog = pgTable(
  'consent_log',
  {
    user_id: text().notNull(),
    seq: int8().notNull(),
    id: text().notNull(),
    kind: text({ enum: ['terms', 'privacy', 'disclaimer', 'marketing'] }).notNull(),
    accepted: boolean().notNull(),
    version: text().notNull(),
    text_hash: text().notNull(),
    recorded_at: int8().notNull(),
    user_agent: text(),
    address: text(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.seq] })],
)

export const auditLog = pgTable('audit_log', {
  id: text().primaryKey(),
  at: int8().notNull(),
  actor_id: text(),
  action: text().notNull(),
  subject_id: text(),
  metadata: json().notNull(),
})

export const preferences = pgTable('preferences', {
  user_id: text().primaryKey(),
  drinks: json().notNull().default([]),
  activities: json().notNull().default([]),
  purposes: json().notNull().default([]),
  language: text().notNull().default('en'),
  folded: text().notNull().default('[]'),
  folded_of: text().notNull().default('[][][]'),
})

export const locations = pgTable('locations', {
  user_id: text().primaryKey(),
  latitude: doublePrecision(),
  longitude: doublePrecision(),
  square: int8(),
  visible: boolean().notNull().default(true),
  cell: bytea(),
  strayed: boolean().notNull().default(false),
  updated_at: int8(),
  held_back: boolean().notNull().default(false),
})

export const nearbyTraits = pgTable(
  'nearby_traits',
  { trait: text().notNull(), square: int8().notNull(), user_id: text().notNull() },
  (t) => [primaryKey({ columns: [t.trait, t.square, t.user_id] })],
)

export const nearbyPeople = pgTable('nearby_people', {
  square: int8().notNull(),
  user_id: text().primaryKey(),
  name: text(),
  city: text(),
  bio: text(),
  gender: text(),
  photo: text(),
  drinks: text(),
  activities: text(),
  purposes: text(),
  language: text().notNull(),
  rating_avg: doublePrecision(),
  reviews_count: int8().notNull(),
  created_at: int8().notNull(),
  hidden: text(),
  shown_birth_month: text(),
})

export const locationCells = pgTable(
  'location_cells',
  { user_id: text().notNull(), tag: bytea().notNull(), uses: int8().notNull() },
  (t) => [primaryKey({ columns: [t.user_id, t.tag] })],
)

export const chats = pgTable(
  'chats',
  {
    id: text().primaryKey(),
    user_a: text().notNull(),
    user_b: text().notNull(),
    created_at: int8().notNull(),
    last_msg_at: int8(),
    last_seq: int8().notNull().default(0),
    unread_a: int8().notNull().default(0),
    unread_b: int8().notNull().default(0),
    read_to_a: int8().notNull().default(0),
    read_to_b: int8().notNull().default(0),
    wrote_a: boolean().notNull().default(false),
    wrote_b: boolean().notNull().default(false),
    muted_a: int8(),
    muted_b: int8(),
    held_a: int8().notNull().default(0),
    held_b: int8().notNull().default(0),
    held_at_a: int8().notNull().default(0),
    held_at_b: int8().notNull().default(0),
  },
  (t) => [unique().on(t.user_a, t.user_b)],
)

export const messages = pgTable(
  'messages',
  {
    id: text().notNull(),
    chat_id: text().notNull(),
    seq: int8().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: int8(),
    deleted_at: int8(),
    created_at: int8().notNull(),
    read_at: int8(),
    caution: text(),
  },
  (t) => [primaryKey({ columns: [t.chat_id, t.seq] })],
)

export const heldMessages = pgTable(
  'held_messages',
  {
    id: text().primaryKey(),
    chat_id: text().notNull(),
    seq: int8().notNull(),
    sender_id: text().notNull(),
    kind: text({ enum: messageKinds }).notNull(),
    text: text(),
    photo_id: text(),
    client_id: text(),
    edited_at: int8(),
    deleted_at: int8(),
    created_at: int8().notNull(),
    caution: text(),
  },
  (t) => [unique().on(t.chat_id, t.seq)],
)

export const blocks = pgTable(
  'blocks',
  {
    blocker_id: text().notNull(),
    blocked_id: text().notNull(),
    id: text().notNull(),
    created_at: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.blocker_id, t.blocked_id] })],
)

export const reports = pgTable('reports', {
  id: text().primaryKey(),
  reporter_id: text(),
  target: text({ enum: ['user', 'message', 'review'] }).notNull(),
  target_id: text().notNull(),
  subject_id: text(),
  reason: text().notNull(),
  details: text(),
  status: text({ enum: ['open', 'resolved'] })
    .notNull()
    .default('open'),
  evidence: json(),
  created_at: int8().notNull(),
  resolved_at: int8(),
  resolved_by: text(),
  action: text({ enum: ['dismiss', 'warn', 'remove_content', 'suspend'] }),
  note: text(),
  until: int8(),
  /** Whom a reported review is of. */
  reviewed_id: text().generatedAlwaysAs(
    sql`CASE WHEN target = 'review' THEN evidence::json -> 'review' ->> 'reviewed_id' END`,
  ),
  due_at: int8(),
  claimed_by: text(),
  claimed_until: int8(),
  pending: json(),
  pending_until: int8(),
  kind: text({ enum: ['rule', 'held'] }),
  hides: int8(),
  origin: text(),
})

export const reviews = pgTable('reviews', {
  chat_id: text().primaryKey(),
  id: text().notNull(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  anonymous: boolean().notNull().default(false),
  text: text(),
  created_at: int8().notNull(),
})

export const pendingReviews = pgTable('pending_reviews', {
  chat_id: text().primaryKey(),
  id: text().notNull(),
  reviewer_id: text(),
  reviewed_id: text().notNull(),
  rating: integer().notNull(),
  text: text(),
  created_at: int8().notNull(),
  appears_at: int8().notNull(),
})

export const userStats = pgTable('user_stats', {
  user_id: text().primaryKey(),
  rating_avg: doublePrecision(),
  count: int8().notNull().default(0),
})

export const lastSeen = pgTable('last_seen', { user_id: text().primaryKey(), at: int8().notNull() })

export const sessions = pgTable(
  'sessions',
  {
    user_id: text().notNull(),
    id: text().notNull(),
    generation: int8().notNull().default(0),
    rotated_at: int8().notNull(),
    created_at: int8().notNull(),
    last_used_at: int8().notNull(),
    user_agent: text(),
    ended_at: int8(),
    passkey_at: int8(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.id] })],
)

export const media = pgTable(
  'media',
  {
    owner_id: text().notNull(),
    id: text().notNull(),
    file: text().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    placeholder: text().notNull(),
    bytes: int8().notNull(),
    created_at: int8().notNull(),
    thumb_bytes: int8(),
    hashes: text(),
    hash_quality: int8(),
    check_action: text(),
    check_label: text(),
  },
  (t) => [primaryKey({ columns: [t.owner_id, t.id] })],
)

export const eventCounters = pgTable('event_counters', { user_id: text().primaryKey(), seq: int8().notNull() })

export const events = pgTable(
  'events',
  {
    user_id: text().notNull(),
    seq: int8().notNull(),
    type: text().notNull(),
    at: int8().notNull(),
    ref: text(),
    data: text(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.seq] })],
)

export const messageVersions = pgTable(
  'message_versions',
  {
    chat_id: text().notNull(),
    message_id: text().notNull(),
    at: int8().notNull(),
    text: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.chat_id, t.message_id, t.at] })],
)

export const notices = pgTable(
  'notices',
  {
    user_id: text().notNull(),
    id: text().notNull(),
    report_id: text(),
    action: text({
      enum: ['warn', 'remove_content', 'suspend', 'unsuspend', 'appeal_upheld', 'appeal_rejected'],
    }).notNull(),
    reason: text().notNull(),
    note: text(),
    until: int8(),
    created_at: int8().notNull(),
    decided_by: text(),
    strikes: int8(),
    kind: text({ enum: ['hide', 'show'] }),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.id] })],
)

export const appeals = pgTable(
  'appeals',
  {
    user_id: text().notNull(),
    notice_id: text().notNull(),
    id: text().notNull(),
    text: text().notNull(),
    status: text({ enum: ['open', 'upheld', 'rejected'] })
      .notNull()
      .default('open'),
    created_at: int8().notNull(),
    resolved_at: int8(),
    resolved_by: text(),
    note: text(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.notice_id] })],
)

export const ageRefusals = pgTable('age_refusals', {
  origin: text().primaryKey(),
  at: int8().notNull(),
})

export const announcements = pgTable('announcements', {
  id: text().primaryKey(),
  text: text().notNull(),
  until: int8(),
  created_at: int8().notNull(),
})

export const templates = pgTable(
  'templates',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    language: text().notNull(),
    text: text().notNull(),
    created_at: int8().notNull(),
  },
  (t) => [unique().on(t.name, t.language)],
)

export const dailyFigures = pgTable('daily_figures', {
  day: int8().primaryKey(),
  registered: int8().notNull(),
  active: int8().notNull(),
  messages: int8().notNull(),
  chats: int8().notNull(),
  reports: int8().notNull(),
  decided: int8().notNull(),
  blocks: int8().notNull(),
  counted_at: int8().notNull(),
})

export const evidencePhotos = pgTable(
  'evidence_photos',
  { report_id: text().notNull(), media_id: text().notNull() },
  (t) => [primaryKey({ columns: [t.report_id, t.media_id] })],
)

export const unfinishedErasures = pgTable('unfinished_erasures', { user_id: text().primaryKey(), at: int8().notNull() })

export const community = pgTable('community', { name: text().primaryKey(), value: text().notNull() })

export const jobTurns = pgTable('job_turns', {
  job: text().primaryKey(),
  at: int8().notNull(),
  holder: text(),
  until: int8().notNull(),
  succeeded_at: int8(),
})

export const nodes = pgTable('nodes', {
  id: text().primaryKey(),
  place: text().notNull(),
  host: text().notNull(),
  lacks: text().notNull(),
  seen_at: int8().notNull(),
})

export const outbox = pgTable('outbox', {
  id: text().primaryKey(),
  kind: text().notNull(),
  user_id: text(),
  payload: json().notNull(),
  created_at: int8().notNull(),
  due_at: int8().notNull(),
  leased_by: text(),
  attempts: int8().notNull().default(0),
  last_error: text(),
  slot: text(),
  again_at: int8(),
  lane: text(),
  ordered_by: text(),
  position: int8(),
})

export const emailLinks = pgTable('email_links', {
  hash: text().primaryKey(),
  user_id: text().notNull(),
  kind: text({ enum: ['verify', 'reset', 'change', 'undo'] }).notNull(),
  email: text(),
  expires_at: int8().notNull(),
})

export const identities = pgTable('identities', {
  id: text().primaryKey(),
  user_id: text().notNull(),
  kind: text({ enum: ['password', 'messenger', 'oidc'] }).notNull(),
  provider: text(),
  issuer: text(),
  subject: text(),
  client_id: text(),
  grant_token: text(),
  created_at: int8().notNull(),
  last_used_at: int8(),
})

export const invites = pgTable('invites', {
  id: text().primaryKey(),
  code_hash: text().notNull().unique(),
  uses: int8().notNull(),
  used: int8().notNull().default(0),
  expires_at: int8(),
  note: text(),
  created_at: int8().notNull(),
})

export const channels = pgTable('channels', {
  id: text().primaryKey(),
  user_id: text().notNull(),
  session_id: text().notNull(),
  kind: text().notNull(),
  target: json().notNull(),
  target_hash: text().notNull().unique(),
  label: text().notNull(),
  created_at: int8().notNull(),
  last_delivered_at: int8(),
  failing_since: int8(),
})

export const notificationPreferences = pgTable('notification_preferences', {
  user_id: text().primaryKey(),
  messages: boolean().notNull().default(true),
  chats: boolean().notNull().default(true),
  reviews: boolean().notNull().default(true),
  digest: text({ enum: ['off', 'daily'] })
    .notNull()
    .default('off'),
  preview: text({ enum: ['none', 'name', 'full'] })
    .notNull()
    .default('name'),
  quiet_from: int8(),
  quiet_to: int8(),
  quiet_zone: text(),
  digest_at: int8(),
})

export const shownNotifications = pgTable(
  'shown_notifications',
  {
    channel_id: text().notNull(),
    tag: text().notNull(),
    user_id: text().notNull(),
    ref: text().notNull(),
    content_hash: text().notNull(),
    shown: text(),
    at: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channel_id, t.tag] })],
)

export const botPermissions = pgTable('bot_permissions', {
  user_id: text().primaryKey(),
  messenger_id: text().notNull(),
  state: text({ enum: ['granted', 'stopped', 'refused'] }).notNull(),
  language: text({ enum: ['en', 'ru'] }).notNull(),
  changed_at: int8().notNull(),
  told_at: int8(),
  told_until: int8(),
})

export const botUpdates = pgTable('bot_updates', {
  update_id: int8().primaryKey(),
  at: int8().notNull(),
})

export const ruleVersions = pgTable('rule_versions', {
  version: int8().primaryKey(),
  change: text({ enum: ['created', 'changed', 'deleted', 'imported'] }).notNull(),
  rule_id: text(),
  rule_count: int8().notNull(),
  rules: json().notNull(),
  actor_id: text(),
  at: int8().notNull(),
})

export const imageBank = pgTable('image_bank', {
  id: text().primaryKey(),
  hash: text().notNull(),
  distance: int8(),
  reason: text().notNull(),
  report_id: text(),
  added_by: text(),
  created_at: int8().notNull(),
  version: int8().notNull(),
})

export const imageBankState = pgTable('image_bank_state', {
  id: int8().primaryKey(),
  version: int8().notNull(),
  checked_to: int8().notNull(),
  checking_to: int8(),
  checked_id: text(),
})

export const openers = pgTable(
  'openers',
  {
    user_id: text().notNull(),
    text_hash: text().notNull(),
    chat_id: text().notNull(),
    at: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.text_hash, t.chat_id] })],
)
export const passkeys = pgTable('passkeys', {
  id: text().primaryKey(),
  user_id: text().notNull(),
  credential_id: text().notNull().unique(),
  public_key: text().notNull(),
  counter: int8().notNull(),
  transports: json().notNull().default([]),
  label: text().notNull(),
  created_at: int8().notNull(),
  last_used_at: int8(),
})

export const usedChallenges = pgTable('used_challenges', { id: text().primaryKey(), expires_at: int8().notNull() })
