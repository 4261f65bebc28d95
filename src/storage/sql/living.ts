import { and, eq, isNull } from 'drizzle-orm'
import type { SessionOfUser } from '../../features/auth/store.ts'
import { type Builders, type Engine, first, rows, type Work } from './engine.ts'

/**
 * Locks accounts until the commit: an erasure either came before and is seen here, or comes after and finds what this unit
 * of work has stored. Accounts in `changed` are also locked against others who change them. Returns the ids of those that
 * exist and are not erased. Call it once, as the first step, so that locks are taken in one order.
 */
export function* holdLiving(
  { tables: { users }, locked }: Engine,
  db: Builders,
  userIds: Iterable<string | null>,
  changed: readonly string[] = [],
): Work<Set<string>> {
  const living = new Set<string>()
  for (const id of [...new Set([...userIds, ...changed])].filter((id) => id !== null).sort()) {
    const account = db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, id), isNull(users.deleted_at)))
    if (yield* first(locked(account, changed.includes(id) ? 'no key update' : 'share'))) living.add(id)
  }
  return living
}

/**
 * Locks the account of a session against others who change it, as the first step. Null: the session has ended, or its account
 * is erased. Whatever gives lasting access calls it, because a new password may have ended the session since the request was
 * authenticated.
 */
export function* holdSession(
  engine: Engine,
  db: Builders,
  { id, user_id }: SessionOfUser,
): Work<{ id: string } | null> {
  if ((yield* holdLiving(engine, db, [], [user_id])).size === 0) return null
  const { sessions } = engine.tables
  const isLive = and(eq(sessions.id, id), eq(sessions.user_id, user_id), isNull(sessions.ended_at))
  return yield* first(db.select({ id: sessions.id }).from(sessions).where(isLive))
}

/** Those of the accounts that exist and are not erased now. Locks nothing. */
export function* livingAmong(
  { tables: { users }, isAmong }: Engine,
  db: Builders,
  userIds: readonly string[],
): Work<Set<string>> {
  const living = db
    .select({ id: users.id })
    .from(users)
    .where(and(isAmong(users.id, userIds), isNull(users.deleted_at)))
  return new Set((yield* rows(living)).map(({ id }) => id))
}
