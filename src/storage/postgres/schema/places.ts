import { boolean, doublePrecision, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, int8 } from './columns.ts'

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

export const locationCells = pgTable(
  'location_cells',
  { user_id: text().notNull(), tag: bytea().notNull(), uses: int8().notNull() },
  (t) => [primaryKey({ columns: [t.user_id, t.tag] })],
)

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
