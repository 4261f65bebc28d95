import { notAmong } from '../sql/nearby-people.ts'
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
import { profilesThere } from './nearby-people.ts'
import type { Reads } from './reads.ts'
import * as tables from './schema.ts'

export function hotUsers({ $client: client }: Db, { remembered, rememberedEach }: Reads): HotUsers {
  const userById = client.prepare<UserRow, [string]>(`${selectUser(tables)} WHERE u.id = +?`)
  const profileById = client.prepare<ProfileRow, [string]>(`${selectProfile} WHERE u.id = +?`)
  const profilesByIds = client.prepare<ProfileRow, [string]>(
    `${selectProfile} WHERE u.id IN (SELECT value FROM json_each(?))`,
  )
  const readAnywhere = (ids: readonly string[]) => profilesByIds.all(JSON.stringify(ids)).map(profileOf)
  const readThere = profilesThere(client)
  const mapped = <Row, T>(row: Row | null, map: (row: Row) => T) => row && map(row)
  return {
    byId: async (id) => remembered('user', id, () => mapped(userById.get(id), userOf)),
    profile: async (id) => remembered('profile', id, () => mapped(profileById.get(id), profileOf)),
    profiles: async (ids) => rememberedEach('profile', ids, readAnywhere),
    async profilesOfFound(found) {
      const places = new Map(found.map((one) => [one.user_id, one]))
      return rememberedEach('profile', Array.from(places.keys()), (missing) => {
        const there = readThere(missing.map((id) => places.get(id)!))
        const others = notAmong(missing, there)
        return others.length === 0 ? there : [...there, ...readAnywhere(others)]
      })
    },
  }
}
