import { eq, sql } from 'drizzle-orm'
import { canDecide, type Case, type CaseRefusal } from '../../features/moderation/rules.ts'
import type { ModerationStatus } from '../../features/moderation/store.ts'
import { type Builders, type Engine, first, rows, type Work } from './engine.ts'

const statuses = ({ tables: { users } }: Engine, db: Builders) => {
  const { id, role, suspended_until, suspension_id, deleted_at } = users
  return db.select({ id, role, suspended_until, suspension_id, deleted_at }).from(users)
}

export const moderationStatusOf = (engine: Engine, db: Builders, userId: string): Work<ModerationStatus | null> =>
  first(statuses(engine, db).where(eq(engine.tables.users.id, userId)))

/** Why a moderator may not decide a case now; null if they may. */
export function* refusesCase(engine: Engine, db: Builders, about: Case, now: number): Work<CaseRefusal | null> {
  const { users } = engine.tables
  return canDecide(about, {
    judge: about.judge_id === null ? null : yield* moderationStatusOf(engine, db, about.judge_id),
    subject: about.subject_id === null ? null : yield* moderationStatusOf(engine, db, about.subject_id),
    colleagues:
      about.decided_by === about.judge_id ? yield* rows(statuses(engine, db).where(sql`${users.role} <> 'user'`)) : [],
    now,
  })
}
