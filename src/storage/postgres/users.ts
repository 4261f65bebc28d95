import type { User } from '../../features/profile/store.ts'
import { type HotUsers, type ProfileRow, profileOf, selectProfile, selectUser } from '../sql/users.ts'
import type { Database } from './database.ts'

const profilesWhere = async (db: Database, condition: string, value: string | readonly string[]) =>
  (await db.read((q) => q.all<ProfileRow>(`${selectProfile} WHERE ${condition}`, [value]))).map(profileOf)

export const hotUsers = (db: Database): HotUsers => ({
  byId: (id) => db.read((q) => q.get<User>(`${selectUser} WHERE u.id = $1`, [id])),
  profile: async (id) => (await profilesWhere(db, 'u.id = $1', id))[0] ?? null,
  profiles: (ids) => profilesWhere(db, 'u.id = ANY($1::text[])', ids),
})
