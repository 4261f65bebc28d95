import { and, desc, eq, gt, isNull, lte, ne } from 'drizzle-orm'
import type { Hiding } from '../../features/profile/store.ts'
import {
  endedShare,
  hidingBy,
  hidingOf,
  hidingWindow,
  historyOf,
  mostHistory,
  type ReportHistory,
} from '../../features/safety/rules.ts'
import type { FiledReport, HidingNotice } from '../../features/safety/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, one, recordEvent, rows, type Work } from './engine.ts'
import { storedNotice } from './notices.ts'
import { askNotifications } from './asked-notifications.ts'
import { newerThan } from './pages.ts'
import { syncVisibility } from './visibility.ts'

// The limit for reports of one person within a day; further ones change nothing.
const mostReports = 200

/**
 * Hides the subject of a new or raised report if `hidingBy` says so, and stores their notice. Their account must be locked.
 */
export function* hideReported(
  engine: Engine,
  db: Builders,
  report: FiledReport & { subject_id: string },
  hiding: (reportId: string, hidden: Hiding, subjectId: string) => HidingNotice,
  notify_at: number | null,
): Work<(HidingNotice & { seq: number }) | null> {
  const { notices, reports, users } = engine.tables
  const { subject_id, created_at: at } = report
  const subject = yield* one(db.select({ hidden: users.hidden }).from(users).where(eq(users.id, subject_id)))
  const { id, target, reason, created_at, origin, reporter_id } = reports
  const select = () =>
    db
      .select({ id, target, reason, created_at, origin, reporter_id, reporter_since: users.created_at })
      .from(reports)
      .innerJoin(users, eq(users.id, reporter_id))
  const others = yield* rows(
    select()
      .where(
        and(
          eq(reports.subject_id, subject_id),
          gt(created_at, at - hidingWindow),
          eq(reports.status, 'open'),
          isNull(reports.hides),
          ne(id, report.id),
        ),
      )
      .orderBy(desc(created_at), desc(id))
      .limit(mostReports),
  )
  // A raised report counts from now on, however old it is.
  const found = [{ ...(yield* one(select().where(eq(id, report.id)))), created_at: at }, ...others]
  const isTrusted = { decided: 0, dismissed: 0 }
  const judge = (histories: ReadonlyMap<string, ReportHistory>) =>
    hidingBy(
      report,
      found.map((other) => ({ ...other, history: histories.get(other.reporter_id ?? '') ?? isTrusted })),
      subject.hidden,
    )
  // Most reports hide nobody even if all reporters are trusted, so their histories are not read.
  if (judge(new Map()) === null) return null
  const outcome = judge(
    yield* historiesOf(
      engine,
      db,
      found.flatMap((other) => other.reporter_id ?? []),
    ),
  )
  if (outcome === null) return null
  for (const { id, share } of outcome.shares)
    yield* changed(db.update(reports).set({ hides: share }).where(eq(reports.id, id)))
  if (outcome.hidden === subject.hidden) return null
  const told = hiding(report.id, outcome.hidden, subject_id)
  const set = { hidden: outcome.hidden, hidden_by: told.notice.id }
  yield* changed(db.update(users).set(set).where(eq(users.id, subject_id)))
  yield* syncVisibility(engine, db, subject_id)
  yield* changed(db.insert(notices).values(storedNotice(told.notice)))
  yield* recordAudit(engine, db, told.audit)
  if (notify_at !== null) {
    const occasion = { about: 'notice' as const, notice_id: told.notice.id }
    yield* askNotifications(engine, db, [{ id: told.notice.id, user_id: subject_id, occasion, at, due_at: notify_at }])
  }
  const seq = yield* recordEvent(engine, db, subject_id, 'notice', at, { data: told.event })
  return { ...told, seq }
}

/** The outcomes of these people's newest reports. */
function* historiesOf(engine: Engine, db: Builders, reporterIds: Iterable<string>): Work<Map<string, ReportHistory>> {
  const { reports } = engine.tables
  const histories = new Map<string, ReportHistory>()
  for (const reporterId of new Set(reporterIds)) {
    const newest = yield* rows(
      db
        .select({ action: reports.action })
        .from(reports)
        .where(eq(reports.reporter_id, reporterId))
        .orderBy(desc(reports.created_at), desc(reports.id))
        .limit(mostHistory),
    )
    histories.set(reporterId, historyOf(newest))
  }
  return histories
}

/**
 * Makes a user visible again as far as the open reports allow. Their account must be locked. Returns whether nothing stays
 * hidden.
 */
export function* syncHiding(engine: Engine, db: Builders, userId: string): Work<boolean> {
  const { reports, users } = engine.tables
  const before = yield* first(db.select({ hidden: users.hidden }).from(users).where(eq(users.id, userId)))
  if (!before?.hidden) return false
  const isOpen = and(eq(reports.subject_id, userId), eq(reports.status, 'open'))
  const held = yield* rows(
    db
      .select({ share: reports.hides })
      .from(reports)
      .where(and(isOpen, gt(reports.hides, 0))),
  )
  const hidden = hidingOf(held.flatMap(({ share }) => share ?? []))
  if (hidden === before.hidden) return false
  const isShown = hidden === null
  yield* changed(
    db
      .update(users)
      .set(isShown ? { hidden, hidden_by: null } : { hidden })
      .where(eq(users.id, userId)),
  )
  // A moderator has seen the open reports: only new ones hide again.
  if (isShown) yield* changed(db.update(reports).set({ hides: 0 }).where(isOpen))
  yield* syncVisibility(engine, db, userId)
  return isShown
}

/**
 * Makes a user visible again after an upheld appeal against the notice of a hiding, unless that hiding has ended since. Like
 * `syncHiding`.
 */
export function* endHiding(engine: Engine, db: Builders, userId: string, noticeId: string): Work<boolean> {
  const { notices, reports, users } = engine.tables
  const { hidden, hidden_by } = users
  const before = yield* first(db.select({ hidden, hidden_by }).from(users).where(eq(users.id, userId)))
  if (!before?.hidden) return false
  const { id, created_at } = notices
  const appealed = yield* one(db.select({ id, at: created_at }).from(notices).where(eq(id, noticeId)))
  const isLaterEnd = and(eq(notices.user_id, userId), eq(notices.kind, 'show'), newerThan(created_at, id, appealed))
  if ((yield* first(db.select({ id }).from(notices).where(isLaterEnd).limit(1))) !== null) return false
  const ended = endedShare({ hidden: before.hidden, isNewest: before.hidden_by === noticeId })
  const isEnded = and(eq(reports.subject_id, userId), eq(reports.status, 'open'), lte(reports.hides, ended))
  yield* changed(db.update(reports).set({ hides: 0 }).where(isEnded))
  return yield* syncHiding(engine, db, userId)
}
