import { days, hours, seconds } from '../../lib/time.ts'

export type EmailLinkKind = 'verify' | 'reset' | 'change' | 'undo'

/** How long a link is good for, in milliseconds. */
export const linkLifetimes: Record<EmailLinkKind, number> = {
  verify: 48 * hours,
  reset: hours,
  change: hours,
  undo: 7 * days,
}

/**
 * A forgotten password's account is looked up at a random time, up to that long after the answer: the work for an account that
 * there is would slow down a request sent right then, and so tell of it.
 */
export const longestLookupPause = 2 * seconds

/** How long an address that nobody has verified stays with the account that registered it. */
export const unverifiedFor = 7 * days

/**
 * What is wrong with an e-mail address; null for a good one. Deliberately wide: an address is proven by mail that arrives, not
 * by its looks.
 */
export function emailProblem(value: string): 'too_long' | 'format' | null {
  if (value.length > 254) return 'too_long'
  return /^[^@<>"]{1,64}@[^@.<>"]+(\.[^@.<>"]+)+$/.test(value) && !/[\p{C}\p{Z}]/u.test(value) ? null : 'format'
}

/** Whether a new link ends the account's earlier ones of its kind: each change of an address can be undone by its own. */
export const endsEarlierLinks = (kind: EmailLinkKind): boolean => kind !== 'undo'

/** Whether a link still gives its account the address: one that verifies it does so only while the account has it. */
export const givesAddress = (link: { kind: EmailLinkKind; email: string | null }, present: string | null): boolean =>
  link.kind !== 'verify' || (link.email !== null && link.email === present)

/** An address as accounts have it: they are compared without case. */
export const normalizedEmail = (email: string): string => email.normalize('NFC').toLowerCase()

/**
 * Whether an account loses its address to somebody who registers or verifies it: verification owns an address, not
 * registration. An address that no registration asked to verify, as of accounts from before there was mail, stays.
 */
export const losesAddress = (
  account: { email_verified_at: number | null; email_asked_at: number | null },
  now: number,
): boolean =>
  account.email_verified_at === null && account.email_asked_at !== null && account.email_asked_at <= now - unverifiedFor
