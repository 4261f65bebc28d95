import { Elysia, t } from 'elysia'
import type { SignedIn } from '../http/signed-in.ts'
import { nextCursor, pageQuery } from '../http/page.ts'
import { queryNumber } from '../http/query-number.ts'
import { cursorOf, keyOf, type Page } from '../paging.ts'
import type { Replay } from './replay.ts'

const event = t.Object(
  {
    type: t.String(),
    seq: t.Integer(),
    at: t.String({ format: 'date-time' }),
    data: t.Unknown({ description: 'As on the socket' }),
  },
  { title: 'Event' },
)

/** The durable events over HTTP, for who has no socket. */
export const syncRoutes = ({ signedIn, replay }: { signedIn: SignedIn; replay: Replay }) =>
  new Elysia({ name: 'sync' })
    .use(signedIn)
    .get('/api/v1/sync', ({ caller, query }) => eventsAfter(replay, caller.id, query), {
      query: t.Object({
        ...pageQuery,
        since: t.Optional(
          queryNumber('integer', {
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            default: 0,
            error: 'Expected a seq: a whole number from 0',
          }),
        ),
      }),
      response: {
        200: t.Object({
          items: t.Array(event),
          next_cursor: nextCursor,
          seq: t.Integer({ description: 'Of the newest event' }),
          resume: t.Union([t.Literal('ok'), t.Literal('gap')]),
        }),
      },
      detail: {
        summary: 'Events since a number',
        description:
          'The same durable events as on `/ws`. `resume` is `gap` where `since` is too old or ahead: read again over HTTP.',
        tags: ['realtime'],
      },
    })

async function eventsAfter(
  replay: Replay,
  userId: string,
  { limit = 30, cursor, since: asked = 0 }: Page & { since?: number },
) {
  const since = keyOf('sync', cursor, ['number'])?.[0] ?? asked
  const { seq, resume } = await replay.state(userId, since)
  if (resume === 'gap') return { items: [], next_cursor: null, seq, resume }
  const items = await replay.after(userId, since, limit)
  const last = items.at(-1)
  return {
    items,
    next_cursor: last && last.seq < seq ? cursorOf('sync', [last.seq]) : null,
    seq,
    resume: 'ok' as const,
  }
}
