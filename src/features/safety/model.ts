import { t } from 'elysia'
import { entityId, id, nextCursor, nullable, object, oneOf, optional, time } from '../../http/schema.ts'
import { prose } from '../../lib/text.ts'
import { mostDetails } from './rules.ts'
import { reportActions, reportKinds, reportReasons } from './store.ts'

export const block = t.Object({ id: entityId(), user_id: entityId(), created_at: time }, { title: 'Block' })
export const blockList = object('BlockList', { items: t.Array(block), next_cursor: nextCursor })
export const newBlock = t.Object({ user_id: id }, { title: 'NewBlock', description: 'The user to block' })

export const reason = oneOf(reportReasons, 'ReportReason')
export const reportStatus = oneOf(['open', 'resolved'], 'ReportStatus')
export const reportKind = oneOf(reportKinds, 'ReportKind')
export const action = oneOf(reportActions, 'ReportAction')

export const newReport = t.Object(
  {
    user_id: optional(id),
    message_id: optional(id),
    review_id: optional(id),
    reason,
    details: optional(prose(mostDetails)),
  },
  {
    title: 'NewReport',
    description: 'Exactly one of user_id, message_id and review_id',
    examples: [{ message_id: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11', reason: 'harassment' }],
  },
)

export const filedReport = object('FiledReport', { id: entityId(), status: reportStatus, created_at: time })

/** The fields of a report that both its reporter and moderators see. */
export const reportFields = {
  id: entityId(),
  user_id: nullable(entityId('Only one of the three ids is set, that of the target')),
  message_id: nullable(entityId()),
  review_id: nullable(entityId()),
  reason,
  details: nullable(t.String()),
  status: reportStatus,
  created_at: time,
}

export const reportList = object('ReportList', {
  items: t.Array(object('Report', { ...reportFields, action: nullable(action), resolved_at: nullable(time) })),
  next_cursor: nextCursor,
})
