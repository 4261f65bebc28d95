import type { Db } from './database.ts'

export type Traits = ReturnType<typeof traitKeeper>

/** Keeps `nearby_traits`, the index of what people are searched by, equal to the view `visible_traits`. */
export function traitKeeper(db: Db) {
  const forget = db.$client.prepare<null, [string]>(`
    DELETE FROM nearby_traits WHERE (trait, square, location_id) IN (
      SELECT trait, square, location_id FROM visible_traits WHERE user_id = ?)`)
  const note = db.$client.prepare<null, [string]>(
    'INSERT INTO nearby_traits SELECT trait, square, location_id FROM visible_traits WHERE user_id = ?',
  )

  /** Runs a change of a user's gender, preferences, position or visibility. Call it inside a write. */
  return <T>(userId: string, change: () => T): T => {
    forget.run(userId)
    const changed = change()
    note.run(userId)
    return changed
  }
}
