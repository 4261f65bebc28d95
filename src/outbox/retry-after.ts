import { hours, seconds } from '../lib/time.ts'

const longestMs = hours

/**
 * How long a `Retry-After` header asks to wait, as seconds or as an HTTP date; null if there is none or it is malformed. From a
 * second to an hour, whatever it says.
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? ''
  const at = /^\d+$/.test(text) ? now + Number(text) * seconds : /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? null : Math.min(longestMs, Math.max(seconds, at - now))
}
