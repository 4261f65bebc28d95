import type { Invite } from './store.ts'

export const registrationModes = ['open', 'invite', 'closed'] as const
export type RegistrationMode = (typeof registrationModes)[number]

/** What a new account is admitted by: how registration is set, and the hash of the invite's code that came with it. */
export type Admission = { mode: RegistrationMode; code_hash: string | null }

/** Of accounts that need no invite. */
export const anybody: Admission = { mode: 'open', code_hash: null }

export type RegistrationRefusal = 'registration_closed' | 'invite_required'

export const mostUses = 1000

/** Why an account may not be made now; null where it may. `invite` is the one with that code, if there is one. */
export function refusesAccount(
  { mode }: Admission,
  invite: Pick<Invite, 'uses' | 'used' | 'expires_at'> | null,
  now: number,
): RegistrationRefusal | null {
  if (mode === 'open') return null
  if (mode === 'closed') return 'registration_closed'
  if (!invite || invite.used >= invite.uses) return 'invite_required'
  return invite.expires_at !== null && invite.expires_at <= now ? 'invite_required' : null
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
