import { t } from 'elysia'
import { setFormat } from '../../lib/formats.ts'
import { chat } from '../chats/model.ts'
import { entityId, id, nextCursor, nullable, oneOf, optional, time } from '../../http/schema.ts'

const clock = t.String({ maxLength: 5, description: 'Hours and minutes, such as `22:00`' })
const quiet = t.Object({ from: clock, to: clock, time_zone: t.String({ maxLength: 64 }) })
const quietExample = { from: '22:00', to: '08:00', time_zone: 'Europe/Berlin' }
const digest = oneOf(['off', 'daily'])
const preview = oneOf(['none', 'name', 'full'])

export const preferences = t.Object(
  { messages: t.Boolean(), chats: t.Boolean(), reviews: t.Boolean(), digest, preview, quiet: nullable(quiet) },
  {
    title: 'NotificationPreferences',
    examples: [{ messages: true, chats: true, reviews: true, digest: 'off', preview: 'name', quiet: quietExample }],
  },
)

export const preferencesChange = t.Object(
  {
    messages: optional(t.Boolean()),
    chats: optional(t.Boolean()),
    reviews: optional(t.Boolean()),
    digest: optional(digest),
    preview: optional(preview),
    quiet: optional(quiet),
  },
  { examples: [{ preview: 'none', quiet: quietExample }] },
)

const kind = oneOf(['webpush', 'fcm', 'apns', 'telegram'])

export const channel = t.Object(
  {
    id: entityId(),
    kind,
    label: t.String({ description: 'The device that registered it', examples: ['Firefox 151 on Linux'] }),
    created_at: time,
    last_delivered_at: nullable(time),
    failing_since: nullable(time),
  },
  { title: 'Channel' },
)
export const channelList = t.Object({ items: t.Array(channel), next_cursor: nextCursor })

const key = t.String({ maxLength: 200 })
const deviceToken = t.String({
  minLength: 8,
  maxLength: 4096,
  pattern: '^[A-Za-z0-9_:.-]+$',
  error: 'Expected the token that the phone got from its provider',
})

export const newChannel = t.Union(
  [
    t.Object({
      kind: t.Literal('webpush'),
      subscription: t.Object({
        endpoint: t.String({ maxLength: 2048 }),
        keys: t.Object({ p256dh: key, auth: key }),
      }),
    }),
    t.Object({ kind: t.Literal('fcm'), token: deviceToken }),
    t.Object({ kind: t.Literal('apns'), token: deviceToken }),
    t.Object({ kind: t.Literal('telegram') }),
  ],
  {
    title: 'NewChannel',
    error: 'Expected webpush with a subscription, fcm or apns with a token, or telegram',
    examples: [{ kind: 'fcm', token: 'dQw4w9WgXcQ:APA91bHun4MxP5egoKMwt2KZFBaFUH' }],
  },
)

export const keys = t.Object(
  {
    webpush: nullable(
      t.String({
        description: 'The public VAPID key, as base64url',
        examples: ['BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM'],
      }),
    ),
    fcm: t.Boolean(),
    apns: t.Boolean(),
    telegram: nullable(t.String({ description: 'The name of the bot', examples: ['convene_bot'] })),
  },
  { title: 'NotificationKeys' },
)

// The zone is required: a time without one would be taken in the zone of the server.
const instant = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

setFormat('mute-end', (text) => {
  if (text === 'forever') return null
  const [, day] = instant.exec(text) ?? []
  if (day === undefined || Number.isNaN(Date.parse(text))) return 'format'
  // JavaScript reads 30 February as the first or second of March.
  return new Date(day).toISOString().startsWith(day) ? null : 'format'
})

export const mute = t.Object(
  {
    until: nullable(
      t.String({
        format: 'mute-end',
        error: 'Expected a time, such as 2026-11-22T08:00:00.000Z, or forever',
        documented: { format: undefined, description: 'A time in ISO 8601 with its zone, or `forever`' },
      }),
    ),
  },
  { examples: [{ until: 'forever' }] },
)

export const mutedChat = chat

export const unsubscribe = t.Object(
  { token: t.String({ minLength: 1, maxLength: 200, description: 'The part of the link after `#token=`' }) },
  { examples: [{ token: '0199a3b0-1e57-7a08-9c4e-7b0a6c1d2e3f.p1n8dXb0Q0y5mS3hVtC7…' }] },
)

export const params = t.Object({ id })
