import { and, eq, isNull } from 'drizzle-orm'
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
