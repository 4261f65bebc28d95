import type { SchemaBuilders } from './columns.ts'

export const images = ({ table, text, integer, int8, either, key, unique }: SchemaBuilders) => ({
  media: table(
    'media',
    {
      id: text().notNull(),
      owner_id: text().notNull(),
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
    (t) => [key(t, either(['id'], ['owner_id', 'id'])), ...either([unique().on(t.file)], [])],
  ),

  evidencePhotos: table(
    'evidence_photos',
    {
      media_id: text().notNull(),
      report_id: text().notNull(),
    },
    (t) => [key(t, either(['media_id', 'report_id'], ['report_id', 'media_id']))],
  ),

  imageBank: table('image_bank', {
    id: text().primaryKey().notNull(),
    hash: text().notNull(),
    distance: int8(),
    reason: text().notNull(),
    report_id: text(),
    added_by: text(),
    created_at: int8().notNull(),
    version: int8().notNull(),
  }),

  imageBankState: table('image_bank_state', {
    id: int8().primaryKey().notNull(),
    version: int8().notNull(),
    checked_to: int8().notNull(),
    checking_to: int8(),
    checked_id: text(),
  }),
})
