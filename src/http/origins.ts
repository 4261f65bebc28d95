import type { Config } from '../config.ts'
import { Refusal } from '../lib/refusal.ts'

export type Origins = ReturnType<typeof origins>

/** Which web origins may send requests for a user: the listed ones, and the server's own, which PUBLIC_URL or each request names. */
export function origins({
  corsOrigins,
  publicUrl,
  trustProxy,
}: Pick<Config, 'corsOrigins' | 'publicUrl' | 'trustProxy'>) {
  const listed = new Set(corsOrigins)
  const own = publicUrl === null ? null : new URL(publicUrl).origin
  return {
    isListed: (origin: string) => listed.has(origin),

    /** Whether a request's Origin is allowed, or absent, as with clients that are not browsers. */
    allows(headers: Headers): boolean {
      const origin = headers.get('origin')
      if (origin === null || origin === own || listed.has(origin)) return true
      const scheme = (trustProxy > 0 && headers.get('x-forwarded-proto')?.split(',')[0]?.trim()) || 'http'
      return origin === `${scheme}://${headers.get('host')}`
    },
  }
}

/** Refuses requests that come from another site's page, as browsers attach cookies to those too (CSRF). */
export function refuseForeignPage(origins: Origins, headers: Headers): void {
  if (!origins.allows(headers)) throw new Refusal('forbidden', 'This page may not act for you here.')
}
