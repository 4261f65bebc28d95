import { timingSafeEqual } from 'node:crypto'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * What a media URL is signed for. `scope` says by which right its holder fetches: `profile`, `upload`, or the id of a message
 * or report.
 */
export type MediaGrant = { key: Uint8Array; id: string; scope: string }

/**
 * The path and query at which an image can be fetched, good for 24 to 48 hours. It changes once a day only, at 00:00
 * UTC: until then every answer names the same URL, so clients and caches fetch the image once.
 * `id` and `scope` are ids or words of ours, never a client's text.
 */
export function signMediaUrl({ key, id, scope, nowMs }: MediaGrant & { nowMs: number }): string {
  const exp = ((Math.floor(nowMs / DAY_MS) + 2) * DAY_MS) / 1000
  const url = unsignedUrl(id, scope, String(exp))
  return `${url}&sig=${signature(key, url)}`
}

/**
 * The same, of the thumbnail. Not signed apart: who may see the image may see it smaller, and a server that knows no
 * thumbnails answers the image.
 */
export const signThumbUrl = (grant: MediaGrant & { nowMs: number }) => `${signMediaUrl(grant)}&size=${thumbSize}`

export const thumbSize = '320'

/**
 * Whether these parts of a request's URL are ours, unaltered and not expired. `exp` (seconds since the epoch) and `sig`
 * are the query's strings as they came. What the scope allows now is for the caller to ask.
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
  // compared as text, since several base64url spellings decode to the same bytes
  const given = Buffer.from(sig)
  return given.length === expected.length && timingSafeEqual(given, expected) && nowMs < Number(exp) * 1000
}

const unsignedUrl = (id: string, scope: string, exp: string) => `/api/v1/media/${id}?for=${scope}&exp=${exp}`

// half a microsecond: a page of fifty profiles needs no cache for this
const signature = (key: Uint8Array, text: string) =>
  new Bun.CryptoHasher('sha256', key).update(text).digest('base64url')
