import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, instant, nextCursor, nullable, object, optional, time, wholeNumber } from '../../http/schema.ts'
import { prose } from '../../lib/text.ts'
import { mostUses } from './rules.ts'

export const newInvite = t.Object(
  {
    uses: wholeNumber(1, mostUses),
    expires_at: optional(instant),
    note: optional(prose(500)),
  },
  {
    title: 'NewInvite',
    description: '`uses` is how many accounts may be created with it. Without `expires_at`, it never expires',
    examples: [{ uses: 30, expires_at: '2030-01-01T00:00:00Z', note: 'Winter meetup' }],
  },
)

const inviteFields = {
  id: entityId(),
  uses: Type.Integer(),
  used: Type.Integer(),
  expires_at: nullable(time),
  note: nullable(t.String()),
  created_at: time,
}
export const invite = t.Object({
  ...inviteFields,
  code: t.String({ description: 'Shown only in this answer', examples: ['7KQ2-M0XE-9TVD-RC4H'] }),
})
export const inviteList = object('InviteList', {
  items: t.Array(object('Invite', inviteFields)),
  next_cursor: nextCursor,
})
