import { eq, sql } from 'drizzle-orm'
import type { NewAccount } from '../../features/auth/store.ts'
import {
  birthMonthOf,
  inviteCodeOf,
  refusesAccount,
  type RegistrationRefusal,
} from '../../features/registration/rules.ts'
import { type Builders, changed, type Engine, first, type Work } from './engine.ts'

/**
 * Inserts an account; the only place that does. Decides whether it is admitted, and counts the use of its invite, which is
 * locked until the commit. `taken` if a unique index refuses one of its names.
 */
export function* insertAccount(
  { tables: { invites, preferences, users }, locked }: Engine,
  db: Builders,
  { language, admission, ...account }: NewAccount,
): Work<'created' | 'taken' | RegistrationRefusal> {
  const code = inviteCodeOf(admission)
  const invite =
    code === null ? null : yield* first(locked(db.select().from(invites).where(eq(invites.code_hash, code)), 'update'))
  const refused = refusesAccount(admission, invite, account.created_at)
  if (refused) return refused
  const inserted = yield* first(
    db
      .insert(users)
      .values({ ...account, birth_month: birthMonthOf(admission), updated_at: account.created_at })
      .onConflictDoNothing()
      .returning({ id: users.id }),
  )
  if (inserted === null) return 'taken'
  yield* changed(db.insert(preferences).values({ user_id: account.id, language }))
  if (invite)
    yield* changed(
      db
        .update(invites)
        .set({ used: sql`${invites.used} + 1` })
        .where(eq(invites.id, invite.id)),
    )
  return 'created'
}
