import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, id, nextCursor, nullable, object, optional, time, wholeNumber } from '../../http/schema.ts'
import { prose } from '../../lib/text.ts'

export const review = t.Object(
  {
    id: entityId(),
    chat_id: nullable(entityId('Null in lists if the review is anonymous')),
    reviewer_id: nullable(
      entityId('Null in lists if the review is anonymous, and once the author’s account is erased'),
    ),
    reviewed_id: entityId(),
    rating: Type.Integer({ minimum: 1, maximum: 5 }),
    anonymous: t.Boolean(),
    text: nullable(t.String()),
    created_at: time,
  },
  { title: 'Review' },
)

export const reviewList = object('ReviewList', { items: t.Array(review), next_cursor: nextCursor })

export const newReview = t.Object(
  {
    chat_id: id,
    rating: wholeNumber(1, 5),
    anonymous: optional(t.Boolean({ description: 'Default: false' })),
    text: optional(prose(1000)),
  },
  {
    title: 'NewReview',
    examples: [{ chat_id: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11', rating: 5, anonymous: true, text: 'Good company.' }],
  },
)

export const stats = object('ReviewStats', {
  user_id: entityId(),
  rating_avg: nullable(t.Number({ description: 'Rounded to two decimals' })),
  count: Type.Integer(),
})
