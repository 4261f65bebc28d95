import { days } from '../../lib/time.ts'
import type { Invite } from './store.ts'

export const registrationModes = ['open', 'invite', 'closed'] as const
export type RegistrationMode = (typeof registrationModes)[number]

/** What a new account is admitted by: how registration is set, and the hash of the invite's code that came with it. */
export type Admission = { mode: RegistrationMode; code_hash: string | null; age?: AgeProof }

/** Of accounts that need no invite. */
export const anybody: Admission = { mode: 'open', code_hash: null }

/** Proof of age where a minimum age is set: the month of birth, or why the proof fails. Null if no minimum is set. */
export type AgeProof = { birth_month: string } | 'missing' | 'too_young' | null

export type RegistrationRefusal = 'registration_closed' | 'invite_required' | 'birth_date_missing' | 'too_young'

export const mostUses = 1000

/** The hash of the code whose invite an account needs; null if it needs none, or comes without. */
export const inviteCodeOf = ({ mode, code_hash }: Admission): string | null => (mode === 'invite' ? code_hash : null)

/** Why an account may not be made now; null if it may. `invite` is the one with that code, if there is one. */
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

/** What of a date of birth is stored. */
export const birthMonthOf = ({ age }: Admission): string | null =>
  typeof age === 'object' && age !== null ? age.birth_month : null

/** Whoever was too young is not asked again for so long. */
export const ageRefusedFor = days

const longestLife = 130

/** A date such as 1990-05-17, in the past, of somebody who can be alive; null for any other text. */
export function birthDateOf(text: string, now: number): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null
  const date = new Date(`${text}T00:00:00Z`)
  // The 30th of February would become the first or second of March.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text) return null
  return date.getTime() <= now && ageOf(date, now) <= longestLife ? date : null
}

/** Full years, by the calendar of UTC. Who is born on the 29th of February comes of age on the first of March. */
export function ageOf(birth: Date, now: number): number {
  const today = new Date(now)
  const years = today.getUTCFullYear() - birth.getUTCFullYear()
  const months = today.getUTCMonth() - birth.getUTCMonth()
  const hadBirthday = months > 0 || (months === 0 && today.getUTCDate() >= birth.getUTCDate())
  return hadBirthday ? years : years - 1
}

// Crockford's base 32: no letters that are read as others.
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** How many random bytes a code has. */
export const codeBytes = 16

/** A code to hand out, such as `7KQ2-…`: one letter for each byte, of which five bits count. */
export const codeOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte, i) => (i > 0 && i % 4 === 0 ? '-' : '') + letters[byte % 32]).join('')

/** A code as it is compared: people write small letters, leave out dashes, and take 0 for O and 1 for I or L. */
export const normalizedCode = (code: string): string =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
