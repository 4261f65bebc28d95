import type { SchemaBuilders } from './columns.ts'

export const places = ({ table, text, int8, real, flag, bytes, either, key }: SchemaBuilders) => ({
  locations: table('locations', {
    ...either(
      { id: int8().primaryKey().notNull(), user_id: text().notNull().unique() },
      { user_id: text().primaryKey().notNull() },
    ),
    latitude: real(),
    longitude: real(),
    square: int8(),
    visible: flag().notNull().default(true),
    cell: bytes(),
    strayed: flag().notNull().default(false),
    updated_at: int8(),
    held_back: flag().notNull().default(false),
  }),

  locationCells: table(
    'location_cells',
    {
      user_id: text().notNull(),
      tag: bytes().notNull(),
      uses: int8().notNull(),
    },
    (t) => [key(t, ['user_id', 'tag'])],
  ),

  nearbyTraits: table(
    'nearby_traits',
    {
      trait: text().notNull(),
      square: int8().notNull(),
      ...either({ location_id: int8().notNull() }, { user_id: text().notNull() }),
    },
    (t) => [key(t, either(['trait', 'square', 'location_id'], ['trait', 'square', 'user_id']))],
  ),

  nearbyPeople: table(
    'nearby_people',
    {
      square: int8().notNull(),
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
      reviews_count: int8().notNull(),
      created_at: int8().notNull(),
      hidden: text(),
      shown_birth_month: text(),
    },
    (t) => [key(t, either(['square', 'user_id'], ['user_id']))],
  ),
})
