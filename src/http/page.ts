import { t } from 'elysia'
import { queryNumber } from './query-number.ts'

/** Query of every list. */
export const pageQuery = {
  limit: t.Optional(
    queryNumber('integer', {
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
