import { jwtVerify, SignJWT, errors } from 'jose'
import { timingSafeEqual } from 'node:crypto'
import { Refusal } from '../../lib/refusal.ts'

export type Tokens = ReturnType<typeof openTokens>

export const accessTokenS = 900
const issuer = 'convene'
const type = 'at+jwt'

/**
 * Access tokens are JWTs (HS256, RFC 9068's `at+jwt`). A refresh token names its session and generation and carries an
 * HMAC of the two, so every token of a session can be derived again and none has to be stored.
 */
export function openTokens({ secret, now }: { secret: Uint8Array; now: () => number }) {
  const refreshKey = new Bun.CryptoHasher('sha256', secret).update('convene refresh token v1').digest()

  const refreshMac = (session: string, generation: number) =>
    new Bun.CryptoHasher('sha256', refreshKey).update(`${session}.${generation}`).digest()

  return {
    /** An access token of 15 minutes. */
    access(userId: string, sessionId: string): Promise<string> {
      const iat = Math.floor(now() / 1000)
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setSubject(userId)
        .setIssuer(issuer)
        .setIssuedAt(iat)
        .setExpirationTime(iat + accessTokenS)
        .sign(secret)
    },

    /** The content of an access token; `expires_at` in milliseconds. Refuses with 401 `token_expired` or `unauthenticated`. */
    async readAccess(token: string): Promise<{ user_id: string; session_id: string; expires_at: number }> {
      try {
        if (!isCanonical(token)) throw notSignedIn()
        const { payload } = await jwtVerify(token, secret, {
          algorithms: ['HS256'],
          typ: type,
          issuer,
          currentDate: new Date(now()),
          requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        })
        const { sub, sid, exp } = payload
        if (typeof sub !== 'string' || typeof sid !== 'string' || exp === undefined) throw notSignedIn()
        return { user_id: sub, session_id: sid, expires_at: exp * 1000 }
      } catch (error) {
        if (error instanceof errors.JWTExpired)
          throw new Refusal('token_expired', 'The access token has expired: refresh it.')
        throw notSignedIn()
      }
    },

    refresh: (sessionId: string, generation: number) =>
      `${sessionId}.${generation}.${refreshMac(sessionId, generation).toString('base64url')}`,

    /** The content of a genuine refresh token; null for any other string. */
    readRefresh(token: string): { session_id: string; generation: number } | null {
      const [, sessionId = '', generation = '', mac = ''] =
        /^([0-9a-f-]{36})\.(0|[1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
      if (mac === '' || !isCanonical(token)) return null
      if (!timingSafeEqual(Buffer.from(mac, 'base64url'), refreshMac(sessionId, Number(generation)))) return null
      return { session_id: sessionId, generation: Number(generation) }
    },
  }
}

// The last of the 43 characters that encode 32 bytes carries two bits that decoding drops: without this check, one token
// would have four spellings.
const isCanonical = (token: string) => /[AEIMQUYcgkosw048]$/.test(token)

export const notSignedIn = () => new Refusal('unauthenticated', 'Sign in first.')
