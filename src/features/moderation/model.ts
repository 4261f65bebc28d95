import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import {
  entityId,
  id,
  instant,
  instantOrDay,
  nextCursor,
  nullable,
  object,
  oneOf,
  optional,
  pageQuery,
  time,
  wholeNumber,
} from '../../http/schema.ts'
import { line, prose } from '../../lib/text.ts'
import { message } from '../chats/model.ts'
import { profile } from '../profile/model.ts'
import { hidings } from '../profile/store.ts'
import { review } from '../reviews/model.ts'
import { action, reason as ground, reportFields, reportKind, reportStatus } from '../safety/model.ts'
import { mostStrikes } from './rules.ts'
import { reportTargets } from '../safety/store.ts'
import { appealStatuses, automations, noticeActions, reportOrders, reportOutcomes } from './store.ts'

const until = optional(instant)

const noticeAction = oneOf(noticeActions, 'NoticeAction')
const appealStatus = oneOf(appealStatuses, 'AppealStatus')

const evidence = t.Object(
  {
    message: nullable(message),
    versions: t.Array(
      object('MessageVersion', {
        text: t.String(),
        at: t.String({ format: 'date-time', description: 'The time until which this text was shown' }),
      }),
      { description: 'Earlier texts of the message, oldest first, including the last text of a deleted one' },
    ),
    before: t.Array(message, { description: 'Up to five, oldest first' }),
    after: t.Array(message, { description: 'Up to five, oldest first' }),
    review: nullable(review),
    user: nullable(profile),
  },
  { title: 'Evidence', description: 'The state when it was reported; null once its retention period is over' },
)

const queuedReportFields = {
  ...reportFields,
  reporter_id: nullable(entityId()),
  subject_id: nullable(entityId('The user concerned: the reported one, or the author; in lists not that of a review')),
  waiting_s: Type.Integer({ description: 'Seconds that it has waited, or waited until its decision' }),
  kind: reportKind,
  due_at: t.String({ documented: { format: 'date-time' }, description: 'When it should be decided at the latest' }),
  claimed_by: nullable(entityId('The moderator who works on it now')),
  claimed_until: nullable(time),
  pending: nullable(
    object(
      'PendingDecision',
      {
        action,
        note: t.String(),
        until: nullable(time),
        strikes: Type.Integer(),
        ban_images: t.Boolean(),
        decided_by: entityId(),
        takes_effect_at: time,
      },
      { description: 'A decision that may still be taken back' },
    ),
  ),
  resolution: nullable(
    object('ReportResolution', {
      action,
      note: nullable(t.String()),
      until: nullable(time),
      resolved_by: nullable(entityId()),
      resolved_at: time,
    }),
  ),
}
export const reportQueue = object('ReportQueue', {
  items: t.Array(t.Object(queuedReportFields, { title: 'QueuedReport' })),
  next_cursor: nextCursor,
  counts: object(
    'QueueCounts',
    {
      open: Type.Integer(),
      overdue: Type.Integer({ description: 'Open reports whose `due_at` has passed' }),
      by_kind: t.Record(t.String(), Type.Integer(), { examples: [{ message: 3 }], description: 'Open reports' }),
    },
    { description: 'Independent of the filter, without reports that concern the reader' },
  ),
})
export const proposal = nullable(
  object(
    'StrikeProposal',
    { action: oneOf(['warn', 'suspend'], 'ProposedAction'), days: nullable(Type.Integer()) },
    { description: 'The measure that the strikes suggest; `days` null is without end. A person decides' },
  ),
)
export const report = object('ReportWithEvidence', {
  ...queuedReportFields,
  hidden: nullable(oneOf(hidings, 'Hiding')),
  strikes: Type.Integer({ description: 'The strikes of the user concerned' }),
  proposal,
  evidence: nullable(evidence),
})
export const reportQuery = t.Object({
  ...pageQuery,
  status: t.Optional(reportStatus),
  kind: t.Optional(reportKind),
  reason: t.Optional(ground),
  subject_id: t.Optional(id),
  target: t.Optional(oneOf(reportTargets, 'ReportTarget')),
  reported_by: t.Optional(oneOf(['people', 'rules'], 'ReportedBy')),
  outcome: t.Optional(oneOf(reportOutcomes, 'ReportOutcome')),
  automated: t.Optional(oneOf(automations, 'ReportAutomation')),
  overdue: t.Optional(t.Literal('true')),
  from: t.Optional(instantOrDay),
  to: t.Optional(instantOrDay),
  decided_from: t.Optional(instantOrDay),
  decided_to: t.Optional(instantOrDay),
  sort: t.Optional(oneOf(reportOrders, 'ReportOrder')),
})
export const nextReport = object('NextReport', { kind: optional(reportKind) }, { examples: [{ kind: 'message' }, {}] })

export const resolution = t.Object(
  {
    action,
    note: optional(prose(2000, { min: 1 })),
    until,
    strikes: optional(wholeNumber(0, mostStrikes)),
    template_id: optional(id),
    ban_images: optional(t.Boolean()),
    undo_s: optional(wholeNumber(0, 10)),
  },
  {
    title: 'ReportDecision',
    description:
      '`note`, or else the text of the template, is shown to the user concerned as the reason. `until` is for `suspend`; without it the suspension has no end. `strikes` count for 90 days. `ban_images` is for `remove_content`: nobody can send or show the removed images again. The decision takes effect after `undo_s` seconds, and can be taken back until then',
    examples: [{ action: 'suspend', note: 'Insults, after a warning.', until: '2030-01-01T00:00:00Z' }],
  },
)

