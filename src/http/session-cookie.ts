// app_at lives as long as the access token in it. Lax: a page elsewhere cannot post with it, and a link still works.
const attributes = 'HttpOnly; Secure; SameSite=Lax; Path=/'

export const sessionCookie = (accessToken: string, maxAgeS: number) =>
  `app_at=${accessToken}; ${attributes}; Max-Age=${maxAgeS}`

export const clearedSessionCookie = `app_at=; ${attributes}; Max-Age=0`

/** The access token of a Cookie header; null where there is none. */
export function tokenOfCookie(header: string | null): string | null {
  if (header === null) return null
  return /(?:^|;\s*)app_at=([^;]*)/.exec(header)?.[1] || null
}
