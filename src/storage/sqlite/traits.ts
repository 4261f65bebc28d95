import type { Database } from 'bun:sqlite'
import type { Db } from './database.ts'
import { oneRow } from './one-row.ts'

const columns = 'trait, square, location_id'

/** Rebuilds the index, whatever its state. */
export function rebuildTraits(client: Database) {
  client.run('DELETE FROM nearby_traits')
  client.run(`INSERT INTO nearby_traits SELECT ${columns} FROM visible_traits ORDER BY 1, 2, 3`)
}

/** How many entries of the index are missing or superfluous. */
export function countTraitErrors(client: Database): number {
  const sides = ['nearby_traits', 'visible_traits']
  const [missing, extra] = [sides, sides.toReversed()].map(
    ([here, there]) => `(SELECT count(*) FROM (SELECT ${columns} FROM ${here} EXCEPT SELECT ${columns} FROM ${there}))`,
  )
  return oneRow(client.query<{ n: number }, []>(`SELECT ${missing} + ${extra} AS n`).get()).n
}

/** Keeps `nearby_traits`, the index of filters, equal to the view `visible_traits`. */
export function traitIndexer(db: Db) {
  const forget = db.$client.prepare<null, [string]>(`
    DELETE FROM nearby_traits WHERE (${columns}) IN (
      SELECT ${columns} FROM visible_traits WHERE user_id = ?)`)
  const note = db.$client.prepare<null, [string]>(
    `INSERT INTO nearby_traits SELECT ${columns} FROM visible_traits WHERE user_id = ?`,
  )

  /** Runs a change of a user's gender, preferences, position or visibility. Call it inside a write. */
  return <T>(userId: string, change: () => T): T => {
    forget.run(userId)
    const changed = change()
    note.run(userId)
    return changed
  }
}
