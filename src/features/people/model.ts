import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, id, nextCursor, nullable, object, oneOf, pageQuery, time } from '../../http/schema.ts'
import { reason as ground } from '../safety/model.ts'
import { identity } from '../identities/model.ts'
import { proposal } from '../moderation/model.ts'
import { appealStatuses, noticeActions } from '../moderation/store.ts'
import { hidings } from '../profile/store.ts'
import { standings } from './rules.ts'

const roles = ['user', 'moderator', 'admin'] as const
const role = oneOf(roles, 'Role')

export const peopleQuery = t.Object({
  ...pageQuery,
  // Longer than usual: it contains a key of an index, such as a name.
  cursor: t.Optional(t.String({ maxLength: 1000, description: '`next_cursor` of the previous page' })),
  q: t.Optional(
    t.String({ maxLength: 254, description: 'An id, or the beginning of an e-mail address, a phone number or a name' }),
  ),
  standing: t.Optional(oneOf(standings, 'Standing')),
  role: t.Optional(role),
})

const fields = {
  id: entityId(),
  name: nullable(t.String()),
  role,
  standing: oneOf(standings, 'Standing'),
  suspended_until: nullable(
    t.String({ documented: { format: 'date-time' }, description: 'Null also for a suspension without end' }),
  ),
  created_at: time,
}
const email = nullable(t.String())
const phone = nullable(t.String())

export const peopleList = object('PeopleList', {
  items: t.Array(object('PersonInList', { ...fields, email, phone })),
  next_cursor: nextCursor,
})

const decision = object('PersonDecision', {
  id: entityId(),
  action: oneOf(noticeActions, 'NoticeAction'),
  ground: nullable(ground),
  reason: t.String(),
  note: nullable(t.String()),
  until: nullable(time),
  created_at: time,
  decided_by: nullable(entityId()),
  strikes: Type.Integer(),
  report_id: nullable(entityId('Null also for a report about a review, whose evidence names the author')),
  appeal: nullable(object('AppealState', { id: entityId(), status: oneOf(appealStatuses, 'AppealStatus') })),
})

const forAdmins = 'For admins only'
export const person = t.Object(
  {
    ...fields,
    language: t.String({
      description: 'The language of their app, in which statements of reasons are written',
      examples: ['en'],
    }),
    suspended_reason: nullable(t.String({ examples: ['Insults, after a warning.'] })),
    hidden: nullable(oneOf(hidings, 'Hiding')),
    strikes: Type.Integer({
      description: 'Strikes of the last 90 days, without decisions that an appeal has overturned',
    }),
    proposal,
    counts: object('PersonCounts', {
      reports: Type.Integer({ description: 'Reports about them or what they wrote; at most 1,000' }),
      open_reports: Type.Integer({ description: 'Open ones among the reports; at most 1,000' }),
      review_reports: Type.Integer({
        description: 'Those of the reports that are about reviews, which no list shows by author',
      }),
      open_review_reports: Type.Integer({ description: 'Open ones among the reports about reviews' }),
      blocks: Type.Integer({ description: 'How many people have blocked them; at most 1,000' }),
      messages: Type.Integer({
        description: 'How many messages they have sent, counted among at most 10,000 of their chats',
      }),
    }),
    decisions: t.Array(decision, { description: 'The 50 newest' }),
    email: t.Optional(nullable(t.String({ description: forAdmins }))),
    email_verified: t.Optional(t.Boolean({ description: forAdmins })),
    phone: t.Optional(nullable(t.String({ description: forAdmins }))),
    identities: t.Optional(t.Array(identity, { description: forAdmins })),
    sessions: t.Optional(
      t.Array(
        object('PersonSession', {
          id: entityId(),
          created_at: time,
          last_used_at: time,
          user_agent: nullable(t.String()),
        }),
        {
          description: `${forAdmins}: the 50 newest`,
        },
      ),
    ),
  },
  { title: 'PersonRecord' },
)

export const params = t.Object({ id })
export const roleChange = object('RoleChange', { role }, { examples: [{ role: 'moderator' }] })
export const roleState = object('RoleState', { user_id: entityId(), role })
