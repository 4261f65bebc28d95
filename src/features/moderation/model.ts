import { t } from 'elysia'
import { id, instant, nextCursor, nullable, oneOf, optional, pageQuery, time } from '../../http/schema.ts'
import { line, prose } from '../../lib/text.ts'
import { message } from '../chats/model.ts'
import { profile } from '../profile/model.ts'
import { review } from '../reviews/model.ts'
import { action, reason as ground, reportFields, reportStatus } from '../safety/model.ts'
import { appealStatuses, noticeActions } from './store.ts'

const until = optional(instant)

const noticeAction = oneOf(noticeActions)
const appealStatus = oneOf(appealStatuses)

const evidence = t.Object(
  {
    message: nullable(message),
    versions: t.Array(
      t.Object({ text: t.String(), at: t.String({ format: 'date-time', description: 'Until when it said so' }) }),
      { description: 'What the message said before, oldest first; of a deleted one its last text too' },
    ),
    before: t.Array(message, { description: 'Up to five, oldest first' }),
    after: t.Array(message, { description: 'Up to five, oldest first' }),
    review: nullable(review),
    user: nullable(profile),
  },
  { description: 'As things were when reported; null once its time is over' },
)

const queuedReportFields = {
  ...reportFields,
  reporter_id: nullable(t.String()),
  subject_id: nullable(
    t.String({ description: 'The user concerned: the reported one, or the author; in lists not that of a review' }),
  ),
  waiting_s: t.Integer({ description: 'Seconds that it has waited, or did wait' }),
  resolution: nullable(
    t.Object({
      action,
      note: nullable(t.String()),
      until: nullable(time),
      resolved_by: nullable(t.String()),
      resolved_at: time,
    }),
  ),
}
export const reportQueue = t.Object({ items: t.Array(t.Object(queuedReportFields)), next_cursor: nextCursor })
export const report = t.Object({ ...queuedReportFields, evidence: nullable(evidence) })
export const reportQuery = t.Object({ ...pageQuery, status: t.Optional(reportStatus), reason: t.Optional(ground) })

export const resolution = t.Object(
  { action, note: prose(2000, { min: 1 }), until },
  {
    description:
      '`note` is told to the user concerned as the reason. `until` is for `suspend`: absent or null is without end',
    examples: [{ action: 'suspend', note: 'Insults, after a warning.', until: '2026-12-01T00:00:00Z' }],
  },
)

export const suspension = t.Object(
  { reason: prose(1000, { min: 1 }), note: optional(prose(2000)), until },
  {
    description: '`reason` is told to the user, `note` is for moderators only. `until`: absent or null is without end',
  },
)
export const unsuspension = t.Object({ reason: optional(prose(1000)) })
export const suspensionState = t.Object({
  user_id: t.String(),
  suspended: t.Boolean(),
  reason: nullable(t.String()),
  until: nullable(time),
})

const queuedAppeal = t.Object({
  id: t.String(),
  user_id: nullable(
    t.String({ description: 'Null where the decision is about a review: its report names the author' }),
  ),
  text: t.String(),
  status: appealStatus,
  created_at: time,
  waiting_s: t.Integer({ description: 'Seconds that it has waited, or did wait' }),
  resolved_at: nullable(time),
  resolved_by: nullable(t.String()),
  note: nullable(t.String()),
  notice: t.Object({
    id: t.String(),
    action: noticeAction,
    reason: t.String(),
    note: nullable(t.String()),
    until: nullable(time),
    created_at: time,
    report_id: nullable(t.String()),
  }),
})
export const appealQueue = t.Object({ items: t.Array(queuedAppeal), next_cursor: nextCursor })
export const resolvedAppeal = queuedAppeal
export const appealQuery = t.Object({ ...pageQuery, status: t.Optional(appealStatus) })
export const appealResolution = t.Object(
  { decision: oneOf(['uphold', 'reject']), note: prose(2000, { min: 1 }) },
  { description: '`note` is told to the user concerned' },
)

export const auditQuery = t.Object({
  ...pageQuery,
  actor_id: t.Optional(id),
  subject_id: t.Optional(id),
  action: t.Optional(line(64)),
  from: t.Optional(instant),
  to: t.Optional(instant),
})
export const auditList = t.Object({
  items: t.Array(
    t.Object({
      id: t.String(),
      at: time,
      actor_id: nullable(t.String()),
      action: t.String(),
      subject_id: nullable(t.String()),
      metadata: t.Record(t.String(), t.Unknown()),
    }),
  ),
  next_cursor: nextCursor,
})

export const notice = t.Object(
  {
    id: t.String(),
    action: noticeAction,
    message_id: nullable(t.String({ description: 'The message or review that it is about, if it is about one' })),
    review_id: nullable(t.String()),
    ground: nullable(ground),
    reason: t.String(),
    until: nullable(time),
    created_at: time,
    appeal: nullable(t.Object({ id: t.String(), status: appealStatus })),
    how_to_appeal: nullable(t.String()),
  },
  { title: 'Notice' },
)
export const noticeList = t.Object({ items: t.Array(notice), next_cursor: nextCursor })

const appealText = prose(2000, { min: 1 })
export const newAppeal = t.Object({ notice_id: id, text: appealText })
export const newAppealWithLogin = t.Object(
  {
    email: optional(t.String({ maxLength: 254 })),
    phone: optional(t.String({ maxLength: 20 })),
    password: optional(t.String({ minLength: 1, maxLength: 1000 })),
    init_data: optional(t.String({ maxLength: 16_384 })),
    text: appealText,
  },
  { description: 'Either e-mail or phone with the password, or init_data' },
)
export const appeal = t.Object({
  id: t.String(),
  notice_id: t.String(),
  text: t.String(),
  status: appealStatus,
  created_at: time,
  resolved_at: nullable(time),
  note: nullable(t.String()),
})
export const appealList = t.Object({ items: t.Array(appeal), next_cursor: nextCursor })
