import { and, asc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { refusesRole } from '../../features/people/rules.ts'
import { foldedPreferences } from '../../features/profile/rules.ts'
import type { Preferences, Profile, User, UserStore } from '../../features/profile/store.ts'
import { isTheirs } from '../image-use.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, rows, type Tables, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { enqueue } from './outbox.ts'

/** Written per engine, because every request reads people, and SQLite caches them. */
export type HotUsers = Pick<UserStore, 'byId' | 'profile' | 'profiles' | 'profilesOfFound'>

/** The columns of an account that its owner may see: all but those that only the server needs. */
function ownColumns(users: Tables['users']) {
  const {
    password_hash: _,
    email_asked_at: __,
    suspension_id: ___,
    hidden_by: ____,
    ...columns
  } = getTableColumns(users)
  return columns
}

export const selectUser = ({ users }: Tables) => `
  SELECT ${Object.keys(ownColumns(users)).map((name) => `u.${name}`)}, coalesce(visible OR held_back, true) AS visible
  FROM users u LEFT JOIN locations l ON l.user_id = u.id`

const byKey = (table: string, alias: string) => `LEFT JOIN ${table} ${alias} ON ${alias}.user_id = u.id`
/** Selects `ProfileRow`s of users `u`. `join` adds a table by its `user_id`; all of its columns are nullable. */
export const selectProfileWith = (join: (table: string, alias: string) => string) => `
  SELECT u.id, name, city, bio, gender, photo, drinks, activities, purposes, coalesce(language, 'en') AS language,
    rating_avg, coalesce(s.count, 0) AS reviews_count, created_at, hidden, CASE WHEN show_age THEN birth_month END AS shown_birth_month
  FROM users u ${join('preferences', 'p')} ${join('user_stats', 's')}`
export const selectProfile = selectProfileWith(byKey)

type Lists = 'drinks' | 'activities' | 'purposes'
type Flags = 'visible' | 'show_age'
export type UserRow = Omit<User, Flags> & Record<Flags, boolean | 0 | 1>
export type ProfileRow = Omit<Profile, Lists> & Record<Lists, string | null>

export const userOf = (row: UserRow): User => ({
  ...row,
  visible: Boolean(row.visible),
  show_age: Boolean(row.show_age),
})

export function profileOf(row: ProfileRow): Profile {
  const { drinks, activities, purposes } = row
  return { ...row, drinks: listOf(drinks), activities: listOf(activities), purposes: listOf(purposes) }
}

// Most lists are empty.
const listOf = (json: string | null): string[] => (json === null || json === '[]' ? [] : JSON.parse(json))

// Far more than any community has.
const mostAdmins = 1000

const noPreferences: Preferences = { drinks: [], activities: [], purposes: [], language: 'en' }

export function userStore(engine: Engine, hot: HotUsers): UserStore {
  const { read, write, locked, reindexTraits } = engine
  const { locations, media, preferences, users } = engine.tables

  function* readUser(db: Builders, id: string): Work<User | null> {
    const row = yield* first(
      db
        .select({ ...ownColumns(users), wasVisible: locations.visible, held_back: locations.held_back })
        .from(users)
        .leftJoin(locations, eq(locations.user_id, users.id))
        .where(eq(users.id, id)),
    )
    if (row === null) return null
    const { wasVisible, held_back, ...user } = row
    return { ...user, visible: wasVisible === null || wasVisible || held_back === true }
  }

  function* readPreferences(db: Builders, id: string): Work<Preferences> {
    const { drinks, activities, purposes, language } = preferences
    const columns = { drinks, activities, purposes, language }
    return (yield* first(db.select(columns).from(preferences).where(eq(preferences.user_id, id)))) ?? noPreferences
  }

  return {
    ...hot,

    update: (id, change, now, webhooks = []) =>
      write(function* (db) {
        if (!(yield* holdLiving(engine, db, [], [id])).has(id)) return 'no_such_user'
        const before = yield* readUser(db, id)
        if (before === null) return 'no_such_user'
        if (typeof change.photo === 'string') {
          const isOwn = and(eq(media.id, change.photo), eq(media.owner_id, id), sql.raw(isTheirs))
          // Locked, so that the sweep does not remove the image before the profile shows it.
          const image = locked(db.select({ id: media.id }).from(media).where(isOwn), 'share')
          if (!(yield* first(image))) return 'not_their_image'
        }
        const save = () =>
          changed(
            db
              .update(users)
              .set({ ...change, updated_at: now })
              .where(eq(users.id, id)),
          )
        if (change.gender === undefined && change.show_age === undefined) yield* save()
        else yield* reindexTraits(id, save)
        yield* enqueue(engine, db, webhooks)
        const user = yield* readUser(db, id)
        if (user === null) throw new Error('an account that this write has locked is gone')
        return { user, replaced_photo: before.photo === user.photo ? null : before.photo }
      }),

    replacePhoto: (id, from, to, now, webhooks = []) =>
      write(function* (db) {
        const isFrom = and(eq(users.id, id), eq(users.photo, from), isNull(users.deleted_at))
        if ((yield* changed(db.update(users).set({ photo: to, updated_at: now }).where(isFrom))) === 0) return false
        yield* enqueue(engine, db, webhooks)
        return true
      }),

    preferences: (id) => read((db) => readPreferences(db, id)),

    savePreferences: (id, change, webhooks = []) =>
      write(function* (db) {
        if (!(yield* holdLiving(engine, db, [], [id])).has(id)) return null
        const saved = { ...(yield* readPreferences(db, id)), ...change }
        const stored = { ...saved, ...foldedPreferences(saved) }
        yield* reindexTraits(id, () =>
          changed(
            db
              .insert(preferences)
              .values({ user_id: id, ...stored })
              .onConflictDoUpdate({ target: preferences.user_id, set: stored }),
          ),
        )
        yield* enqueue(engine, db, webhooks)
        return saved
      }),

    foldPreferences: (limit) =>
      write(
        function* (db) {
          // The condition of the index of these rows: it compares the lists as stored, whichever release has written them.
          const listed = sql.raw('drinks || activities || purposes')
          const unfolded = db
            .select({ id: preferences.user_id })
            .from(preferences)
            .where(sql`${preferences.folded_of} <> ${listed}`)
          const found = yield* rows(unfolded.orderBy(asc(preferences.user_id)).limit(limit))
          for (const { id } of found) {
            // Read again under the lock, as another node or the owner may have changed them.
            yield* holdLiving(engine, db, [], [id])
            const { folded } = foldedPreferences(yield* readPreferences(db, id))
            yield* reindexTraits(id, () =>
              changed(db.update(preferences).set({ folded, folded_of: listed }).where(eq(preferences.user_id, id))),
            )
          }
          return found.length
        },
        { keepsProfileCache: true },
      ),

    setRole: (id, role, entry, webhooks = []) =>
      write(function* (db) {
        const { actor_id, at } = entry
        // The condition of the partial index comes first, because PostgreSQL uses that index only for this exact condition.
        const isAdmin = and(sql`${users.role} <> 'user'`, eq(users.role, 'admin'), isNull(users.deleted_at))
        const { id: userId, role: current, suspended_until } = users
        const columns = { id: userId, role: current, suspended_until }
        const find = () => rows(db.select(columns).from(users).where(isAdmin).orderBy(asc(userId)).limit(mostAdmins))
        // Every change of a role locks all admins: if two admins demote each other at once, the second sees the first.
        const before = (yield* find()).map((admin) => admin.id)
        if (!(yield* holdLiving(engine, db, [], [...before, id])).has(id)) return 'no_such_user'
        const refused = refusesRole({ actor_id, subject_id: id, role }, yield* find(), at)
        if (refused) return refused
        yield* changed(db.update(users).set({ role, updated_at: at }).where(eq(users.id, id)))
        yield* enqueue(engine, db, webhooks)
        yield* recordAudit(engine, db, entry)
        return 'changed'
      }),
  }
}
