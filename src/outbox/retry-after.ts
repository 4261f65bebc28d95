import { hours, seconds } from '../lib/time.ts'

const longestMs = hours

/**
 * How long a `Retry-After` header asks to wait, given as seconds or as an HTTP date; null if it is missing or malformed. The
 * result is limited to between a second and an hour.
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  const at = /^\d+$/.test(text) ? now + Number(text) * seconds : /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.min(longestMs, Math.max(seconds, at - now))
}
