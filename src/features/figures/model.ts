import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { instantOrDay, nullable, object, oneOf, time } from '../../http/schema.ts'

const period = { from: t.Optional(instantOrDay), to: t.Optional(instantOrDay) }
export const statsQuery = t.Object(period)
export const transparencyQuery = t.Object({
  ...period,
  format: t.Optional(oneOf(['json', 'csv'], 'TransparencyFormat')),
})

const timeToAction = object('TimeToAction', { p50_s: nullable(Type.Integer()), p95_s: nullable(Type.Integer()) })
const countsOf = (example: Record<string, number>, description?: string) =>
  t.Record(t.String(), Type.Integer(), { examples: [example], ...(description !== undefined && { description }) })

export const stats = object('Stats', {
  days: t.Array(
    object('DayStats', {
      date: t.String({ examples: ['2026-11-21'], description: 'In UTC' }),
      registered: Type.Integer(),
      active: Type.Integer({ description: 'People who used a session' }),
      messages: Type.Integer(),
      chats: Type.Integer(),
      reports: Type.Integer(),
      decided: Type.Integer(),
      blocks: Type.Integer(),
    }),
  ),
  reports_by_kind: countsOf({ message: 3, held: 1 }, 'In the period'),
  time_to_action: timeToAction,
  target_s: Type.Integer({ description: 'The target for deciding a report, from `REPORT_TARGET_H`' }),
  open: Type.Integer({ description: 'Reports that are open now, without those that concern the reader' }),
  overdue: Type.Integer({ description: 'Those of them whose `due_at` has passed' }),
  held: Type.Integer({ description: 'Messages that are held now' }),
})

export const transparency = object('TransparencyReport', {
  from: time,
  to: time,
  notices: object('TransparencyNotices', {
    total: Type.Integer({ description: 'Reports by people; those by rules are not notices' }),
    by_reason: countsOf({ spam: 3 }),
    by_kind: countsOf({ message: 3 }),
  }),
  decisions: object('TransparencyDecisions', {
    total: Type.Integer(),
    by_action: countsOf({ warn: 2, dismiss: 1 }),
    by_ground: countsOf({ spam: 2 }, 'Without dismissed reports'),
    by_kind: countsOf({ message: 3 }),
    own_initiative: countsOf({ suspend: 1 }, 'Measures without a report'),
  }),
  automated: object('TransparencyAutomated', {
    total: Type.Integer({
      description: 'People hidden by reports, banned photos taken out of profiles, and messages held by rules',
    }),
    overturned: Type.Integer({
      description: 'Those of them that an upheld appeal or a moderator’s dismissal or release overturned',
    }),
  }),
  time_to_action: timeToAction,
  appeals: object('TransparencyAppeals', {
    total: Type.Integer(),
    open: Type.Integer(),
    upheld: Type.Integer(),
    rejected: Type.Integer(),
  }),
})
