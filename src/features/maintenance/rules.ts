import { isRecord } from '../../lib/record.ts'

/** The notice to users while they can only read. */
export type Maintenance = { text: string; since: number; retryAfterS: number }

export const longestText = 500

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
/**
 * Users stay signed in, and staff can sign in. Creating or changing an account is refused like any other write: to a browser that
 * comes back from a provider, by a redirect.
 */
const open = /^\/api\/v1\/auth\/(?:login|logout|refresh|passkey(?:\/[a-z]+)?|oidc\/[^/]+\/callback)\/?$/
/** Staff can decide urgent reports during maintenance. */
const staff = /^\/api\/v1\/admin\//

/** Whether a request is refused during maintenance. */
export const isRefused = (method: string, path: string): boolean =>
  !reading.has(method) && !open.test(path) && !staff.test(path)

export const serialized = (maintenance: Maintenance | null): string =>
  maintenance === null ? '' : JSON.stringify(maintenance)

/** Null if there is no maintenance, or this release cannot read the stored value. */
export function readMaintenance(stored: string | undefined): Maintenance | null {
  if (!stored) return null
  try {
    const read: unknown = JSON.parse(stored)
    if (!isRecord(read)) return null
    const { text, since, retryAfterS } = read
    return typeof text === 'string' && typeof since === 'number' && typeof retryAfterS === 'number'
      ? { text, since, retryAfterS }
      : null
  } catch {
    return null
  }
}
