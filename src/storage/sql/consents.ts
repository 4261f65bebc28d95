import { repeats } from '../../features/auth/rules.ts'
import { type Consent, consentKinds } from '../../features/auth/store.ts'
import { type Builders, changed, type Engine, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { syncVisibility } from './visibility.ts'

/** Adds entries as they are. The account must be locked. */
export function* addConsents(
  { tables: { consentLog }, consentOrder }: Engine,
  db: Builders,
  consents: readonly Consent[],
): Work<void> {
  for (const consent of consents)
    yield* changed(db.insert(consentLog).values({ ...consent, ...consentOrder(consent.user_id) }))
}

/** Adds the entries that change something, and returns them; null if the account is erased. */
export function* recordConsents(
  engine: Engine,
  db: Builders,
  userId: string,
  consents: readonly Consent[],
): Work<Consent[] | null> {
  if (!(yield* holdLiving(engine, db, [], [userId])).has(userId)) return null
  const newest = yield* engine.newestConsents(userId, consentKinds)
  const added = consents.filter((entry) => !newest.some((one) => one.kind === entry.kind && repeats(one, entry)))
  yield* addConsents(engine, db, added)
  yield* syncVisibility(engine, db, userId)
  return added
}
