import { Type } from '@sinclair/typebox'
import { channel, preferences as notificationPreferences } from '../notifications/model.ts'
import { t } from 'elysia'
import { entityId, nullable, object, optional, time } from '../../http/schema.ts'
import { consentKind } from '../auth/model.ts'
import { message } from '../chats/model.ts'
import { appealList, notice } from '../moderation/model.ts'
import { me, preferences } from '../profile/model.ts'
import { reviewList } from '../reviews/model.ts'
import { blockList, reportList } from '../safety/model.ts'

export const erasure = object(
  'Erasure',
  {
    password: optional(
      t.String({ maxLength: 1000, error: 'Expected a password', description: 'If the account has one' }),
    ),
    init_data: optional(
      t.String({
        maxLength: 16_384,
        description: 'Instead of the password, for a messenger account: as at its login',
      }),
    ),
  },
  { examples: [{ password: 'thirteen green bottles' }] },
)

/** Contains complete lists, each in the form of the `items` that the list's own endpoint returns. */
export const exported = object('Export', {
  exported_at: time,
  account: me,
  messenger_photo_url: nullable(
    t.String({
      description: 'Of the messenger’s photo, until the server has fetched it',
      examples: ['https://t.me/i/userpic/320/ada.jpg'],
    }),
  ),
  preferences,
  location: object('ExportedLocation', {
    latitude: nullable(t.Number({ description: 'Of the published position; no other is stored' })),
    longitude: nullable(t.Number()),
    visible: t.Boolean(),
    updated_at: nullable(time),
    recognised_places: Type.Integer({
      description: 'How many places are published as the same point again; only codes of them are stored',
    }),
  }),
  last_seen_at: nullable(time),
  identities: t.Array(
    t.Object({
      id: entityId(),
      kind: t.String({ description: 'password, messenger, oidc or passkey' }),
      provider: nullable(t.String()),
      subject: nullable(t.String({ description: 'The user’s id at the provider' })),
      created_at: time,
      last_used_at: nullable(time),
    }),
    { description: 'The ways to sign in' },
  ),
  email_links: t.Array(
    object('ExportedEmailLink', {
      kind: t.String({ description: 'verify, reset, change or undo' }),
      email: nullable(t.String()),
      expires_at: time,
    }),
    { description: 'One-time links of mails; of their tokens only a hash is stored' },
  ),
  notifications_waiting: t.Array(
    t.Object({ by: t.String({ examples: ['fcm'] }), about: t.String({ examples: ['message'] }), created_at: time }),
    { description: 'Notifications that are not sent yet; they hold ids only' },
  ),
  notifications: t.Object({
    preferences: notificationPreferences,
    channels: t.Array(channel, { description: 'Without the addresses of the devices' }),
    muted_chats: t.Array(t.Object({ chat_id: entityId(), muted_until: time })),
  }),
  passkeys: t.Array(
    t.Object({
      id: entityId(),
      label: t.String({ examples: ['Phone'] }),
      credential_id: t.String({ description: 'Of the authenticator' }),
      public_key: t.String({ description: 'A COSE key, as base64url; the server has no other' }),
      counter: Type.Integer({ description: 'The signature counter that the authenticator reports' }),
      transports: t.Array(t.String()),
      created_at: time,
      last_used_at: nullable(time),
    }),
  ),
  mails_waiting: t.Array(
    object('ExportedMail', {
      about: t.String({ examples: ['verify'] }),
      to: t.String({ examples: ['ada@example.org'] }),
      created_at: time,
    }),
  ),
  bot: t.Union(
    [
      t.Object({
        state: t.String({ description: 'granted, stopped or refused', examples: ['granted'] }),
        language: t.String(),
        changed_at: time,
      }),
      t.Null(),
    ],
    { description: 'Whether the messenger’s bot may write' },
  ),
  reviews_written: reviewList.properties.items,
  reviews_received: reviewList.properties.items,
  blocks: blockList.properties.items,
  reports: reportList.properties.items,
  notices: t.Array(object('ExportNotice', { ...notice.properties, strikes: Type.Integer() })),
  appeals: appealList.properties.items,
  consents: t.Array(
    object('ExportedConsent', {
      kind: consentKind,
      accepted: t.Boolean(),
      version: t.String(),
      text_hash: t.String({ description: 'SHA-256 of the text' }),
      recorded_at: time,
      user_agent: nullable(t.String()),
      address: nullable(t.String({ description: 'The network that the request came from' })),
    }),
  ),
  sessions: t.Array(
    object('ExportedSession', {
      id: entityId(),
      user_agent: nullable(t.String()),
      created_at: time,
      last_used_at: time,
      ended_at: nullable(time),
      passkey_at: nullable(time),
    }),
  ),
  images: t.Array(
    object('ExportedImage', {
      id: entityId(),
      width: Type.Integer(),
      height: Type.Integer(),
      bytes: Type.Integer(),
      hash: nullable(t.String({ description: 'Perceptual hash (PDQ), which finds copies' })),
      url: t.String({ description: 'Signed; valid for at least a day' }),
      thumb_url: t.String({ description: 'The same; its longest side is at most 320 pixels' }),
      created_at: time,
    }),
  ),
  actions: t.Array(object('ExportedAction', { at: time, action: t.String() }), {
    description: 'From the audit log',
  }),
  chats: t.Array(
    object('ExportedChat', {
      id: entityId(),
      user: object('ExportedChatMember', { id: entityId(), name: nullable(t.String()) }),
      created_at: time,
      messages: t.Array(
        object('ExportedMessage', {
          ...message.properties,
          earlier_versions: t.Array(object('ExportedMessageVersion', { text: t.String(), until: time }), {
            description: 'Of your own messages, edited or deleted lately',
          }),
        }),
        { description: 'Oldest first' },
      ),
    }),
  ),
})
