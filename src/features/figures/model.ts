import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { instant, nullable, object, oneOf, time } from '../../http/schema.ts'

const period = { from: t.Optional(instant), to: t.Optional(instant) }
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
  time_to_action: timeToAction,
  open: Type.Integer({ description: 'Open reports, now' }),
  overdue: Type.Integer({ description: 'Of those the ones whose `due_at` is over' }),
  held: Type.Integer({ description: 'Messages that wait for a decision, now' }),
})

export const transparency = object('TransparencyReport', {
  from: time,
  to: time,
  notices: object('TransparencyNotices', {
    total: Type.Integer({ description: 'By people; what rules report is no notice' }),
    by_reason: countsOf({ spam: 3 }),
    by_kind: countsOf({ message: 3 }),
  }),
  decisions: object('TransparencyDecisions', {
    total: Type.Integer(),
    by_action: countsOf({ warn: 2, dismiss: 1 }),
    by_ground: countsOf({ spam: 2 }, 'Of those that were not dismissed'),
    by_kind: countsOf({ message: 3 }),
    own_initiative: countsOf({ suspend: 1 }, 'Measures that no report led to'),
  }),
  automated: object('TransparencyAutomated', {
    total: Type.Integer({
      description: 'People hidden by reports, banned photos taken out of profiles, and messages held by rules',
    }),
    overturned: Type.Integer({
      description: 'Of those: an appeal was upheld, or a moderator dismissed or released it',
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
