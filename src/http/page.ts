import { t } from 'elysia'

/** Query of every list. */
export const pageQuery = {
  limit: t.Optional(
    // Not `queryNumber`: lists are asked for too often to decode their queries for the sake of a limit of 0x10.
    t.Integer({
      title: 'limit',
      minimum: 1,
      maximum: 100,
      default: 30,
      error: 'Expected a whole number from 1 to 100',
    }),
  ),
  cursor: t.Optional(t.String({ maxLength: 300, description: 'next_cursor of the page before' })),
}

/** What a list answers, for its `items`. */
export const nextCursor = t.Union([t.String(), t.Null()])
