import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { nextCursor, nullable, object, pageQuery, queryNumber, time } from '../../http/schema.ts'
import type { Schema } from '../../http/openapi-schema.ts'
import { profile } from '../profile/model.ts'
import { genders } from '../profile/store.ts'
import type { FilterName } from './store.ts'

const latitude = { minimum: -90, maximum: 90, error: 'Expected degrees from -90 to 90' }
const longitude = { minimum: -180, maximum: 180, error: 'Expected degrees from -180 to 180' }

export const reading = t.Object(
  // TypeBox's `Number`: Elysia's would accept "52" for 52.
  { latitude: Type.Number(latitude), longitude: Type.Number(longitude) },
  {
    title: 'Position',
    // Two places within each other's default radius.
    examples: [
      { latitude: 38.7169, longitude: -9.1399 },
      { latitude: 38.7223, longitude: -9.1393 },
    ],
  },
)

export const location = object('Location', {
  latitude: nullable(t.Number({ description: 'Degrees, of the published position' })),
  longitude: nullable(t.Number()),
  visible: t.Boolean(),
  updated_at: nullable(time),
})

export const visibility = object('Visibility', { visible: Type.Boolean() })

// For the documents: the service checks the values, which are read from the URL (`filtersOf`).
const values = (example: string, documented: Schema = {}) =>
  t.Optional(
    t.Array(t.String({ documented }), {
      description: `Repeatable: any of them, as ${example}`,
      documented: { maxItems: 20 },
    }),
  )

const filters = {
  drinks: values('drinks=tea&drinks=wine'),
  activities: values('activities=chess'),
  purposes: values('purposes=friends'),
  language: values('language=en'),
  gender: values('gender=female', { title: 'Gender', enum: [...genders] }),
} satisfies Record<Exclude<FilterName, 'born'>, unknown>

const years = (description: string) =>
  t.Optional(
    queryNumber('integer', { minimum: 0, maximum: 150, description, error: 'Expected a whole number from 0 to 150' }),
  )

export const nearbyQuery = t.Object({
  lat: t.Optional(queryNumber('number', latitude)),
  lng: t.Optional(queryNumber('number', longitude)),
  radius: t.Optional(
    queryNumber('number', {
      minimum: 100,
      maximum: 100_000,
      default: 5000,
      error: 'Expected metres from 100 to 100000',
    }),
  ),
  limit: t.Optional(
    t.Integer({
      title: 'limit',
      minimum: 1,
      maximum: 100,
      default: 50,
      error: 'Expected a whole number from 1 to 100',
    }),
  ),
  cursor: pageQuery.cursor,
  age_min: years('Finds only people who show their age and are at least this old'),
  age_max: years('Finds only people who show their age and are at most this old'),
  ...filters,
})

export const neighbours = object('NeighbourList', {
  items: t.Array(
    object('Neighbour', {
      user: profile,
      latitude: t.Number(),
      longitude: t.Number(),
      distance_m: Type.Integer({ description: 'To the published position, rounded up to 100 m' }),
      updated_at: time,
    }),
  ),
  next_cursor: nextCursor,
})
