import { timingSafeEqual } from 'node:crypto'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The contents of a signed media URL. `scope` is the reason for which its holder may fetch the image: `profile`, `upload`, or
 * the id of a message or report.
 */
type MediaGrant = { key: Uint8Array; id: string; scope: string }

/**
 * The path and query at which an image can be fetched, valid for 24 to 48 hours. It changes only once a day, at 00:00 UTC, so
 * that clients and caches fetch the image once. `id` and `scope` must be our own ids or words, never a client's text.
 */
export function signMediaUrl({ key, id, scope, nowMs }: MediaGrant & { nowMs: number }): string {
  const exp = ((Math.floor(nowMs / DAY_MS) + 2) * DAY_MS) / 1000
  const url = unsignedUrl(id, scope, String(exp))
  return `${url}&sig=${signature(key, url)}`
}

/**
 * The same for the thumbnail. `size` is not signed: whoever may see the image may see its thumbnail, and an older server
 * ignores it and returns the image.
 */
export const signThumbUrl = (grant: MediaGrant & { nowMs: number }) => `${signMediaUrl(grant)}&size=${thumbSize}`

export const thumbSize = '320'

/**
 * Whether these parts of a request's URL were signed by us and have not expired. `exp` (seconds since the epoch) and `sig` are
 * the strings of the query. The caller has to check what the scope allows now.
 */
export function checkMediaUrl({
  key,
  id,
  scope,
  exp,
  sig,
  nowMs,
}: MediaGrant & { exp: string; sig: string; nowMs: number }): boolean {
  const expected = Buffer.from(signature(key, unsignedUrl(id, scope, exp)))
  // compared as text, because several base64url spellings decode to the same bytes
  const given = Buffer.from(sig)
  return given.length === expected.length && timingSafeEqual(given, expected) && nowMs < Number(exp) * 1000
}

const unsignedUrl = (id: string, scope: string, exp: string) => `/api/v1/media/${id}?for=${scope}&exp=${exp}`

// takes half a microsecond, so a page of fifty profiles needs no cache
const signature = (key: Uint8Array, text: string) =>
  new Bun.CryptoHasher('sha256', key).update(text).digest('base64url')
