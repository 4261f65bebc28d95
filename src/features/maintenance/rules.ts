import { isRecord } from '../../lib/record.ts'
/** What people are told while they can read and not write. */
export type Maintenance = { text: string; since: number; retryAfterS: number }

export const longestText = 500

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
/** People stay signed in, and staff can sign in. What makes or changes an account is a write like any other. */
const open = /^\/api\/v1\/auth\/(?:login|logout|refresh|passkey(?:\/[a-z]+)?)\/?$/
/** Staff decide on urgent reports also then. */
const staff = /^\/api\/v1\/admin\//

/** Whether a request is refused during maintenance. */
export const isRefused = (method: string, path: string): boolean =>
  !reading.has(method) && !open.test(path) && !staff.test(path)

/** As it is stored. */
export const written = (maintenance: Maintenance | null): string =>
  maintenance === null ? '' : JSON.stringify(maintenance)

/** Null for none, and for what this release cannot read. */
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
