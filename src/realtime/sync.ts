import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { nextCursor, object, oneOf, pageQuery, queryNumber, time } from '../http/schema.ts'
import type { SignedIn } from '../http/signed-in.ts'
import type { Page, Paging } from '../lib/paging.ts'
import { documentedEvent, type Event } from './events.ts'
import type { Replay } from './replay.ts'

/** Documented in full, but validated without its data, which the views have built. */
const event = t.Unsafe<Event>(
  t.Object({ type: t.String(), seq: Type.Integer(), at: time, data: t.Unknown() }, { documented: documentedEvent }),
)

/** The durable events over HTTP, for clients without a socket. */
export const syncRoutes = ({ signedIn, replay, paging }: { signedIn: SignedIn; replay: Replay; paging: Paging }) =>
  new Elysia({ name: 'sync' })
    .use(signedIn)
    .get('/api/v1/sync', ({ caller, query }) => eventsAfter(replay, paging, caller.id, query), {
      query: t.Object({
        ...pageQuery,
        since: t.Optional(
          queryNumber('integer', {
            minimum: 0,
            default: 0,
            error: 'Expected a seq: a whole number from 0',
          }),
        ),
      }),
      response: {
        200: object('EventPage', {
          items: t.Array(event),
          next_cursor: nextCursor,
          seq: Type.Integer({ description: 'Of the newest event' }),
          resume: oneOf(['ok', 'gap']),
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
  { cursorOf, keyOf }: Paging,
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
    // Events may have been stored since `seq` was read.
    seq: Math.max(seq, last?.seq ?? 0),
    resume: 'ok' as const,
  }
}
