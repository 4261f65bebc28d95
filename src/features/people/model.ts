import { t } from 'elysia'
import { id, nextCursor, nullable, oneOf, pageQuery, time } from '../../http/schema.ts'
import { reason as ground } from '../safety/model.ts'
import { appealStatuses, noticeActions } from '../moderation/store.ts'
import { standings } from './rules.ts'

const roles = ['user', 'moderator', 'admin'] as const
const role = oneOf(roles)

export const peopleQuery = t.Object({
  ...pageQuery,
  // It holds the place in an index, such as a name.
  cursor: t.Optional(t.String({ maxLength: 1000, description: 'next_cursor of the page before' })),
  q: t.Optional(
    t.String({ maxLength: 254, description: 'An id, or the beginning of an e-mail address, a phone number or a name' }),
  ),
  standing: t.Optional(oneOf(standings)),
  role: t.Optional(role),
})

const fields = {
  id: t.String(),
  name: nullable(t.String()),
  role,
  standing: oneOf(standings),
  suspended_until: nullable(t.String({ documented: { format: 'date-time' }, description: 'Null without end, too' })),
  created_at: time,
}
const email = nullable(t.String())
const phone = nullable(t.String())

export const peopleList = t.Object({
  items: t.Array(t.Object({ ...fields, email, phone })),
  next_cursor: nextCursor,
})

const decision = t.Object({
  id: t.String(),
  action: oneOf(noticeActions),
  ground: nullable(ground),
  reason: t.String(),
  note: nullable(t.String()),
  until: nullable(time),
  created_at: time,
  decided_by: nullable(t.String({ examples: ['0199a3c4-52f0-7cc1-a1a4-6f1f6f0f2b11'] })),
  report_id: nullable(t.String({ description: 'Null also of a report of a review: its evidence names the author' })),
  appeal: nullable(t.Object({ id: t.String(), status: oneOf(appealStatuses) })),
})

const forAdmins = 'For admins only'
const identity = t.Object({
  kind: t.String({ examples: ['messenger'] }),
  provider: nullable(t.String({ examples: ['telegram'] })),
  label: nullable(t.String({ examples: ['279058397'] })),
})

export const person = t.Object(
  {
    ...fields,
    suspended_reason: nullable(t.String({ examples: ['Insults, after a warning.'] })),
    strikes: t.Integer(),
    counts: t.Object({
      reports: t.Integer({ description: 'About them or what they wrote; 1,000 at most' }),
      open_reports: t.Integer({ description: 'Those that are open; 1,000 at most' }),
      blocks: t.Integer({ description: 'How many people have blocked them; 1,000 at most' }),
      messages: t.Integer({ description: 'How many they have sent, among 10,000 messages of their chats' }),
    }),
    decisions: t.Array(decision, { description: 'The 50 newest' }),
    email: t.Optional(nullable(t.String({ description: forAdmins }))),
    email_verified: t.Optional(t.Boolean({ description: forAdmins })),
    phone: t.Optional(nullable(t.String({ description: forAdmins }))),
    identities: t.Optional(t.Array(identity, { description: forAdmins })),
    sessions: t.Optional(
      t.Array(t.Object({ id: t.String(), created_at: time, last_used_at: time, user_agent: nullable(t.String()) }), {
        description: `${forAdmins}: the 50 newest`,
      }),
    ),
  },
  { title: 'PersonRecord' },
)

export const params = t.Object({ id })
export const roleChange = t.Object({ role }, { examples: [{ role: 'moderator' }] })
export const roleState = t.Object({ user_id: t.String(), role })
