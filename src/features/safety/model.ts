import { t } from 'elysia'
import { id, nextCursor, nullable, oneOf, optional, time } from '../../http/schema.ts'
import { prose } from '../../lib/text.ts'
import { reportActions, reportReasons } from './store.ts'

export const block = t.Object({ id: t.String(), user_id: t.String(), created_at: time }, { title: 'Block' })
export const blockList = t.Object({ items: t.Array(block), next_cursor: nextCursor })
export const newBlock = t.Object({ user_id: id })

export const reason = oneOf(reportReasons)
export const reportStatus = oneOf(['open', 'resolved'])
export const action = oneOf(reportActions)

export const newReport = t.Object(
  {
    user_id: optional(id),
    message_id: optional(id),
    review_id: optional(id),
    reason,
    details: optional(prose(2000)),
  },
  {
    description: 'Exactly one of user_id, message_id and review_id',
    examples: [{ message_id: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11', reason: 'harassment' }],
  },
)

export const filedReport = t.Object({ id: t.String(), status: reportStatus, created_at: time })

/** What a report says of itself, to its reporter and to moderators. */
export const reportFields = {
  id: t.String(),
  user_id: nullable(t.String({ description: 'Of the three ids that of the target; the others are null' })),
  message_id: nullable(t.String()),
  review_id: nullable(t.String()),
  reason,
  details: nullable(t.String()),
  status: reportStatus,
  created_at: time,
}

export const reportList = t.Object({
  items: t.Array(t.Object({ ...reportFields, action: nullable(action), resolved_at: nullable(time) })),
  next_cursor: nextCursor,
})
