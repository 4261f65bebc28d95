import { foldCase } from '../../lib/text.ts'
import type { Preferences, Profile } from './store.ts'

type Liked = Pick<Preferences, 'drinks' | 'activities' | 'purposes'>

/**
 * The search index of preferences, which both engines store beside them. `folded` has each entry as a trait without case, such
 * as `drinks:tea`. `folded_of` repeats the stored lists, and so tells whether `folded` is up to date.
 */
export function foldedPreferences({ drinks, activities, purposes }: Liked): { folded: string; folded_of: string } {
  const traits = Object.entries({ drinks, activities, purposes }).flatMap(([kind, values]) =>
    values.map((value) => `${kind}:${foldCase(value)}`),
  )
  return {
    // `Tea` and `tea` are one trait.
    folded: JSON.stringify([...new Set(traits)]),
    folded_of: [drinks, activities, purposes].map((list) => JSON.stringify(list)).join(''),
  }
}

/** A profile as others see it, without the parts that are hidden until reports are decided. */
export function shownProfile(profile: Profile): Profile {
  if (!profile.hidden) return profile
  if (profile.hidden === 'nearby') return { ...profile, photo: null }
  const { id, name, language, created_at, hidden } = profile
  const nothing = { city: null, bio: null, gender: null, photo: null, drinks: [], activities: [], purposes: [] }
  return { id, name, ...nothing, language, rating_avg: null, reviews_count: 0, created_at, hidden }
}

/** The months since the year 0. */
const monthsOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1
const monthOf = (at: number) => monthsOf(new Date(at).toISOString())
const yearOf = (months: number) => String(Math.floor(months / 12)).padStart(4, '0')

/**
 * The age in full years, by the calendar of UTC. The day of birth is not known, so the first day of the month counts: nobody is
 * shown as younger than the minimum age at which they have registered.
 */
export const shownAge = (birthMonth: string | null | undefined, now: number): number | null =>
  birthMonth == null ? null : Math.max(0, Math.floor((monthOf(now) - monthsOf(birthMonth)) / 12))

/**
 * The times of birth for a range of ages, both included: whole years such as `1990`, and before and after them single months such
 * as `1990-05`. People who show their age are indexed by both.
 */
export function birthsOf({ min, max }: { min: number; max: number }, now: number): string[] {
  const latest = monthOf(now) - 12 * min
  const earliest = monthOf(now) - 12 * max - 11
  const births: string[] = []
  for (let month = earliest; month <= latest;) {
    const isYear = month % 12 === 0 && month + 11 <= latest
    births.push(isYear ? yearOf(month) : `${yearOf(month)}-${String((month % 12) + 1).padStart(2, '0')}`)
    month += isYear ? 12 : 1
  }
  return births
}
