import {
  type HotUsers,
  type ProfileRow,
  profileOf,
  selectProfile,
  selectUser,
  type UserRow,
  userOf,
} from '../sql/users.ts'
import type { Db } from './database.ts'
import type { Reads } from './reads.ts'

export function hotUsers({ $client: client }: Db, { remembered, rememberedEach }: Reads): HotUsers {
  const userById = client.prepare<UserRow, [string]>(`${selectUser} WHERE u.id = +?`)
  const profileById = client.prepare<ProfileRow, [string]>(`${selectProfile} WHERE u.id = +?`)
  const profilesByIds = client.prepare<ProfileRow, [string]>(
    `${selectProfile} WHERE u.id IN (SELECT value FROM json_each(?))`,
  )
  const mapped = <Row, T>(row: Row | null, map: (row: Row) => T) => row && map(row)
  return {
    byId: async (id) => remembered('user', id, () => mapped(userById.get(id), userOf)),
    profile: async (id) => remembered('profile', id, () => mapped(profileById.get(id), profileOf)),
    profiles: async (ids) =>
      rememberedEach('profile', ids, (missing) => profilesByIds.all(JSON.stringify(missing)).map(profileOf)),
  }
}
