import { boolean, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { int8, json } from './columns.ts'

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

export const preferences = pgTable('preferences', {
  user_id: text().primaryKey(),
  drinks: json().notNull().default([]),
  activities: json().notNull().default([]),
  purposes: json().notNull().default([]),
  language: text().notNull().default('en'),
  folded: text().notNull().default('[]'),
  folded_of: text().notNull().default('[][][]'),
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

export const lastSeen = pgTable('last_seen', { user_id: text().primaryKey(), at: int8().notNull() })

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

export const ageRefusals = pgTable('age_refusals', {
  origin: text().primaryKey(),
  at: int8().notNull(),
})

export const unfinishedErasures = pgTable('unfinished_erasures', { user_id: text().primaryKey(), at: int8().notNull() })
