import { domainToASCII, domainToUnicode } from 'node:url'
import { days, hours, seconds } from '../../lib/time.ts'

export type EmailLinkKind = 'verify' | 'reset' | 'change' | 'undo'

/** How long a link is valid, in milliseconds. */
export const linkLifetimes: Record<EmailLinkKind, number> = {
  verify: 48 * hours,
  reset: hours,
  change: hours,
  undo: 7 * days,
}

/**
 * The account of a forgotten password is looked up at a random time, up to this long after the answer. Otherwise the work
 * for an existing account would slow down a request sent right after, and so reveal the account.
 */
export const longestLookupPause = 2 * seconds

/** How long an address that nobody has verified stays with the account that registered it. */
const unverifiedFor = 7 * days

/**
 * What is wrong with an e-mail address; null for a valid one. Deliberately permissive: mail that arrives proves an address,
 * not its form. But its domain must not be another spelling of one (`ｅxample.org`): mails would go there, uncounted.
 */
export function emailProblem(value: string): 'too_long' | 'format' | null {
  if (value.length > 254) return 'too_long'
  if (!/^[^@<>"]{1,64}@[^@.<>"]+(\.[^@.<>"]+)+$/.test(value) || /[\p{C}\p{Z}]/u.test(value)) return 'format'
  const domain = normalizedEmail(value.slice(value.indexOf('@') + 1))
  const ascii = domainToASCII(domain)
  return domain === ascii || domain === domainToUnicode(ascii) ? null : 'format'
}

/** Whether a new link ends the account's earlier ones of its kind. Each change of an address keeps its own `undo` link. */
export const endsEarlierLinks = (kind: EmailLinkKind): boolean => kind !== 'undo'

/** Whether a link still gives its account the address: one that verifies it does so only while the account has it. */
export const givesAddress = (link: { kind: EmailLinkKind; email: string | null }, present: string | null): boolean =>
  link.kind !== 'verify' || (link.email !== null && link.email === present)

/**
 * Whether a link for a new password still works: one that was mailed does so only while the account has that address. It may
 * have been sent just before the address changed, and stored just after. The link of an operator has no address.
 */
export const resetsPassword = (link: { email: string | null }, present: string | null): boolean =>
  link.email === null || link.email === present

/**
 * Whether a used link is the first proof of who owns the account's address. Whoever registered it may be somebody else, so the
 * account's other ways to sign in may be theirs.
 */
export const isFirstProof = (
  link: { email: string | null; unverified_at: number | null },
  account: { email: string | null; email_verified_at: number | null },
): boolean =>
  link.unverified_at !== null ||
  (account.email !== null && account.email === link.email && account.email_verified_at === null)

/** The form in which addresses are stored and compared: without case. */
export const normalizedEmail = (email: string): string => email.normalize('NFC').toLowerCase()

/**
 * Whether an account loses its address to somebody who registers or verifies it: an address belongs to who verifies it, not
 * to who registers it. An address that was never asked to be verified, such as those from before mail was set up, stays.
 */
export const losesAddress = (
  account: { email_verified_at: number | null; email_asked_at: number | null },
  now: number,
): boolean =>
  account.email_verified_at === null && account.email_asked_at !== null && account.email_asked_at <= now - unverifiedFor

/**
 * Whether an account loses its address to an `undo` link whose account had verified it. Any holder came after the change that
 * it undoes: whoever made the change must not keep the address by registering it again.
 */
export const losesAddressToUndo = (account: { email_verified_at: number | null }): boolean =>
  account.email_verified_at === null
