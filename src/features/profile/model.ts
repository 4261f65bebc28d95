import type { TSchema } from '@sinclair/typebox'
import { t } from 'elysia'
import { line, prose } from '../../text.ts'
import { legalKinds } from '../legal/service.ts'

const gender = t.Union([t.Literal('female'), t.Literal('male'), t.Literal('other')], {
  error: 'Expected female, male or other',
})

/** One of those words. */
export const oneOf = <const T extends readonly string[]>(words: T) =>
  t.Unsafe<T[number]>(
    t.Union(
      words.map((word) => t.Literal(word)),
      { error: `Expected one of ${words.join(', ')}` },
    ),
  )

/** What the schema takes, or null. */
export const nullable = <T extends TSchema>(schema: T) =>
  t.Union([schema, t.Null()], schema.error === undefined ? {} : { error: `${schema.error}, or null` })

/** What a request may leave out, or give as null, which is the same: some clients write all their fields. */
export const optional = <T extends TSchema>(schema: T) => t.Optional(nullable(schema))

/** An id as clients may write it: its letters in either case (RFC 9562, section 4), as Swift does. Ours are lower case. */
export const uuid = (error = 'Expected a UUID') =>
  t
    .Transform(t.String({ format: 'uuid', error }))
    .Decode((id) => id.toLowerCase())
    .Encode((id) => id)

export const id = uuid()
/** A time that we tell. All of them are written by one function: not examined again whenever one goes out. */
export const time = t.String({ documented: { format: 'date-time' } })

export const me = t.Object(
  {
    id: t.String(),
    name: nullable(t.String()),
    city: nullable(t.String()),
    bio: nullable(t.String()),
    gender: nullable(gender),
    photo: nullable(t.String()),
    email: nullable(t.String()),
    phone: nullable(t.String()),
    messenger_id: nullable(t.String()),
    role: t.Union([t.Literal('user'), t.Literal('moderator'), t.Literal('admin')]),
    visible: t.Boolean(),
    consents_missing: t.Array(t.String({ documented: { enum: [...legalKinds] } })),
    created_at: time,
    updated_at: time,
  },
  { title: 'Me' },
)

export const profile = t.Object(
  {
    id: t.String(),
    name: nullable(t.String()),
    city: nullable(t.String()),
    bio: nullable(t.String()),
    gender: nullable(gender),
    photo: nullable(t.String()),
    drinks: t.Array(t.String()),
    activities: t.Array(t.String()),
    purposes: t.Array(t.String()),
    language: nullable(t.String()),
    rating_avg: nullable(t.Number()),
    reviews_count: t.Integer(),
    created_at: nullable(time),
  },
  { title: 'User' },
)

/** What a profile may hold, for registration and for changes. */
export const profileFields = {
  name: line(80, { min: 1 }),
  city: nullable(line(80)),
  bio: nullable(prose(500)),
  gender: nullable(gender),
  photo: nullable(t.String({ maxLength: 2048, description: 'Id of an image that you uploaded, or an https URL' })),
}

export const profileChange = t.Partial(t.Object(profileFields))

const choices = t.Array(line(40, { min: 1 }), { maxItems: 20, description: 'Up to 20, no duplicates' })

export const preferences = t.Object({
  drinks: t.Array(t.String()),
  activities: t.Array(t.String()),
  purposes: t.Array(t.String()),
  language: t.String(),
})

export const preferencesChange = t.Partial(
  t.Object({
    drinks: choices,
    activities: choices,
    purposes: choices,
    language: t.String({ maxLength: 35, description: 'BCP 47 tag' }),
  }),
)
