import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Preferences, Profile, User, UserStore } from '../../features/profile/store.ts'
import type { Db } from './database.ts'
import { locations, media, preferences, users, userStats } from './schema.ts'
import { traitKeeper } from './traits.ts'
import type { Writer } from './writer.ts'

const noPreferences: Preferences = { drinks: [], activities: [], purposes: [], language: 'en' }

export function userStore(db: Db, writer: Writer): UserStore {
  const retrait = traitKeeper(db)
  const userById = db
    .select({
      id: users.id,
      email: users.email,
      phone: users.phone,
      messenger_id: users.messenger_id,
      name: users.name,
      city: users.city,
      bio: users.bio,
      gender: users.gender,
      photo: users.photo,
      role: users.role,
      visible: locations.visible,
      suspended_until: users.suspended_until,
      suspended_reason: users.suspended_reason,
      created_at: users.created_at,
      updated_at: users.updated_at,
      deleted_at: users.deleted_at,
    })
    .from(users)
    .leftJoin(locations, eq(locations.user_id, users.id))
    .where(eq(users.id, sql.placeholder('id')))
    .prepare()

  const profilesByIds = db
    .select({
      id: users.id,
      name: users.name,
      city: users.city,
      bio: users.bio,
      gender: users.gender,
      photo: users.photo,
      drinks: preferences.drinks,
      activities: preferences.activities,
      purposes: preferences.purposes,
      language: preferences.language,
      rating_avg: userStats.rating_avg,
      reviews_count: userStats.count,
      created_at: users.created_at,
    })
    .from(users)
    .leftJoin(preferences, eq(preferences.user_id, users.id))
    .leftJoin(userStats, eq(userStats.user_id, users.id))
    .where(sql`${users.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
    .prepare()

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
    .where(and(eq(media.id, sql.placeholder('id')), eq(media.owner_id, sql.placeholder('owner_id'))))
    .prepare()

  const readUser = (id: string): User | null => {
    const row = userById.get({ id })
    return row ? { ...row, visible: row.visible ?? true } : null
  }

  return {
    byId: async (id) => readUser(id),

    profiles: async (ids) =>
      profilesByIds.all({ ids: JSON.stringify(ids) }).map((row): Profile => ({
        ...row,
        drinks: row.drinks ?? [],
        activities: row.activities ?? [],
        purposes: row.purposes ?? [],
        language: row.language ?? 'en',
        reviews_count: row.reviews_count ?? 0,
      })),

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

    preferences: async (id) => preferencesOf.get({ id }) ?? noPreferences,

    savePreferences: (id, change) =>
      writer.write(() => {
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

    setRole: (id, role, now) =>
      writer.write(
        () =>
          db
            .update(users)
            .set({ role, updated_at: now })
            .where(and(eq(users.id, id), isNull(users.deleted_at)))
            .returning({ id: users.id })
            .all().length > 0,
      ),
  }
}
