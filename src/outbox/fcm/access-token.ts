import { SignJWT } from 'jose'
import { minutes, seconds } from '../../lib/time.ts'
import { TryLater } from '../carrier.ts'
import { retryAfterMs } from '../retry-after.ts'
import type { ServiceAccount } from './account.ts'
import { whyNoAnswer } from './no-answer.ts'
import { isRecord } from '../../lib/record.ts'

const scope = 'https://www.googleapis.com/auth/firebase.messaging'
// Google accepts an hour at most.
const assertionMs = 60 * minutes
// Renewed before it expires, so that no request is sent with an expired one.
const earlyMs = 5 * minutes

/**
 * Access tokens of a service account, requested with a signed JWT (RFC 7523). One token is used for all requests until shortly
 * before it expires, and requests that need a new one at the same time share one refresh.
 */
export function openAccessTokens({
  account,
  now,
  timeoutMs,
}: {
  account: ServiceAccount
  now: () => number
  timeoutMs: number
}) {
  let current: { token: string; until: number } | null = null
  let refreshing: Promise<string> | null = null

  async function refresh(): Promise<string> {
    const at = Math.floor(now() / seconds)
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: account.keyId })
      .setIssuer(account.email)
      .setAudience(account.tokenUrl)
      .setIssuedAt(at)
      .setExpirationTime(at + assertionMs / seconds)
      .sign(account.key)
    const { token, lifetimeMs } = await ask(assertion)
    // A token with a short life is used for half of it.
    current = { token, until: now() + Math.max(lifetimeMs - earlyMs, lifetimeMs / 2) }
    return token
  }

  async function ask(assertion: string): Promise<{ token: string; lifetimeMs: number }> {
    let status: number
    let retryAfter: string | null
    let body: unknown
    try {
      const answer = await fetch(account.tokenUrl, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      status = answer.status
      retryAfter = answer.headers.get('retry-after')
      body = await answer.json().catch(() => null)
    } catch (error) {
      throw new Error(`no access token: no answer (${whyNoAnswer(error)})`)
    }
    if (isRecord(body) && status === 200) {
      const { access_token: token, expires_in: lifetimeS } = body
      if (typeof token === 'string' && token !== '' && typeof lifetimeS === 'number')
        return { token, lifetimeMs: lifetimeS * seconds }
    }
    const afterMs = retryAfterMs(retryAfter, now())
    const refused = `no access token: Google answered ${status}`
    throw afterMs === null ? new Error(refused) : new TryLater(refused, afterMs, true)
  }

  return {
    get(): Promise<string> {
      if (current && current.until > now()) return Promise.resolve(current.token)
      refreshing ??= refresh().finally(() => (refreshing = null))
      return refreshing
    },
    /** Call if a token was refused: the next `get` requests another one. */
    forget(token: string) {
      if (current?.token === token) current = null
    },
  }
}
