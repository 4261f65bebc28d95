import { days } from '../../lib/time.ts'
import type { Consent, ConsentKind } from './store.ts'

/** How long a session lasts without being used, and in all. */
export const sessionLifetime = { idle: 30 * days, longest: 90 * days }

/** The consents that everybody has to give. */
export const mandatory = ['terms', 'privacy', 'disclaimer'] as const satisfies readonly ConsentKind[]

/**
 * Whether somebody has agreed to be shown to others: the newest entry of each mandatory consent accepts it, in whatever
 * version of the text. `newest` has the newest entry of each kind.
 */
export const hasConsented = (newest: readonly Pick<Consent, 'kind' | 'accepted'>[]): boolean =>
  mandatory.every((kind) => newest.some((consent) => consent.kind === kind && consent.accepted))

/**
 * Whether an entry says what the newest one of its kind says already, so that it adds nothing to the log. A consent is
 * to a version of the text; a withdrawal is the same whatever the version.
 */
export const repeats = (newest: Consent | undefined, entry: Consent): boolean =>
  newest !== undefined && newest.accepted === entry.accepted && (!entry.accepted || newest.version === entry.version)

/** How far back the devices of an account are counted before it is told of another one. */
export const newDeviceWindow = days
// Whoever registers with somebody else's address must not fill their mailbox by signing in again and again.
const newDevicesInWindow = 10

/** Whether somebody is told of a session on a new device: not of their first one, and not of any number within a day. */
export const tellsOfNewDevice = (state: {
  /** They have had a session with that user agent. */
  isKnown: boolean
  /** They have had any session. */
  hadSessions: boolean
  /** How many user agents their sessions of the last `newDeviceWindow` have. */
  agentsLately: number
}): boolean => !state.isKnown && state.hadSessions && state.agentsLately <= newDevicesInWindow

/** Whether an account still has what somebody was just let in with: it may have changed since it was checked. */
export const stillLetsIn = (
  wayIn: { kind: 'password'; password_hash: string | null } | { kind: 'messenger'; messenger_id: string | null },
  account: { password_hash: string | null; messenger_id: string | null },
): boolean =>
  wayIn.kind === 'password'
    ? account.password_hash === wayIn.password_hash
    : account.messenger_id === wayIn.messenger_id
