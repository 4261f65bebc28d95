import { eq, inArray, sql } from 'drizzle-orm'
import { canDecide, type Case, type CaseRefusal } from '../../features/moderation/rules.ts'
import type { ModerationStatus } from '../../features/moderation/store.ts'
import { type Builders, type Engine, first, rows, type Work } from './engine.ts'

const statuses = ({ tables: { users } }: Engine, db: Builders) => {
  const { id, role, suspended_until, suspension_id, deleted_at } = users
  return db.select({ id, role, suspended_until, suspension_id, deleted_at }).from(users)
}

export const moderationStatusOf = (engine: Engine, db: Builders, userId: string): Work<ModerationStatus | null> =>
  first(statuses(engine, db).where(eq(engine.tables.users.id, userId)))

/** For each case, why its judge may not decide it now; null if they may. */
export function* refusesCases(
  engine: Engine,
  db: Builders,
  cases: readonly Case[],
  now: number,
): Work<(CaseRefusal | null)[]> {
  const { users } = engine.tables
  const ids = new Set(cases.flatMap(({ judge_id, subject_id }) => [judge_id, subject_id]).filter((id) => id !== null))
  const found = ids.size === 0 ? [] : yield* rows(statuses(engine, db).where(inArray(users.id, [...ids])))
  const people = new Map(found.map((person) => [person.id, person]))
  const colleagues = cases.some(({ decided_by, judge_id }) => decided_by === judge_id)
    ? yield* rows(statuses(engine, db).where(sql`${users.role} <> 'user'`))
    : []
  return cases.map((about) =>
    canDecide(about, {
      judge: people.get(about.judge_id ?? '') ?? null,
      subject: people.get(about.subject_id ?? '') ?? null,
      colleagues,
      now,
    }),
  )
}

/** Why a moderator may not decide a case now; null if they may. */
export function* refusesCase(engine: Engine, db: Builders, about: Case, now: number): Work<CaseRefusal | null> {
  const [refused = null] = yield* refusesCases(engine, db, [about], now)
  return refused
}
