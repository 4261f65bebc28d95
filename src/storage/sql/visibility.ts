import { eq, sql } from 'drizzle-orm'
import { hasConsented, mandatory } from '../../features/auth/rules.ts'
import { choiceOf, type Visibility, visibilityOf } from '../../features/location/rules.ts'
import { type Builders, changed, type Engine, first, query, type Work } from './engine.ts'

/** Whether a position is visible by the rules. Call it inside a write that has locked the account. */
export function* visibilityFor(
  engine: Pick<Engine, 'newestConsents'>,
  userId: string,
  wantsToBeSeen: boolean,
): Work<Visibility> {
  const [account] = yield* query<{ hidden: string | null }>(sql`SELECT hidden FROM users WHERE id = ${userId}`)
  return visibilityOf(wantsToBeSeen, {
    hasConsented: hasConsented(yield* engine.newestConsents(userId, mandatory)),
    isHidden: account?.hidden != null,
  })
}

/** Shows or hides a position after consents or reports have changed. Call it inside a write that has locked the account. */
export function* syncVisibility(engine: Engine, db: Builders, userId: string): Work<void> {
  const { locations } = engine.tables
  const isTheirs = eq(locations.user_id, userId)
  const before = yield* first(
    db.select({ visible: locations.visible, held_back: locations.held_back }).from(locations).where(isTheirs),
  )
  if (before === null) return
  const after = yield* visibilityFor(engine, userId, choiceOf(before))
  if (after.visible === before.visible) return
  yield* engine.reindexTraits(userId, () => changed(db.update(locations).set(after).where(isTheirs)))
}
