import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId } from '../../http/schema.ts'

export const image = t.Object(
  {
    id: entityId(),
    url: t.String({ description: 'Path and query on this server; signed, and valid for at least a day' }),
    thumb_url: t.String({ description: 'The same for the thumbnail, whose longest side is at most 320 pixels' }),
    width: Type.Integer(),
    height: Type.Integer(),
    placeholder: t.String({ description: 'A small data:image/webp URL, to show until the image is loaded' }),
  },
  { title: 'Image' },
)

/** Accepts only the exact spelling that was signed. */
export const signedId = t.String({ format: 'uuid' })

/** The query of a signed URL. All fields are optional, so that every malformed URL gets 404. */
export const grant = t.Object({
  for: t.Optional(t.String({ description: 'upload, profile, or the id of the message or report that shows it' })),
  exp: t.Optional(t.String({ description: 'End, in seconds since 1970' })),
  sig: t.Optional(t.String()),
  size: t.Optional(t.String({ description: '320 for the thumbnail' })),
})
