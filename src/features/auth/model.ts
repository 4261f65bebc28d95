import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, nextCursor, object, oneOf, optional, time } from '../../http/schema.ts'
import { setFormat } from '../../lib/formats.ts'
import { emailProblem } from '../email/rules.ts'
import { me, profileFields } from '../profile/model.ts'
import { consentKinds } from './store.ts'

setFormat('email-address', emailProblem)
// Lengths are counted in code points, as everywhere. All lone surrogates would have the same hash.
setFormat('new-password', (value) => {
  const length = value.length > 400 ? value.length : [...value].length
  if (length < 8) return 'too_short'
  if (length > 200) return 'too_long'
  return value.isWellFormed() ? null : 'not_allowed'
})

export const email = t.String({
  format: 'email-address',
  error: 'Expected an e-mail address',
  documented: { format: 'email', maxLength: 254 },
})
const phone = t.String({
  pattern: '^\\+[1-9][0-9]{6,14}$',
  error: 'Expected a phone number in E.164 form, such as +14155550100',
})
export const newPassword = t.String({
  format: 'new-password',
  error: 'Expected 8 to 200 characters',
  documented: { format: 'password', minLength: 8, maxLength: 200 },
  description: '8 to 200 Unicode characters, and none of the most common passwords',
})
// An existing password is only compared, so the rules for new ones do not apply.
export const password = t.String({ minLength: 1, maxLength: 1000, error: 'Expected a password' })

// For clients that hold their tokens themselves, such as two accounts in two tabs.
export const cookies = optional(t.Boolean({ description: 'false: cookies are neither set nor read' }))

export const invite = optional(
  t.String({ maxLength: 100, description: 'The code of an invite, if `registration` of the providers is `invite`' }),
)

export const birthDate = optional(
  t.String({
    maxLength: 20,
    description:
      'YYYY-MM-DD, for a new account if `min_age` of the providers is a number. Only year and month are stored',
    examples: ['1990-05-17'],
  }),
)

const choices = object('ConsentChoices', {
  terms: t.Optional(t.Boolean()),
  privacy: t.Optional(t.Boolean()),
  disclaimer: t.Optional(t.Boolean()),
  marketing: t.Optional(t.Boolean()),
})

// Checked by the service, because a missing consent has an error code of its own.
export const consentChoices = t.Optional(
  t.Unknown({
    documented: { ...choices, title: 'RegistrationConsents', required: ['terms', 'privacy', 'disclaimer'] },
    description: 'terms, privacy and disclaimer, each exactly true; marketing if you like',
  }),
)

export const registration = t.Object(
  {
    email: optional(email),
    phone: optional(phone),
    password: newPassword,
    name: profileFields.name,
    city: t.Optional(profileFields.city),
    bio: t.Optional(profileFields.bio),
    gender: t.Optional(profileFields.gender),
    invite,
    birth_date: birthDate,
    cookies,
    consents: consentChoices,
  },
  {
    title: 'Registration',
    examples: [
      {
        email: 'ada@example.org',
        password: 'twelve green bottles',
        name: 'Ada',
        city: 'Lisbon',
        consents: { terms: true, privacy: true, disclaimer: true },
      },
      {
        email: 'ben@example.org',
        password: 'seven yellow kites',
        name: 'Ben',
        city: 'Lisbon',
        consents: { terms: true, privacy: true, disclaimer: true },
      },
    ],
  },
)

export const login = t.Object(
  {
    email: optional(t.String({ maxLength: 254 })),
    phone: optional(t.String({ maxLength: 20 })),
    password,
    cookies,
  },
  { title: 'Login', examples: [{ email: 'ada@example.org', password: 'twelve green bottles' }] },
)

export const messengerLogin = object('MessengerLogin', {
  init_data: t.String({ maxLength: 16_384, description: 'The raw string, as the messenger gave it' }),
  invite,
  birth_date: birthDate,
  cookies,
})

export const refresh = object('TokenRefresh', { refresh_token: optional(t.String({ maxLength: 4096 })), cookies })

export const passwordChange = object('PasswordChange', {
  current_password: optional(password),
  new_password: newPassword,
})

export const consents = t.Object(
  { consents: choices },
  { title: 'ConsentChange', examples: [{ consents: { marketing: true } }] },
)

const sessionFields = {
  user: me,
  access_token: t.String(),
  refresh_token: t.String(),
  token_type: t.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'Seconds' }),
}
export const session = t.Object(sessionFields, { title: 'Session' })
export const newOrKnownSession = object('OidcSession', { ...sessionFields, created: t.Boolean() })
export const messengerSession = object('MessengerSession', {
  ...sessionFields,
  created: t.Boolean(),
  start_param: t.Union([t.String(), t.Null()], {
    description: 'The `startapp` parameter of the link that opened the mini-app, such as `chat_<id>`',
  }),
})

export const consentKind = oneOf(consentKinds, 'ConsentKind')

export const recordedConsents = object('RecordedConsents', {
  items: t.Array(
    object('RecordedConsent', { kind: consentKind, accepted: t.Boolean(), version: t.String(), recorded_at: time }),
  ),
})

export const sessionList = object('SessionList', {
  items: t.Array(
    object('ListedSession', {
      id: entityId(),
      created_at: time,
      last_used_at: time,
      user_agent: t.Union([t.String(), t.Null()]),
      current: t.Boolean(),
    }),
  ),
  next_cursor: nextCursor,
})

export const providers = t.Object(
  {
    password: t.Literal(true),
    messenger: t.Union([
      object('MessengerProvider', {
        bot: t.Union([t.String(), t.Null()], { description: 'The bot’s name, where known' }),
      }),
      t.Null(),
    ]),
    oidc: t.Array(object('OidcProvider', { name: t.String(), label: t.String() })),
    passkey: t.Boolean(),
    registration: t.Union([t.Literal('open'), t.Literal('invite'), t.Literal('closed')]),
    min_age: t.Union([Type.Integer(), t.Null()], {
      description: 'Minimum age of a new account’s owner; null: not asked',
    }),
    mail: t.Boolean({ description: 'Whether this server sends mail, as for a forgotten password' }),
  },
  {
    title: 'Providers',
    examples: [
      {
        password: true,
        messenger: { bot: null },
        oidc: [],
        passkey: true,
        registration: 'open',
        min_age: null,
        mail: true,
      },
    ],
  },
)
