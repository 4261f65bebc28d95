import { integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { int8 } from './columns.ts'

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

export const evidencePhotos = pgTable(
  'evidence_photos',
  { report_id: text().notNull(), media_id: text().notNull() },
  (t) => [primaryKey({ columns: [t.report_id, t.media_id] })],
)

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
