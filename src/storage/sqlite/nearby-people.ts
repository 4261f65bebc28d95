import type { Database } from 'bun:sqlite'
import type { Found } from '../../features/profile/store.ts'
import { countNearbyErrors, rebuildNearby, selectNearby } from '../sql/nearby-people.ts'
import { type ProfileRow, profileOf } from '../sql/users.ts'
import { squareOf } from '../squares.ts'

/** Reads the profiles of people who were found at these positions. Omits people who are no longer there. */
export function profilesThere(client: Database) {
  const there = client.prepare<ProfileRow, [string]>(`
    ${selectNearby} FROM json_each(?) AS found
    CROSS JOIN nearby_people AS n ON n.square = found.value ->> 0 AND n.user_id = found.value ->> 1`)
  return (found: readonly Found[]) =>
    there.all(JSON.stringify(found.map((one) => [squareOf(one), one.user_id]))).map(profileOf)
}

/** Rebuilds the table, whatever its state. */
export function rebuildNearbyPeople(client: Database) {
  for (const statement of rebuildNearby) client.run(statement)
}

export const countNearbyPeopleErrors = (client: Database): number =>
  client.query<{ n: number }, []>(countNearbyErrors).get()!.n
