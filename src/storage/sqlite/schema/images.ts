import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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

export const evidencePhotos = sqliteTable(
  'evidence_photos',
  {
    media_id: text().notNull(),
    report_id: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.media_id, t.report_id] })],
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
