import { eq } from 'drizzle-orm'
import type { Preferences, Profile, User, UserStore } from '../../features/profile/store.ts'
import { isTheirs } from '../image-use.ts'
import { recordAudit } from './audit.ts'
import type { Database } from './database.ts'
import { build, type Queries } from './queries.ts'
import { lockLiving } from './living.ts'
import { users } from './schema.ts'
import { retrait } from './traits.ts'

const noPreferences: Preferences = { drinks: [], activities: [], purposes: [], language: 'en' }

type Lists = 'drinks' | 'activities' | 'purposes'
type Stored<T> = Omit<T, Lists> & Record<Lists, string | null>

const userById = `
  SELECT u.id, email, phone, messenger_id, name, city, bio, gender, photo, role, coalesce(visible, true) AS visible,
    suspended_until, suspended_reason, created_at, u.updated_at, deleted_at
  FROM users u LEFT JOIN locations l ON l.user_id = u.id WHERE u.id = $1`
const profileColumns = `
  SELECT u.id, name, city, bio, gender, photo, drinks, activities, purposes, coalesce(language, 'en') AS language,
    rating_avg, coalesce(s.count, 0) AS reviews_count, created_at
  FROM users u LEFT JOIN preferences p ON p.user_id = u.id LEFT JOIN user_stats s ON s.user_id = u.id`
const preferencesOf = 'SELECT drinks, activities, purposes, language FROM preferences WHERE user_id = $1'
// Shared, so that the image is not swept before the profile shows it.
const ownImage = `SELECT id FROM media WHERE owner_id = $1 AND id = $2 AND ${isTheirs} FOR SHARE`

export function userStore(db: Database): UserStore {
  return {
    byId: (id) => db.read((q) => q.get<User>(userById, [id])),

    async profile(id) {
      const row = await db.read((q) => q.get<Stored<Profile>>(`${profileColumns} WHERE u.id = $1`, [id]))
      return row && { ...row, ...listsOf(row) }
    },

    async profiles(ids) {
      const rows = await db.read((q) => q.all<Stored<Profile>>(`${profileColumns} WHERE u.id = ANY($1::text[])`, [ids]))
      return rows.map((row) => ({ ...row, ...listsOf(row) }))
    },

    update: (id, change, now) =>
      db.write(async (tx) => {
        if (!(await lockLiving(tx, id))) return 'no_such_user'
        const before = (await tx.get<User>(userById, [id]))!
        const { photo } = change
        const isImage = typeof photo === 'string' && !photo.startsWith('https:')
        if (isImage && !(await tx.get(ownImage, [id, photo]))) return 'not_their_image'
        await tx.all(
          build
            .update(users)
            .set({ ...change, updated_at: now })
            .where(eq(users.id, id))
            .returning({ id: users.id }),
        )
        if (change.gender !== undefined) await retrait(tx, id)
        const user = (await tx.get<User>(userById, [id]))!
        return { user, replaced_photo: before.photo === user.photo ? null : before.photo }
      }),

    preferences: (id) => db.read((q) => readPreferences(q, id)),

    savePreferences: (id, change) =>
      db.write(async (tx) => {
        if (!(await lockLiving(tx, id))) return null
        const saved = { ...(await readPreferences(tx, id)), ...change }
        const { drinks, activities, purposes, language } = saved
        await tx.run(
          `INSERT INTO preferences (user_id, drinks, activities, purposes, language) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (user_id) DO UPDATE SET drinks = excluded.drinks, activities = excluded.activities,
             purposes = excluded.purposes, language = excluded.language`,
          [id, JSON.stringify(drinks), JSON.stringify(activities), JSON.stringify(purposes), language],
        )
        await retrait(tx, id)
        return saved
      }),

    setRole: (id, role, entry) =>
      db.write(async (tx) => {
        const values = [id, role, entry.at]
        if (
          (await tx.run('UPDATE users SET role = $2, updated_at = $3 WHERE id = $1 AND deleted_at IS NULL', values)) ===
          0
        )
          return false
        await recordAudit(tx, entry)
        return true
      }),
  }
}

async function readPreferences(db: Queries, id: string): Promise<Preferences> {
  const row = await db.get<Stored<Preferences>>(preferencesOf, [id])
  return row === null ? noPreferences : { ...row, ...listsOf(row) }
}

const listsOf = ({ drinks, activities, purposes }: Record<Lists, string | null>) => ({
  drinks: listOf(drinks),
  activities: listOf(activities),
  purposes: listOf(purposes),
})

const listOf = (json: string | null): string[] => (json === null || json === '[]' ? [] : JSON.parse(json))
