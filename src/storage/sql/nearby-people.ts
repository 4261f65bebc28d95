import type { Profile } from '../../features/profile/store.ts'

// `nearby_people` contains what a search shows of people. Triggers keep it equal to the view `visible_people`; see migration
// 0044_nearby_people. People who are missing in it are read from the tables behind that view.

const columns = `name, city, bio, gender, photo, drinks, activities, purposes, language, rating_avg, reviews_count, created_at,
  hidden, shown_birth_month`

/** The columns of a `ProfileRow`. */
export const selectNearby = `SELECT n.user_id AS id, ${columns}`

/** The people without a profile here: they have moved, hidden or left since they were found. */
export function notAmong(ids: readonly string[], profiles: readonly Profile[]): string[] {
  if (profiles.length === ids.length) return []
  const known = new Set(profiles.map(({ id }) => id))
  return ids.filter((id) => !known.has(id))
}

export const rebuildNearby = [
  'DELETE FROM nearby_people',
  'INSERT INTO nearby_people SELECT * FROM visible_people ORDER BY square, user_id',
]

const columnsOf = (table: string) => columns.replaceAll(/\w+/g, `${table}.$&`)
const wrong = `
  SELECT count(*) FROM visible_people AS v LEFT JOIN nearby_people AS n ON n.square = v.square AND n.user_id = v.user_id
  WHERE n.user_id IS NULL OR (${columnsOf('n')}) IS DISTINCT FROM (${columnsOf('v')})`
const extra = `
  SELECT count(*) FROM nearby_people AS n WHERE NOT EXISTS (
    SELECT 1 FROM locations AS l WHERE l.user_id = n.user_id AND l.square = n.square AND l.visible)`

/** How many rows of `nearby_people` are missing, wrong or superfluous. */
export const countNearbyErrors = `SELECT (${wrong}) + (${extra}) AS n`
