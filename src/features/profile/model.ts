import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, nullable, object, oneOf, time } from '../../http/schema.ts'
import { label, longestLanguageTag, prose } from '../../lib/text.ts'
import { legalKinds } from '../legal/service.ts'
import { hidings } from './store.ts'

const gender = t.Union([t.Literal('female'), t.Literal('male'), t.Literal('other')], {
  title: 'Gender',
  error: 'Expected female, male or other',
})

export const me = t.Object(
  {
    id: entityId(),
    name: nullable(t.String()),
    city: nullable(t.String()),
    bio: nullable(t.String()),
    gender: nullable(gender),
    photo: nullable(t.String({ description: 'Signed URL, valid for at least a day' })),
    photo_thumb: nullable(t.String({ description: 'The same; its longest side is at most 320 pixels' })),
    email: nullable(t.String()),
    email_verified: t.Boolean(),
    phone: nullable(t.String()),
    messenger_id: nullable(t.String()),
    role: oneOf(['user', 'moderator', 'admin'], 'Role'),
    visible: t.Boolean(),
    hidden: nullable(oneOf(hidings, 'Hiding')),
    birth_month: nullable(t.String({ description: 'Shown to nobody else', examples: ['1990-05'] })),
    show_age: t.Boolean({ description: 'Whether others see your age, in full years' }),
    consents_missing: t.Array(t.String({ documented: { title: 'LegalKind', enum: [...legalKinds] } })),
    created_at: time,
    updated_at: time,
  },
  { title: 'Me' },
)

export const profile = t.Object(
  {
    id: entityId(),
    name: nullable(t.String()),
    city: nullable(t.String()),
    bio: nullable(t.String()),
    gender: nullable(gender),
    age: nullable(Type.Integer({ description: 'In full years; null unless the user shows it', examples: [36] })),
    photo: nullable(t.String({ description: 'Signed URL, valid for at least a day' })),
    photo_thumb: nullable(t.String({ description: 'The same; its longest side is at most 320 pixels' })),
    drinks: t.Array(t.String()),
    activities: t.Array(t.String()),
    purposes: t.Array(t.String()),
    language: nullable(t.String()),
    rating_avg: nullable(t.Number()),
    reviews_count: Type.Integer(),
    created_at: nullable(time),
  },
  { title: 'User' },
)

/** The fields of a profile, for registration and for changes. */
export const profileFields = {
  name: label(80, { min: 1 }),
  city: nullable(label(80)),
  bio: nullable(prose(500)),
  gender: nullable(gender),
  photo: nullable(t.String({ maxLength: 2048, description: 'Id of an image that you uploaded' })),
}

export const profileChange = t.Partial(t.Object({ ...profileFields, show_age: t.Boolean() }), {
  title: 'ProfileChange',
  examples: [{ city: 'Lisbon', bio: 'Walks, espresso, old maps.', gender: 'female' }],
})

const choices = t.Array(label(40, { min: 1 }), { maxItems: 20, description: 'Up to 20, no duplicates' })

export const preferences = object('Preferences', {
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
    language: t.String({ maxLength: longestLanguageTag, description: 'BCP 47 tag' }),
  }),
  { title: 'PreferencesChange' },
)
