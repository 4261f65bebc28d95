import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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

export const preferences = sqliteTable('preferences', {
  user_id: text().primaryKey().notNull(),
  drinks: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  activities: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  purposes: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
  language: text().notNull().default('en'),
  folded: text().notNull().default('[]'),
  folded_of: text().notNull().default('[][][]'),
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

export const lastSeen = sqliteTable('last_seen', {
  user_id: text().primaryKey().notNull(),
  at: integer().notNull(),
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

export const ageRefusals = sqliteTable('age_refusals', {
  origin: text().primaryKey().notNull(),
  at: integer().notNull(),
})

export const unfinishedErasures = sqliteTable('unfinished_erasures', {
  user_id: text().primaryKey().notNull(),
  at: integer().notNull(),
})
