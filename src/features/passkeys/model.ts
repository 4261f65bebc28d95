import { Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { entityId, nullable, optional, time } from '../../http/schema.ts'
import { label } from '../../lib/text.ts'
import { cookies, password } from '../auth/model.ts'

export { session } from '../auth/model.ts'

// The service refuses invalid content like any passkey that is not accepted. No authenticator sends more than these lengths.
const base64url = (maxLength: number) => t.String({ minLength: 1, maxLength, description: 'base64url' })
// A credential's id has at most 1023 bytes (WebAuthn Level 3, section 4).
const credentialId = t.String({
  pattern: '^[A-Za-z0-9_-]{1,1364}$',
  error: 'Expected base64url without padding',
  description: 'base64url',
})
const clientDataJSON = base64url(4096)

const shared = {
  id: credentialId,
  rawId: credentialId,
  type: t.Literal('public-key', { error: 'Expected public-key' }),
}

const assertion = t.Object(
  {
    ...shared,
    response: t.Object({
      clientDataJSON,
      authenticatorData: base64url(4096),
      signature: base64url(4096),
      userHandle: optional(base64url(100)),
    }),
  },
  { title: 'AuthenticationResponseJSON', description: 'The result of `PublicKeyCredential.toJSON()`' },
)

const attestation = t.Object(
  {
    ...shared,
    response: t.Object({
      clientDataJSON,
      attestationObject: base64url(8192),
      transports: optional(t.Array(t.String({ maxLength: 32 }), { maxItems: 16 })),
    }),
  },
  { title: 'RegistrationResponseJSON', description: 'The result of `PublicKeyCredential.toJSON()`' },
)

export const signIn = t.Object({ credential: assertion, cookies })
export const confirmation = t.Object({ credential: assertion })
export const beginning = t.Object({ password: optional(password) })
export const addition = t.Object({ label: label(60, { min: 1 }), credential: attestation })

export const requestOptions = t.Object({
  options: t.Object(
    {
      challenge: t.String(),
      rpId: t.String(),
      allowCredentials: t.Array(t.Unknown(), {
        description: 'Empty: the authenticator offers the passkeys that it has',
      }),
      timeout: Type.Integer({ description: 'Milliseconds' }),
      userVerification: t.Literal('required'),
    },
    { title: 'PublicKeyCredentialRequestOptionsJSON' },
  ),
})

export const creationOptions = t.Object({
  options: t.Object(
    {
      challenge: t.String(),
      rp: t.Object({ id: t.String(), name: t.String() }),
      user: t.Object({ id: t.String(), name: t.String(), displayName: t.String() }),
      pubKeyCredParams: t.Array(t.Object({ type: t.Literal('public-key'), alg: Type.Integer() })),
      excludeCredentials: t.Array(
        t.Object({ id: t.String(), type: t.Literal('public-key'), transports: t.Optional(t.Array(t.String())) }),
      ),
      authenticatorSelection: t.Object({
        residentKey: t.Literal('required'),
        requireResidentKey: t.Literal(true),
        userVerification: t.Literal('required'),
      }),
      attestation: t.Literal('none'),
      timeout: Type.Integer({ description: 'Milliseconds' }),
    },
    { title: 'PublicKeyCredentialCreationOptionsJSON' },
  ),
})

export const passkey = t.Object({
  id: entityId(),
  kind: t.Literal('passkey'),
  provider: t.Null({ examples: [null] }),
  label: t.String({ examples: ['Phone'] }),
  created_at: time,
  last_used_at: nullable(time),
})
