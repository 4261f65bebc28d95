import { foldCase } from '../../lib/text.ts'
import type { Preferences } from './store.ts'

type Liked = Pick<Preferences, 'drinks' | 'activities' | 'purposes'>

/**
 * What the lists of preferences are searched by, as both engines store it beside them: `folded` has each entry as a trait,
 * `drinks:tea`, whatever its case; `folded_of` has the lists as they are stored, and so tells whether `folded` is of them.
 */
export function foldedPreferences({ drinks, activities, purposes }: Liked): { folded: string; folded_of: string } {
  const traits = Object.entries({ drinks, activities, purposes }).flatMap(([kind, values]) =>
    values.map((value) => `${kind}:${foldCase(value)}`),
  )
  return {
    // `Tea` and `tea` are one.
    folded: JSON.stringify([...new Set(traits)]),
    folded_of: [drinks, activities, purposes].map((list) => JSON.stringify(list)).join(''),
  }
}
