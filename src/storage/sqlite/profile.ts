import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Preferences, Profile, User, UserStore } from '../../features/profile/store.ts'
import { isTheirs } from '../image-use.ts'
import { auditRecorder } from './audit.ts'
import type { Db } from './database.ts'
import { livingIn } from './living.ts'
import type { Reads } from './reads.ts'
import { media, preferences, users } from './schema.ts'
import { traitKeeper } from './traits.ts'
import type { Writer } from './writer.ts'

const noPreferences: Preferences = { drinks: [], activities: [], purposes: [], language: 'en' }

type Lists = 'drinks' | 'activities' | 'purposes'
type ProfileRow = Omit<Profile, Lists> & Record<Lists, string | null>

const profileColumns = `
  SELECT u.id, name, city, bio, gender, photo, drinks, activities, purposes, coalesce(language, 'en') AS language,
    rating_avg, coalesce(s.count, 0) AS reviews_count, created_at
  FROM users u LEFT JOIN preferences p ON p.user_id = u.id LEFT JOIN user_stats s ON s.user_id = u.id`

export function userStore(db: Db, writer: Writer, { read, remembered, rememberedEach }: Reads): UserStore {
  const retrait = traitKeeper(db)
  const isLiving = livingIn(db)
  const audit = auditRecorder(db)
  const client = db.$client
  const userById = client.prepare<Omit<User, 'visible'> & { visible: number }, [string]>(`
    SELECT u.id, email, phone, messenger_id, name, city, bio, gender, photo, role, coalesce(visible, 1) AS visible,
      suspended_until, suspended_reason, created_at, u.updated_at, deleted_at
    FROM users u LEFT JOIN locations l ON l.user_id = u.id WHERE u.id = +?`)
  const profileById = client.prepare<ProfileRow, [string]>(`${profileColumns} WHERE u.id = +?`)
  const profilesByIds = client.prepare<ProfileRow, [string]>(
    `${profileColumns} WHERE u.id IN (SELECT value FROM json_each(?))`,
  )

  const preferencesOf = db
    .select({
      drinks: preferences.drinks,
      activities: preferences.activities,
      purposes: preferences.purposes,
      language: preferences.language,
    })
    .from(preferences)
    .where(eq(preferences.user_id, sql.placeholder('id')))
    .prepare()

  const ownImage = db
    .select({ id: media.id })
    .from(media)
    .where(and(eq(media.id, sql.placeholder('id')), eq(media.owner_id, sql.placeholder('owner_id')), sql.raw(isTheirs)))
    .prepare()

  const readUser = (id: string): User | null => {
    const row = userById.get(id)
    return row && { ...row, visible: row.visible !== 0 }
  }

  return {
    byId: async (id) => remembered('user', id, readUser),

    profile: async (id) =>
      remembered('profile', id, () => {
        const row = profileById.get(id)
        return row && profileOf(row)
      }),

    profiles: async (ids) =>
      rememberedEach('profile', ids, (missing) => profilesByIds.all(JSON.stringify(missing)).map(profileOf)),

    update: (id, change, now) =>
      writer.write(() => {
        const before = readUser(id)
        if (!before || before.deleted_at !== null) return 'no_such_user'
        const { photo } = change
        const isImage = typeof photo === 'string' && !photo.startsWith('https:')
        if (isImage && !ownImage.get({ id: photo, owner_id: id })) return 'not_their_image'
        const save = () =>
          db
            .update(users)
            .set({ ...change, updated_at: now })
            .where(eq(users.id, id))
            .run()
        if (change.gender === undefined) save()
        else retrait(id, save)
        const user = readUser(id)!
        return { user, replaced_photo: before.photo === user.photo ? null : before.photo }
      }),

    preferences: async (id) => read(() => preferencesOf.get({ id })) ?? noPreferences,

    savePreferences: (id, change) =>
      writer.write(() => {
        if (!isLiving(id)) return null
        const saved = { ...(preferencesOf.get({ id }) ?? noPreferences), ...change }
        retrait(id, () =>
          db
            .insert(preferences)
            .values({ user_id: id, ...saved })
            .onConflictDoUpdate({ target: preferences.user_id, set: saved })
            .run(),
        )
        return saved
      }),

    setRole: (id, role, entry) =>
      writer.write(() => {
        const changed = db
          .update(users)
          .set({ role, updated_at: entry.at })
          .where(and(eq(users.id, id), isNull(users.deleted_at)))
          .returning({ id: users.id })
          .all()
        if (changed.length === 0) return false
        audit(entry)
        return true
      }),
  }
}

function profileOf(row: ProfileRow): Profile {
  const { drinks, activities, purposes } = row
  return { ...row, drinks: listOf(drinks), activities: listOf(activities), purposes: listOf(purposes) }
}

const listOf = (json: string | null): string[] => (json === null || json === '[]' ? [] : JSON.parse(json))
