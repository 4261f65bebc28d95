import { days } from '../../lib/time.ts'
import type { Invite } from './store.ts'

export const registrationModes = ['open', 'invite', 'closed'] as const
export type RegistrationMode = (typeof registrationModes)[number]

/** The input of `refusesAccount`: the setting REGISTRATION, the hash of the given invite's code, and the proof of age. */
export type Admission = { mode: RegistrationMode; code_hash: string | null; age?: AgeProof }

/** Admits an account without an invite. */
export const anybody: Admission = { mode: 'open', code_hash: null }

/** Proof of the minimum age: the month of birth, or why the proof fails. Null if no minimum is set. */
export type AgeProof = { birth_month: string } | 'missing' | 'too_young' | null

export type RegistrationRefusal = 'registration_closed' | 'invite_required' | 'birth_date_missing' | 'too_young'

export const mostUses = 1000

/** The hash of the code of the invite that an account uses; null if it needs or has none. */
export const inviteCodeOf = ({ mode, code_hash }: Admission): string | null => (mode === 'invite' ? code_hash : null)

/** Why an account may not be created now; null if it may. `invite` is the one with the given code, if there is one. */
export function refusesAccount(
  { mode, age = null }: Admission,
  invite: Pick<Invite, 'uses' | 'used' | 'expires_at'> | null,
  now: number,
): RegistrationRefusal | null {
  if (mode === 'closed') return 'registration_closed'
  if (mode === 'invite' && (!invite || invite.used >= invite.uses)) return 'invite_required'
  if (mode === 'invite' && invite?.expires_at != null && invite.expires_at <= now) return 'invite_required'
  if (age === 'missing') return 'birth_date_missing'
  return age === 'too_young' ? 'too_young' : null
}

/** The stored part of a date of birth. */
export const birthMonthOf = ({ age }: Admission): string | null =>
  typeof age === 'object' && age !== null ? age.birth_month : null

/** How long an address is refused after somebody who was too young. */
export const ageRefusedFor = days

const longestLife = 130

/** A date such as 1990-05-17; null for any other text. */
export function dateOf(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const date = new Date(`${text}T00:00:00Z`)
  // JavaScript reads 30 February as the first or second of March.
  return Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text ? null : date
}

/** Whether somebody who is alive may have been born on that date. */
export const isOfLiving = (birth: Date, now: number): boolean =>
  birth.getTime() <= now && ageOf(birth, now) <= longestLife

/** The age in full years, by the calendar of UTC. A birthday on 29 February is celebrated on 1 March in other years. */
export function ageOf(birth: Date, now: number): number {
  const today = new Date(now)
  const years = today.getUTCFullYear() - birth.getUTCFullYear()
  const months = today.getUTCMonth() - birth.getUTCMonth()
  const hadBirthday = months > 0 || (months === 0 && today.getUTCDate() >= birth.getUTCDate())
  return hadBirthday ? years : years - 1
}

// Crockford's base 32, without letters that look like others.
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** How many random bytes a code has. */
export const codeBytes = 16

/** A code to hand out, such as `7KQ2-…`: one letter for each byte, from five of its bits. */
export const codeOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte, i) => (i > 0 && i % 4 === 0 ? '-' : '') + letters[byte % 32]).join('')

/** The form in which codes are compared: people write small letters, leave out dashes, and confuse 0 with O and 1 with I or L. */
export const normalizedCode = (code: string): string =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
