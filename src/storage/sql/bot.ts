import { and, count, eq, isNull, lt, lte, max, min, ne, or, sql } from 'drizzle-orm'
import { changedPermission, mayWrite, type PermissionCause } from '../../features/bot/rules.ts'
import type { BotChat, BotStore } from '../../features/bot/store.ts'
import { type Builders, changed, type Engine, first, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'

/** The bot's channels end with its permission, and with the messenger of the account. */
export function* dropBotChannels({ tables: { channels } }: Engine, db: Builders, userId: string): Work<void> {
  yield* changed(db.delete(channels).where(and(eq(channels.user_id, userId), eq(channels.kind, 'telegram'))))
}

export function botStore(engine: Engine): BotStore {
  const { read, write } = engine
  const { botPermissions, botUpdates, reports, users } = engine.tables
  const keepsProfileCache = { keepsProfileCache: true }
  const { messenger_id, language, state, changed_at, told_at, told_until } = botPermissions

  /** The id of the account with a messenger id; null if there is none. */
  function* accountOf(db: Builders, messengerId: string): Work<string | null> {
    const account = and(eq(users.messenger_id, messengerId), isNull(users.deleted_at))
    return (yield* first(db.select({ id: users.id }).from(users).where(account)))?.id ?? null
  }

  /** Changes the permission of an account whose row is locked. */
  function* change(db: Builders, user_id: string, chat: BotChat, cause: PermissionCause, at: number): Work<void> {
    const before = yield* first(db.select().from(botPermissions).where(eq(botPermissions.user_id, user_id)))
    const after = changedPermission(before, chat, cause, at)
    if (after === null) return
    const set = { ...chat, ...after }
    const insert = db.insert(botPermissions).values({ user_id, ...set })
    yield* changed(insert.onConflictDoUpdate({ target: botPermissions.user_id, set }))
    if (!mayWrite(after.state)) yield* dropBotChannels(engine, db, user_id)
  }

  /** The valid permissions: of accounts that are not erased and still have that messenger id. */
  const isGranted = and(eq(state, 'granted'), eq(users.messenger_id, messenger_id), isNull(users.deleted_at))

  return {
    apply: (update, at) =>
      write(function* (db) {
        const { update_id, messenger_id, language, cause } = update
        const user = yield* accountOf(db, messenger_id)
        const living = user === null ? null : yield* holdLiving(engine, db, [], [user])
        const remembered = db.insert(botUpdates).values({ update_id, at }).onConflictDoNothing()
        if ((yield* first(remembered.returning({ update_id: botUpdates.update_id }))) === null) return 'repeated'
        if (user === null || !living?.has(user)) return { account: false }
        yield* change(db, user, { messenger_id, language }, cause, at)
        return { account: true }
      }, keepsProfileCache),

    note: (userId, chat, cause, at) =>
      write(function* (db) {
        const living = yield* holdLiving(engine, db, [], [userId])
        if (living.has(userId)) yield* change(db, userId, chat, cause, at)
      }, keepsProfileCache),

    refused: (messengerId, at) =>
      write(function* (db) {
        const refused = { state: 'refused', changed_at: at } as const
        const granted = and(eq(messenger_id, messengerId), eq(state, 'granted'))
        const found = db.update(botPermissions).set(refused).where(granted).returning({ id: botPermissions.user_id })
        for (const { id } of yield* rows(found)) yield* dropBotChannels(engine, db, id)
      }, keepsProfileCache),

    chatOf: (userId) =>
      read((db) =>
        first(
          db
            .select({ messenger_id, language })
            .from(botPermissions)
            .innerJoin(users, eq(users.id, botPermissions.user_id))
            .where(and(eq(botPermissions.user_id, userId), isGranted)),
        ),
      ),

    ofUser: (userId) =>
      read((db) => {
        const own = eq(botPermissions.user_id, userId)
        return first(db.select({ state, language, changed_at }).from(botPermissions).where(own))
      }),

    moderators: (now) =>
      read((db) =>
        rows(
          db
            .select({ user_id: botPermissions.user_id, messenger_id, language, told_at, told_until })
            .from(botPermissions)
            .innerJoin(users, eq(users.id, botPermissions.user_id))
            .where(
              and(
                isGranted,
                ne(users.role, 'user'),
                or(isNull(users.suspended_until), lte(users.suspended_until, now)),
              ),
            ),
        ),
      ),

    openReports: (reader) =>
      read(function* (db) {
        const { status, created_at, subject_id, reviewed_id } = reports
        const isOthers = sql`${subject_id} IS DISTINCT FROM ${reader} AND ${reviewed_id} IS DISTINCT FROM ${reader}`
        const found = yield* first(
          db
            .select({ count: count(), oldest: min(created_at), newest: max(created_at) })
            .from(reports)
            .where(and(eq(status, 'open'), isOthers)),
        )
        return found ?? { count: 0, oldest: null, newest: null }
      }),

    claimReminder: (userId, before, at) =>
      write(function* (db) {
        const isUnchanged = before === null ? isNull(told_at) : eq(told_at, before)
        const own = and(eq(botPermissions.user_id, userId), isUnchanged)
        return (yield* changed(db.update(botPermissions).set({ told_at: at }).where(own))) > 0
      }, keepsProfileCache),

    remindedUntil: (userId, until) =>
      write(function* (db) {
        const own = eq(botPermissions.user_id, userId)
        yield* changed(db.update(botPermissions).set({ told_until: until }).where(own))
      }, keepsProfileCache),

    removeUpdates: (before, limit) =>
      write(function* (db) {
        const isOld = lt(botUpdates.at, before)
        const old = db.select({ update_id: botUpdates.update_id }).from(botUpdates).where(isOld).limit(limit)
        return yield* changed(db.delete(botUpdates).where(sql`${botUpdates.update_id} IN (${old})`))
      }, keepsProfileCache),
  }
}
