import type { Config } from '../config.ts'

export type SessionCookies = ReturnType<typeof sessionCookies>

type ResponseHeaders = Record<string, string | number | string[] | undefined>

/** The tokens in the cookies. Lifetimes are in seconds. */
export type IssuedTokens = {
  access_token: string
  refresh_token: string
  expires_in: number
  refresh_expires_in: number
}

/**
 * The two cookies of a session: `app_at` has the access token, `app_rt` the refresh token, each with the token's lifetime.
 * Scripts cannot read them. `app_rt` is sent to `/api/v1/auth` only.
 */
export function sessionCookies({ cookieSameSite }: Pick<Config, 'cookieSameSite'>) {
  // Lax: other sites cannot post with it, and links still work. A page in a frame of another site, as in a messenger, needs
  // None, with a separate cookie jar for each surrounding site (Partitioned).
  const attributes = `HttpOnly; Secure; SameSite=${cookieSameSite === 'none' ? 'None; Partitioned' : 'Lax'}`
  const cookies = (access: string, accessMaxAgeS: number, refresh: string, refreshMaxAgeS: number) => [
    `app_at=${access}; ${attributes}; Path=/; Max-Age=${accessMaxAgeS}`,
    `app_rt=${refresh}; ${attributes}; Path=/api/v1/auth; Max-Age=${refreshMaxAgeS}`,
  ]
  function set(
    headers: ResponseHeaders,
    { access_token, expires_in, refresh_token, refresh_expires_in }: IssuedTokens,
  ): void {
    headers['set-cookie'] = cookies(access_token, expires_in, refresh_token, refresh_expires_in)
  }

  return {
    set,

    /**
     * The session for the body. Also sets its cookies unless the client wants none: with them, browsers call without a preflight,
     * and scripts need not hold tokens.
     */
    issue<T extends IssuedTokens>(
      { headers }: { headers: ResponseHeaders },
      { cookies: wanted }: { cookies?: boolean | null },
      { refresh_expires_in, ...session }: T,
    ): Omit<T, 'refresh_expires_in'> {
      if (wanted !== false) set(headers, { ...session, refresh_expires_in })
      return session
    },
    clear(headers: ResponseHeaders): void {
      headers['set-cookie'] = cookies('', 0, '', 0)
    },
  }
}

// After COOKIE_SAMESITE has changed, a browser sends two cookies of one name: it keeps partitioned ones separately.
const mostOfOneName = 4

/** The access tokens of a Cookie header, in its order. */
export const accessTokensIn = (header: string | null): string[] => valuesOf(/(?:^|;)\s*app_at=([^;]*)/g, header)

/** The refresh token of a Cookie header; null if there is none. */
export const refreshTokenIn = (header: string | null): string | null =>
  // The newer of two comes last (RFC 6265, section 5.4).
  valuesOf(/(?:^|;)\s*app_rt=([^;]*)/g, header).at(-1) ?? null

function valuesOf(pair: RegExp, header: string | null): string[] {
  if (header === null) return []
  return [...header.matchAll(pair)].flatMap(([, value = '']) => value.trim() || []).slice(0, mostOfOneName)
}
