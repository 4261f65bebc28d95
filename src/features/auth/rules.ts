import { days } from '../../lib/time.ts'
import type { Consent, ConsentKind } from './store.ts'

/** How long a session lasts without use, and at most. */
export const sessionLifetime = { idle: 30 * days, longest: 90 * days }

export const mandatory = ['terms', 'privacy', 'disclaimer'] as const satisfies readonly ConsentKind[]

/**
 * Whether somebody has agreed to be shown to others: the newest entry of each mandatory consent accepts it, in whatever
 * version of the text. `newest` has the newest entry of each kind.
 */
export const hasConsented = (newest: readonly Pick<Consent, 'kind' | 'accepted'>[]): boolean =>
  mandatory.every((kind) => newest.some((consent) => consent.kind === kind && consent.accepted))

/**
 * Whether an entry only repeats the newest one of its kind and so adds nothing to the log. A consent applies to one
 * version of the text, a withdrawal to all.
 */
export const repeats = (newest: Consent | undefined, entry: Consent): boolean =>
  newest !== undefined && newest.accepted === entry.accepted && (!entry.accepted || newest.version === entry.version)

/** The period in which an account's devices are counted, to limit the mails about new ones. */
export const newDeviceWindow = days
// Somebody who has registered with another person's address must not fill their mailbox by repeated logins.
const newDevicesInWindow = 10

/** Whether a session on a new device is worth a mail: not the user's first one, and not too many within a day. */
export const tellsOfNewDevice = (state: {
  /** They have had a session with that user agent. */
  isKnown: boolean
  /** They have had any session. */
  hadSessions: boolean
  /** How many user agents their sessions of the last `newDeviceWindow` have. */
  agentsLately: number
}): boolean => !state.isKnown && state.hadSessions && state.agentsLately <= newDevicesInWindow

/** Whether an account still has the credential that a login was checked against: it may have changed since. */
export const isLoginMethodValid = (
  loginMethod: { kind: 'password'; password_hash: string | null } | { kind: 'messenger'; messenger_id: string | null },
  account: { password_hash: string | null; messenger_id: string | null },
): boolean =>
  loginMethod.kind === 'password'
    ? account.password_hash === loginMethod.password_hash
    : account.messenger_id === loginMethod.messenger_id
