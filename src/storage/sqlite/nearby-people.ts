import type { Database } from 'bun:sqlite'
import type { Found } from '../../features/profile/store.ts'
import { countNearbyErrors, rebuildNearby, selectNearby } from '../sql/nearby-people.ts'
import { type ProfileRow, profileOf } from '../sql/users.ts'
import { squareOf } from '../squares.ts'

/** Reads the profiles of people who were found at those positions; not of those who are no longer there. */
export function profilesThere(client: Database) {
  const there = client.prepare<ProfileRow, [string]>(`
    ${selectNearby} FROM json_each(?) AS found
    CROSS JOIN nearby_people AS n ON n.square = found.value ->> 0 AND n.user_id = found.value ->> 1`)
  return (found: readonly Found[]) =>
    there.all(JSON.stringify(found.map((one) => [squareOf(one), one.user_id]))).map(profileOf)
}

/** Makes the table anew, in whatever state it is. */
export function rebuildNearbyPeople(client: Database) {
  for (const statement of rebuildNearby) client.run(statement)
}

export const countNearbyPeopleErrors = (client: Database): number =>
  client.query<{ n: number }, []>(countNearbyErrors).get()!.n
