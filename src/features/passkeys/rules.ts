import { hours, minutes } from '../../lib/time.ts'

/** How many passkeys an account may have. */
export const mostPasskeys = 16

export const hasRoomForPasskey = (there: number): boolean => there < mostPasskeys

/** How long a challenge is valid, in milliseconds. */
export const challengeLifetime = 5 * minutes

/** How long a passkey counts as a second factor after it was shown, in milliseconds. */
const secondFactorLifetime = 12 * hours

/**
 * Whether an authenticator's counter may follow the stored one (WebAuthn Level 3, section 6.1.1). One that does not rise is a
 * sign of a cloned authenticator. Some authenticators do not count and always show 0.
 */
export const counterMayFollow = (stored: number, shown: number): boolean =>
  shown > stored || (shown === 0 && stored === 0)

/** Whether a session was opened, or confirmed, with a passkey lately. */
export const hasSecondFactor = ({ passkey_at }: { passkey_at: number | null }, now: number): boolean =>
  passkey_at !== null && now - passkey_at < secondFactorLifetime
