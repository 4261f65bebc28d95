import { t } from 'elysia'
import { nextCursor, nullable, oneOf, time } from '../../http/schema.ts'

export const messengerLink = t.Object({
  init_data: t.String({ maxLength: 16_384, description: 'The raw string, as the messenger gave it' }),
})

export const identity = t.Object({
  id: t.String(),
  kind: oneOf(['password', 'messenger', 'oidc', 'passkey']),
  provider: nullable(t.String({ description: 'Of `oidc`, the name in `GET /auth/providers`' })),
  label: t.String({ description: 'For people to read' }),
  created_at: time,
  last_used_at: nullable(time),
})

export const identityList = t.Object({ items: t.Array(identity), next_cursor: nextCursor })
