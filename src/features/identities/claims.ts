import type { JWTPayload } from 'jose'
import type { OidcProvider } from '../../lib/oidc-settings.ts'
import { Refusal } from '../../lib/refusal.ts'
import { emailProblem, normalizedEmail } from '../email/rules.ts'
import { isRecord } from '../../lib/record.ts'

/** The user that an id token identifies. */
export type Claims = {
  subject: string
  /** An address that the provider has verified, in its normalized form; null for any other. */
  email: string | null
  /** The first name, if the provider gives it separately. */
  name: string
  client_id: string
}

/** The claims of an id token with a valid signature. Refuses with 401 `id_token_invalid`. */
export function claimsOf(
  { clientIds }: OidcProvider,
  payload: JWTPayload,
  nonce: string | null,
  given: { name?: string },
): Claims {
  const { sub, aud, azp, email, email_verified, given_name, name } = payload
  // Logout tokens have events. A subject has at most 255 ASCII characters (OpenID Connect Core, section 2).
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub) || 'events' in payload) throw invalidToken()
  if (nonce !== null && payload.nonce !== nonce) throw invalidToken()
  const audiences = [aud ?? []].flat()
  const ours = clientIds.filter((id) => audiences.includes(id))
  // With one audience, azp may differ: Google puts the Android app there that asked for a token for its server.
  const client_id = audiences.length > 1 ? ours.find((id) => id === azp) : ours[0]
  if (client_id === undefined) throw invalidToken()
  // Apple sends it as a string.
  const isVerified = email_verified === true || email_verified === 'true'
  const names = [given.name, given_name, typeof name === 'string' ? name.trim().split(/\s+/)[0] : null]
  return {
    subject: sub,
    email: isVerified && typeof email === 'string' && emailProblem(email) === null ? normalizedEmail(email) : null,
    name: names.find((one): one is string => typeof one === 'string' && one.trim() !== '') ?? '',
    client_id,
  }
}

/** Apple sends the name once, in a form field beside its first answer. It is not signed, so it proves nothing. */
export function nameInForm(user: string | null): string | undefined {
  if (user === null || user.length > 4096) return undefined
  try {
    const parsed: unknown = JSON.parse(user)
    const name = isRecord(parsed) && isRecord(parsed.name) ? parsed.name.firstName : undefined
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

export const invalidToken = () =>
  new Refusal('id_token_invalid', 'The provider’s id token could not be verified. Sign in again.')