export const warning = t.Object(
  {
    reason: prose(1000, { min: 1 }),
    note: optional(prose(2000)),
    strikes: optional(wholeNumber(0, mostStrikes)),
  },
  {
    title: 'NewWarning',
    description: '`reason` is shown to the user, `note` is for moderators only. `strikes` count for 90 days',
    examples: [{ reason: 'Advertising breaks section 5 of the terms.' }],
  },
)
export const warned = object('Warning', {
  user_id: entityId(),
  notice_id: entityId('The notice that the user can appeal against'),
  reason: t.String(),
  strikes: Type.Integer(),
})
export const suspension = t.Object(
  { reason: prose(1000, { min: 1 }), note: optional(prose(2000)), until },
  {
    title: 'NewSuspension',
    description: '`reason` is shown to the user, `note` is for moderators only. Without `until`, it has no end',
  },
)
export const unsuspension = object('Unsuspension', { reason: optional(prose(1000)) })
export const suspensionState = object('SuspensionState', {
  user_id: entityId(),
  suspended: t.Boolean(),
  reason: nullable(t.String()),
  until: nullable(time),
})

const queuedAppeal = object('QueuedAppeal', {
  id: entityId(),
  user_id: nullable(entityId('Null if the decision is about a review: its report names the author')),
  text: t.String(),
  status: appealStatus,
  created_at: time,
  waiting_s: Type.Integer({ description: 'Seconds that it has waited, or waited until its decision' }),
  resolved_at: nullable(time),
  resolved_by: nullable(entityId()),
  note: nullable(t.String()),
  may_resolve: t.Boolean({
    description:
      'Whether you may resolve it now. An appeal goes to somebody other than who made the decision, if anybody else may resolve it',
  }),
  notice: object('AppealedNotice', {
    id: entityId(),
    action: noticeAction,
    reason: t.String(),
    note: nullable(t.String()),
    until: nullable(time),
    created_at: time,
    report_id: nullable(entityId()),
  }),
})
export const appealQueue = object('AppealQueue', { items: t.Array(queuedAppeal), next_cursor: nextCursor })
export const resolvedAppeal = queuedAppeal
export const appealQuery = t.Object({
  ...pageQuery,
  status: t.Optional(appealStatus),
  from: t.Optional(instantOrDay),
  to: t.Optional(instantOrDay),
})
export const appealResolution = t.Object(
  { decision: oneOf(['uphold', 'reject']), note: prose(2000, { min: 1 }) },
  { title: 'AppealDecision', description: '`note` is shown to the user concerned' },
)

export const auditQuery = t.Object({
  ...pageQuery,
  format: t.Optional(oneOf(['json', 'jsonl', 'csv'], 'AuditFormat')),
  actor_id: t.Optional(id),
  subject_id: t.Optional(id),
  action: t.Optional(line(64)),
  from: t.Optional(instantOrDay),
  to: t.Optional(instantOrDay),
})
export const auditList = object('AuditLog', {
  items: t.Array(
    object('AuditEntry', {
      id: entityId(),
      at: time,
      actor_id: nullable(entityId()),
      action: t.String(),
      subject_id: nullable(entityId()),
      metadata: t.Record(t.String(), t.Unknown()),
    }),
  ),
  next_cursor: nextCursor,
})

export const notice = t.Object(
  {
    id: entityId(),
    action: oneOf([...noticeActions, 'announce'], 'NoticeKind'),
    message_id: nullable(entityId('The message or review that it is about, if it is about one')),
    review_id: nullable(entityId()),
    ground: nullable(ground),
    reason: t.String(),
    until: nullable(time),
    created_at: time,
    automated: t.Boolean({ description: 'Decided without a person' }),
    appeal: nullable(object('AppealState', { id: entityId(), status: appealStatus })),
    how_to_appeal: nullable(t.String()),
  },
  { title: 'Notice' },
)
export const noticeList = object('NoticeList', { items: t.Array(notice), next_cursor: nextCursor })

const appealText = prose(2000, { min: 1 })
export const newAppeal = object(
  'NewAppeal',
  { notice_id: id, text: appealText },
  { examples: [{ notice_id: '0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11', text: 'I was quoting somebody else.' }] },
)
export const newAppealWithLogin = t.Object(
  {
    email: optional(t.String({ maxLength: 254 })),
    phone: optional(t.String({ maxLength: 20 })),
    password: optional(t.String({ minLength: 1, maxLength: 1000 })),
    init_data: optional(t.String({ maxLength: 16_384 })),
    text: appealText,
  },
  {
    title: 'NewAppealWithLogin',
    description: 'Give e-mail or phone with the password, or init_data',
    examples: [{ email: 'ada@example.org', password: 'thirteen green bottles', text: 'I was quoting somebody else.' }],
  },
)
export const appeal = object('Appeal', {
  id: entityId(),
  notice_id: entityId(),
  text: t.String(),
  status: appealStatus,
  created_at: time,
  resolved_at: nullable(time),
  note: nullable(t.String()),
})
export const appealList = object('AppealList', { items: t.Array(appeal), next_cursor: nextCursor })
