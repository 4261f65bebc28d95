import type { Role } from '../profile/store.ts'

export const standings = ['active', 'suspended'] as const
export type Standing = (typeof standings)[number]

/** A range of an index, for people whose key begins with a text. Excludes `to`. */
export type Range = { by: 'id' | 'email' | 'phone' | 'name'; from: string; to: string }

const range = (by: Range['by'], prefix: string): Range => ({ by, from: prefix, to: `${prefix}\u{10ffff}` })

/** Folds only A to Z, like the index of names. */
const foldLatin = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/**
 * The ranges in which to look for people, from an id, or the beginning of an e-mail address, a phone number or a name. The index
 * of names folds only Latin letters, so names in other scripts are looked up in the usual spellings (`ада`, `Ада`, `АДА`).
 */
export function rangesOf(typed: string): Range[] {
  const text = typed.normalize('NFC').trim()
  if (text === '') return []
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) return [range('id', text.toLowerCase())]
  const small = text.toLowerCase()
  const [first = '', ...rest] = [...small]
  const spellings = [text, small, first.toUpperCase() + rest.join(''), text.toUpperCase()].map(foldLatin)
  const names = [...new Set(spellings)].map((spelling) => range('name', spelling))
  const phone = text.replaceAll(/[\s()./-]/g, '')
  const phones = /^\+?[0-9]+$/.test(phone) ? [range('phone', phone.startsWith('+') ? phone : `+${phone}`)] : []
  return [range('email', small), ...phones, ...names]
}

export type LookRefusal = 'own_record' | 'for_admins'

/**
 * Why somebody may not open a person's record; null if they may. It counts reports and blocks by others, so nobody may open
 * their own. Those of moderators and admins are for admins. The reader's `id` is null for the operator.
 */
export function refusesLook(
  reader: { id: string | null; role: Role },
  subject: { id: string; role: Role },
): LookRefusal | null {
  if (reader.id === subject.id) return 'own_record'
  return reader.role !== 'admin' && subject.role !== 'user' ? 'for_admins' : null
}

export type RoleRefusal = 'no_admin' | 'last_admin'

type WithRole = { id: string; role: Role; suspended_until: number | null }

const isActiveAdmin = (now: number) => (one: WithRole) =>
  one.role === 'admin' && (one.suspended_until === null || one.suspended_until <= now)

/**
 * Why a role may not be changed; null if it may. Only admins may, and the last admin keeps the role. `actor_id` is null for the
 * operator; `admins` are all current admins who are not erased, including the subject.
 */
export function refusesRole(
  asked: { actor_id: string | null; subject_id: string; role: Role },
  admins: readonly WithRole[],
  now: number,
): RoleRefusal | null {
  const active = admins.filter(isActiveAdmin(now))
  if (asked.actor_id !== null && !active.some(({ id }) => id === asked.actor_id)) return 'no_admin'
  const isDemotion = asked.role !== 'admin' && admins.some(({ id }) => id === asked.subject_id)
  return isDemotion && !active.some(({ id }) => id !== asked.subject_id) ? 'last_admin' : null
}
