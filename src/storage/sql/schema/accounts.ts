import type { SchemaBuilders } from './columns.ts'

export const accounts = ({ table, text, int8, flag, json, either, key }: SchemaBuilders) => ({
  users: table('users', {
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
    show_age: flag().notNull().default(false),
  }),

  preferences: table('preferences', {
    user_id: text().primaryKey().notNull(),
    drinks: json<string[]>().notNull().default([]),
    activities: json<string[]>().notNull().default([]),
    purposes: json<string[]>().notNull().default([]),
    language: text().notNull().default('en'),
    folded: text().notNull().default('[]'),
    folded_of: text().notNull().default('[][][]'),
  }),

  consentLog: table(
    'consent_log',
    {
      id: text().notNull(),
      user_id: text().notNull(),
      // In SQLite, the rowid is the order.
      ...either({}, { seq: int8().notNull() }),
      kind: text({ enum: ['terms', 'privacy', 'disclaimer', 'marketing'] }).notNull(),
      accepted: flag().notNull(),
      version: text().notNull(),
      text_hash: text().notNull(),
      recorded_at: int8().notNull(),
      user_agent: text(),
      address: text(),
    },
    (t) => [key(t, either(['id'], ['user_id', 'seq']))],
  ),

  sessions: table(
    'sessions',
    {
      id: text().notNull(),
      user_id: text().notNull(),
      generation: int8().notNull().default(0),
      rotated_at: int8().notNull(),
      created_at: int8().notNull(),
      last_used_at: int8().notNull(),
      user_agent: text(),
      ended_at: int8(),
      passkey_at: int8(),
    },
    (t) => [key(t, either(['id'], ['user_id', 'id']))],
  ),

  lastSeen: table('last_seen', {
    user_id: text().primaryKey().notNull(),
    at: int8().notNull(),
  }),

  emailLinks: table('email_links', {
    hash: text().primaryKey().notNull(),
    user_id: text().notNull(),
    kind: text({ enum: ['verify', 'reset', 'change', 'undo'] }).notNull(),
    email: text(),
    expires_at: int8().notNull(),
    unverified_at: int8(),
  }),

  identities: table('identities', {
    id: text().primaryKey().notNull(),
    user_id: text().notNull(),
    kind: text({ enum: ['password', 'messenger', 'oidc'] }).notNull(),
    provider: text(),
    issuer: text(),
    subject: text(),
    client_id: text(),
    grant_token: text(),
    created_at: int8().notNull(),
    last_used_at: int8(),
  }),

  invites: table('invites', {
    id: text().primaryKey().notNull(),
    code_hash: text().notNull().unique(),
    uses: int8().notNull(),
    used: int8().notNull().default(0),
    expires_at: int8(),
    note: text(),
    created_at: int8().notNull(),
  }),

  passkeys: table('passkeys', {
    id: text().primaryKey().notNull(),
    user_id: text().notNull(),
    credential_id: text().notNull().unique(),
    public_key: text().notNull(),
    counter: int8().notNull(),
    transports: json<string[]>().notNull().default([]),
    label: text().notNull(),
    created_at: int8().notNull(),
    last_used_at: int8(),
  }),

  usedChallenges: table('used_challenges', {
    id: text().primaryKey().notNull(),
    expires_at: int8().notNull(),
  }),

  ageRefusals: table('age_refusals', {
    origin: text().primaryKey().notNull(),
    at: int8().notNull(),
  }),

  unfinishedErasures: table('unfinished_erasures', {
    user_id: text().primaryKey().notNull(),
    at: int8().notNull(),
  }),
})
