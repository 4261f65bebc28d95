import { blob, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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

export const locationCells = sqliteTable(
  'location_cells',
  {
    user_id: text().notNull(),
    tag: blob({ mode: 'buffer' }).notNull(),
    uses: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.tag] })],
)

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
