import type { JWTPayload } from 'jose'
import type { OidcProvider } from '../../lib/oidc-settings.ts'
import { Refusal } from '../../lib/refusal.ts'
import { emailProblem, normalizedEmail } from '../email/rules.ts'
import { isRecord } from '../../lib/record.ts'

/** Who an id token is about. */
export type Claims = {
  subject: string
  /** Only an address that the provider has verified, as accounts have it. */
  email: string | null
  /** As the provider gave it; the first name where it tells them apart. */
  name: string
  client_id: string
}

/** What an id token whose signature is good says. Refuses with 401 `id_token_invalid`. */
export function claimsOf(
  { clientIds }: OidcProvider,
  payload: JWTPayload,
  nonce: string | null,
  given: { name?: string },
): Claims {
  const { sub, aud, azp, email, email_verified, given_name, name } = payload
  // Logout tokens have events. A subject is ASCII of 255 characters at most (OpenID Connect Core, section 2).
  if (typeof sub !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(sub) || 'events' in payload) throw invalidToken()
  if (nonce !== null && payload.nonce !== nonce) throw invalidToken()
  const audiences = [aud ?? []].flat()
  const ours = clientIds.filter((id) => audiences.includes(id))
  // With one audience azp may be another: Google names the Android app there that asked for a token for its server.
  const client_id = audiences.length > 1 ? ours.find((id) => id === azp) : ours[0]
  if (client_id === undefined) throw invalidToken()
  // Apple writes it as a text.
  const isVerified = email_verified === true || email_verified === 'true'
  const names = [given.name, given_name, typeof name === 'string' ? name.trim().split(/\s+/)[0] : null]
  return {
    subject: sub,
    email: isVerified && typeof email === 'string' && emailProblem(email) === null ? normalizedEmail(email) : null,
    name: names.find((one): one is string => typeof one === 'string' && one.trim() !== '') ?? '',
    client_id,
  }
}

/** Apple tells the name once, beside its first answer. The browser brings it, so it proves nothing. */
export function nameInForm(user: string | null): string | undefined {
  if (user === null || user.length > 4096) return undefined
  try {
    const told: unknown = JSON.parse(user)
    const name = isRecord(told) && isRecord(told.name) ? told.name.firstName : undefined
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

export const invalidToken = () =>
  new Refusal('id_token_invalid', 'The provider’s id token could not be verified. Sign in again.')
