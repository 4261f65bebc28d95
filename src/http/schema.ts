import { FormatRegistry, type ObjectOptions, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { hasFormat, setFormat } from '../lib/formats.ts'

/** An object that the documents show once, under that name. An enum inside of one needs a name too: see `oneOf`. */
export const object = <const T extends TProperties>(title: string, fields: T, options: ObjectOptions = {}) =>
  t.Object(fields, { ...options, title })

/** One of these words. With a title, the documents show the list once, under that name. */
export const oneOf = <const T extends readonly string[]>(words: T, title?: string) =>
  t.Unsafe<T[number]>(
    t.Union(
      words.map((word) => t.Literal(word)),
      { error: `Expected one of ${words.join(', ')}`, ...(title !== undefined && { title }) },
    ),
  )

const nothing = t.Null()

/** The schema, or null. */
export const nullable = <T extends TSchema>(schema: T) =>
  t.Union([schema, nothing], schema.error === undefined ? {} : { error: `${schema.error}, or null` })

/** A field that a request may omit. Null means the same, as some clients write all their fields. */
export const optional = <T extends TSchema>(schema: T) => t.Optional(nullable(schema))

const anyCaseId = (format: { format: string; error: string; documented?: object }) =>
  t
    .Transform(t.String(format))
    .Decode((id) => id.toLowerCase())
    .Encode((id) => id)

/** An id in a request. Letters may be in either case (RFC 9562, section 4), as Swift writes upper case; ours are lower case. */
export const uuid = (error = 'Expected a UUID') => anyCaseId({ format: 'uuid', error })
export const id = uuid()

setFormat('image-id', (text) => {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return null
  return text.startsWith('/') || URL.canParse(text) ? 'not_yours' : 'format'
})

/** The id of an image. A URL is refused as `not_yours`, since it shows somebody else's image. */
export const imageId = (error: string) => anyCaseId({ format: 'image-id', error, documented: { format: 'uuid' } })

/** An id in an answer. Not validated as a UUID: all of ours are. Ids of others, such as those of a messenger, are plain text. */
export const entityId = (description?: string) =>
  t.String({ documented: { format: 'uuid' }, ...(description !== undefined && { description }) })

/** A time in an answer. Not validated as a date: `iso` writes all of them. */
export const time = t.String({ documented: { format: 'date-time' } })

// The zone is required: a time without one would depend on the time zone of the server.
const written = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

const isDay = (text: string) =>
  // JavaScript takes 30 February for the first or second of March.
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)

const isInstant = (text: string) => isDay(written.exec(text)?.[1] ?? '') && !Number.isNaN(Date.parse(text))

FormatRegistry.Set('instant', isInstant)
FormatRegistry.Set('instant-or-day', (text) => isInstant(text) || isDay(text))

/** A time in a request. */
export const instant = t.String({
  format: 'instant',
  documented: { format: 'date-time' },
  error: 'Expected a time in ISO 8601 with its zone, such as 2026-11-21T08:34:00Z',
})

/** Where a period of a query begins or ends. A day is its beginning in UTC, as `Date.parse` reads it. */
export const instantOrDay = t.String({
  format: 'instant-or-day',
  documented: { description: 'A time with its zone, or a day in UTC', examples: ['2026-11-21'] },
  error: 'Expected a time in ISO 8601 with its zone, such as 2026-11-21T08:34:00Z, or a day, such as 2026-11-21',
})

/** A whole number in a body. TypeBox's `Integer`: Elysia's would accept "5" for 5. */
export const wholeNumber = (minimum: number, maximum: number) =>
  Type.Integer({ minimum, maximum, error: `Expected a whole number from ${minimum} to ${maximum}` })

type Range = { minimum: number; maximum?: number; default?: number; description?: string; error: string }

// With an exponent, as in JSON: JavaScript writes 1e-7 for a ten millionth of a degree.
const digits = { integer: /^-?\d+$/, number: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i }

/** A decimal number in a query. Elysia's own type takes all that JavaScript converts to a number: white space, `0x10`. */
export function queryNumber(type: keyof typeof digits, { error, ...range }: Range) {
  const format = `${type}-${range.minimum}-${range.maximum}`
  if (!hasFormat(format))
    setFormat(format, (text) => {
      if (!digits[type].test(text)) return 'type'
      return Number(text) >= range.minimum && Number(text) <= (range.maximum ?? Infinity) ? null : 'out_of_range'
    })
  return t
    .Transform(t.String({ format, error, documented: { type, ...range } }))
    .Decode(Number)
    .Encode(String)
}

/** The query of every list. */
export const pageQuery = {
  limit: t.Optional(
    // Not `queryNumber`: lists are requested too often to decode each query only to refuse a limit of 0x10.
    t.Integer({
      title: 'limit',
      minimum: 1,
      maximum: 100,
      default: 30,
      error: 'Expected a whole number from 1 to 100',
    }),
  ),
  cursor: t.Optional(t.String({ maxLength: 1000, description: 'next_cursor of the page before' })),
}

/** The query of a list that is short enough to be answered as a whole. */
export const shortListQuery = {
  limit: t.Optional(
    queryNumber('integer', { minimum: 1, maximum: 100, error: 'Expected a whole number from 1 to 100' }),
  ),
  cursor: pageQuery.cursor,
}

/** The cursor of the next page, in the answer of a list: null after the last one. */
export const nextCursor = t.Union([t.String(), t.Null()])
