import { t } from 'elysia'
import { birthDate, consentChoices, cookies, invite, newOrKnownSession, password } from '../auth/model.ts'
import { entityId, nextCursor, object, nullable, oneOf, optional, time } from '../../http/schema.ts'

export const messengerLink = t.Object({
  init_data: t.String({ maxLength: 16_384, description: 'The raw string, as the messenger gave it' }),
  password: optional(password),
})

export const identity = object('Identity', {
  id: entityId(),
  kind: oneOf(['password', 'messenger', 'oidc', 'passkey'], 'IdentityKind'),
  provider: nullable(t.String({ description: 'For `oidc`, the name in `GET /auth/providers`' })),
  label: t.String({ description: 'For people to read' }),
  created_at: time,
  last_used_at: nullable(time),
})

export const identityList = t.Object({ items: t.Array(identity), next_cursor: nextCursor })

const idToken = {
  id_token: t.String({ maxLength: 16_384, description: 'As the provider gave it, for a client id of this server' }),
  nonce: optional(
    t.String({ maxLength: 512, description: 'The nonce in the id token, if you asked the provider for one' }),
  ),
  code: optional(
    t.String({ maxLength: 4096, description: 'Apple’s `authorizationCode`, so that an erasure can revoke the grant' }),
  ),
}

export const provider = t.Object({ provider: t.String() })
export const oidcLink = t.Object({ ...idToken, password: optional(password) })
export const oidcLogin = t.Object({
  ...idToken,
  consents: consentChoices,
  invite,
  birth_date: birthDate,
  cookies,
})
export const oidcSession = newOrKnownSession

export const linkStart = t.Object({
  return_to: optional(
    t.String({ maxLength: 2000, description: 'Where to return, on this server or a listed origin. Default: `/`' }),
  ),
  password: optional(password),
})
export const signInStart = t.Object({
  return_to: linkStart.properties.return_to,
  invite,
  birth_date: birthDate,
})
export const providerAddress = t.Object({
  url: t.String({ description: 'Where to send the browser, within the ten minutes for which its cookie is valid' }),
})

export const start = t.Object({
  return_to: t.Optional(
    t.String({ maxLength: 2000, description: 'Where to return, on this server or a listed origin. Default: `/`' }),
  ),
  invite: t.Optional(t.String({ maxLength: 100, description: 'The code of an invite, which a new account may need' })),
})
