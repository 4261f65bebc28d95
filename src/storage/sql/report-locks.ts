import { eq } from 'drizzle-orm'
import type { QueuedState } from '../../features/moderation/rules.ts'
import { type Builders, type Engine, first, type Work } from './engine.ts'

export const noClaim = { claimed_by: null, claimed_until: null }
export const nothingPending = { pending: null, pending_until: null }

/** The state of a report that the rules of the queue need, locked until the commit. */
export function* lockedReport(engine: Engine, db: Builders, id: string): Work<QueuedState | null> {
  const { reports } = engine.tables
  const { status, reason, claimed_by, claimed_until, pending, pending_until, evidence } = reports
  const report = db
    .select({ status, reason, claimed_by, claimed_until, pending, pending_until, evidence })
    .from(reports)
  const found = yield* first(engine.locked(report.where(eq(reports.id, id)), 'update'))
  return found && { ...found, edited_at: found.evidence?.message?.edited_at ?? null }
}
