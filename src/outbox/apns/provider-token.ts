import type { KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { minutes, seconds } from '../../lib/time.ts'

// Apple refuses tokens older than an hour, and servers that make a new one more often than every 20 minutes.
const usedForMs = 40 * minutes

/** The tokens that prove the sender's identity to Apple. One token is used for all requests for 40 minutes. */
export function openProviderTokens({
  key,
  keyId,
  teamId,
  now,
}: {
  key: KeyObject
  keyId: string
  teamId: string
  now: () => number
}) {
  let current: { token: Promise<string>; until: number } | null = null

  return {
    get(): Promise<string> {
      // A clock that was set back would keep a token for too long.
      if (current && current.until > now() && current.until <= now() + usedForMs) return current.token
      const token = new SignJWT()
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .setIssuer(teamId)
        .setIssuedAt(Math.floor(now() / seconds))
        .sign(key)
      current = { token, until: now() + usedForMs }
      return token
    },
    /** Call if a token was refused as too old: the next `get` makes another one. */
    async forget(token: string) {
      if (current && (await current.token) === token) current = null
    },
  }
}
