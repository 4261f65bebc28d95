import type { User } from '../../features/profile/store.ts'
import { type HotUsers, type ProfileRow, profileOf, selectProfileWith, selectUser } from '../sql/users.ts'
import { notAmong, selectNearby } from '../sql/nearby-people.ts'
import type { Database } from './database.ts'
import { isAmong } from './dialect.ts'
import { tables } from './schema.ts'

const userById = `${selectUser(tables)} WHERE u.id = $1`
const profilesThere = `${selectNearby} FROM nearby_people AS n WHERE ${isAmong('n.user_id', 1)}`

// A plan for any number of people would read all of a small table. OFFSET 0 makes it look each row up.
const selectProfile = selectProfileWith(
  (table, alias) => `LEFT JOIN LATERAL (SELECT * FROM ${table} WHERE user_id = u.id OFFSET 0) AS ${alias} ON true`,
)

const profilesWhere = async (db: Database, condition: string, value: string | readonly string[]) =>
  (await db.read((q) => q.all<ProfileRow>(`${selectProfile} WHERE ${condition}`, [value]))).map(profileOf)

export const hotUsers = (db: Database): HotUsers => ({
  byId: (id) => db.read((q) => q.get<User>(userById, [id])),
  profile: async (id) => (await profilesWhere(db, 'u.id = $1', id))[0] ?? null,
  profiles: (ids) => profilesWhere(db, isAmong('u.id', 1), ids),
  async profilesOfFound(found) {
    const ids = found.map(({ user_id }) => user_id)
    const there = (await db.read((q) => q.all<ProfileRow>(profilesThere, [ids]))).map(profileOf)
    const others = notAmong(ids, there)
    return others.length === 0 ? there : [...there, ...(await profilesWhere(db, isAmong('u.id', 1), others))]
  },
})
