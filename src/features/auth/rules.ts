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
