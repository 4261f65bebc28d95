import { t } from 'elysia'
import { instant, nullable, object, oneOf, time } from '../../http/schema.ts'

const period = { from: t.Optional(instant), to: t.Optional(instant) }
export const statsQuery = t.Object(period)
export const transparencyQuery = t.Object({
  ...period,
  format: t.Optional(oneOf(['json', 'csv'], 'TransparencyFormat')),
})

const timeToAction = object('TimeToAction', { p50_s: nullable(t.Integer()), p95_s: nullable(t.Integer()) })
const countsOf = (example: Record<string, number>, description?: string) =>
  t.Record(t.String(), t.Integer(), { examples: [example], ...(description !== undefined && { description }) })

export const stats = object('Stats', {
  days: t.Array(
    object('DayStats', {
      date: t.String({ examples: ['2026-11-21'], description: 'In UTC' }),
      registered: t.Integer(),
      active: t.Integer({ description: 'People who used a session' }),
      messages: t.Integer(),
      chats: t.Integer(),
      reports: t.Integer(),
      decided: t.Integer(),
      blocks: t.Integer(),
    }),
  ),
  reports_by_kind: countsOf({ message: 3, held: 1 }, 'Of the period'),
  time_to_action: timeToAction,
  target_s: t.Integer({ description: 'Within what time reports are to be decided, as `REPORT_TARGET_H` says' }),
  open: t.Integer({ description: 'Open reports, now, without those that concern the reader' }),
  overdue: t.Integer({ description: 'Of those the ones whose `due_at` is over' }),
  held: t.Integer({ description: 'Messages that wait for a decision, now' }),
})

export const transparency = object('TransparencyReport', {
  from: time,
  to: time,
  notices: object('TransparencyNotices', {
    total: t.Integer({ description: 'By people; what rules report is no notice' }),
    by_reason: countsOf({ spam: 3 }),
    by_kind: countsOf({ message: 3 }),
  }),
  decisions: object('TransparencyDecisions', {
    total: t.Integer(),
    by_action: countsOf({ warn: 2, dismiss: 1 }),
    by_ground: countsOf({ spam: 2 }, 'Of those that were not dismissed'),
    by_kind: countsOf({ message: 3 }),
    own_initiative: countsOf({ suspend: 1 }, 'Measures that no report led to'),
  }),
  automated: object('TransparencyAutomated', {
    total: t.Integer({
      description: 'People hidden by reports, banned photos taken out of profiles, and messages held by rules',
    }),
    overturned: t.Integer({ description: 'Of those: an appeal was upheld, or a moderator dismissed or released it' }),
  }),
  time_to_action: timeToAction,
  appeals: object('TransparencyAppeals', {
    total: t.Integer(),
    open: t.Integer(),
    upheld: t.Integer(),
    rejected: t.Integer(),
  }),
})
