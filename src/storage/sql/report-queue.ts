import { and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import {
  decidesAboutStaff,
  longestHold,
  lostAfter,
  refusesClaim,
  refusesDecision,
  refusesUndo,
  releaseVerdict,
} from '../../features/moderation/rules.ts'
import type { Automation, QueueStore, ReportOutcome } from '../../features/moderation/store.ts'
import type { ReportKind } from '../../features/safety/store.ts'
import { recordAudit } from './audit.ts'
import { isAutomatedHold, isAutomatedNotice, isDecided, isOverturned, isReleased } from './automated.ts'
import { type Builders, changed, type Column, type Engine, first, rows } from './engine.ts'
import { enqueue } from './outbox.ts'
import { newerThan, olderThan } from './pages.ts'
import { lockedReport, noClaim, nothingPending } from './report-locks.ts'
import { reportColumns } from './reports.ts'
import { refusesCase } from './moderation-status.ts'

// The expression of the indexes, and the SQL form of `dueAtOf`.
const dueAt = sql.raw('coalesce(due_at, created_at + 86400000)')

// These writes change no profile.
const options = { keepsProfileCache: true }

export function queueStore(engine: Engine): QueueStore {
  const { read, write } = engine
  const { appeals, notices, reports, users } = engine.tables
  const isOfKind = (kind: ReportKind) =>
    kind === 'rule' || kind === 'held' ? eq(reports.kind, kind) : and(isNull(reports.kind), eq(reports.target, kind))
  const isWithin = (column: Column, from: number | undefined, to: number | undefined) =>
    and(from === undefined ? undefined : gte(column, from), to === undefined ? undefined : lt(column, to))
  const isNotWithin = (column: Column, after: number, to: number) =>
    or(isNull(column), lte(column, after), gt(column, to))
  // The SQL form of `actionOf`.
  const hasOutcome = (outcome: ReportOutcome) => {
    const isHeld = sql`${reports.kind} IS NOT DISTINCT FROM 'held'`
    switch (outcome) {
      case 'measure':
        return and(isNotNull(reports.action), ne(reports.action, 'dismiss'))
      case 'release':
        return and(eq(reports.action, 'dismiss'), isHeld)
      case 'dismiss':
        return and(eq(reports.action, 'dismiss'), sql`NOT (${isHeld})`)
      default:
        return eq(reports.action, outcome)
    }
  }
  const isAutomated = (automated: Automation, from: number | undefined, to: number | undefined) => {
    const ledToMeasure = sql`EXISTS (SELECT 1 FROM ${notices} LEFT JOIN ${appeals} ON ${appeals.notice_id} = ${notices.id}
      WHERE ${and(
        eq(notices.report_id, reports.id),
        isAutomatedNotice,
        isWithin(notices.created_at, from, to),
        automated === 'overturned' ? isOverturned : undefined,
      )})`
    const isHeld = and(
      isAutomatedHold,
      isWithin(reports.created_at, from, to),
      automated === 'overturned' ? isReleased : undefined,
    )
    return or(ledToMeasure, isHeld)
  }
  const isNot = (column: Column, userId: string) => sql`${column} IS DISTINCT FROM ${userId}`
  const isOthers = (userId: string) => and(isNot(reports.subject_id, userId), isNot(reports.reviewed_id, userId))
  const update = (db: Builders, id: string, set: Partial<typeof reports.$inferInsert>) =>
    changed(db.update(reports).set(set).where(eq(reports.id, id)))

  return {
    list: ({ reader, ...filter }, order, limit, after) =>
      read((db) => {
        const at = order === 'due' ? dueAt : reports.created_at
        const { status, reason, kind, subject_id, target, outcome, automated, overdue_at } = filter
        const { from, to, decided_from, decided_to } = filter
        return rows(
          db
            .select(reportColumns(engine))
            .from(reports)
            .where(
              and(
                order === 'newest' ? olderThan(at, reports.id, after) : newerThan(at, reports.id, after),
                isOthers(reader),
                status && eq(reports.status, status),
                reason && eq(reports.reason, reason),
                kind && isOfKind(kind),
                subject_id === undefined
                  ? undefined
                  : and(eq(reports.subject_id, subject_id), ne(reports.target, 'review')),
                target && eq(reports.target, target),
                filter.reported_by &&
                  (filter.reported_by === 'people' ? isNull(reports.kind) : isNotNull(reports.kind)),
                outcome && hasOutcome(outcome),
                overdue_at === undefined ? undefined : and(eq(reports.status, 'open'), lt(dueAt, overdue_at)),
                automated === undefined ? isWithin(reports.created_at, from, to) : isAutomated(automated, from, to),
                isWithin(reports.resolved_at, decided_from, decided_to),
                decided_from === undefined && decided_to === undefined ? undefined : isDecided,
              ),
            )
            .orderBy(...(order === 'newest' ? [desc(at), desc(reports.id)] : [asc(at), asc(reports.id)]))
            .limit(limit),
        )
      }),

    counts: (reader, now) =>
      read(function* (db) {
        const kind = sql<ReportKind>`coalesce(${reports.kind}, ${reports.target})`
        const found = yield* rows(
          db
            .select({
              kind,
              open: sql<number | string>`count(*)`,
              overdue: sql<number | string>`coalesce(sum(CASE WHEN ${dueAt} < ${now} THEN 1 ELSE 0 END), 0)`,
            })
            .from(reports)
            .where(and(eq(reports.status, 'open'), isOthers(reader)))
            .groupBy(kind),
        )
        const sum = (numbers: (number | string)[]) => numbers.reduce<number>((total, each) => total + Number(each), 0)
        return {
          open: sum(found.map(({ open }) => open)),
          overdue: sum(found.map(({ overdue }) => overdue)),
          by_kind: Object.fromEntries(found.map(({ kind, open }) => [kind, Number(open)])),
        }
      }),

    next: ({ id: moderator, role }, kind, at, until) =>
      write(function* (db) {
        const isAboutStaff = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${reports.subject_id}
          AND ${users.role} <> 'user' AND ${users.deleted_at} IS NULL)`
        const mostUrgent = db
          .select({ id: reports.id })
          .from(reports)
          .where(
            and(
              eq(reports.status, 'open'),
              isNotWithin(reports.pending_until, at - lostAfter, at + longestHold),
              isNotWithin(reports.claimed_until, at, at + longestHold),
              isOthers(moderator),
              isNot(reports.reporter_id, moderator),
              decidesAboutStaff(role) ? undefined : sql`NOT ${isAboutStaff}`,
              kind && isOfKind(kind),
            ),
          )
          .orderBy(asc(dueAt), asc(reports.id))
          .limit(1)
        // Concurrent calls skip the locked row instead of waiting.
        const found = yield* first(engine.locked(mostUrgent, 'update skip locked'))
        if (found === null) return null
        yield* update(db, found.id, { claimed_by: moderator, claimed_until: until })
        return found.id
      }, options),

    claim: (id, about, at, until) =>
      write(function* (db) {
        const refused = yield* refusesCase(engine, db, about, at)
        if (refused) return refused
        const moderator = about.judge_id ?? ''
        const taken = refusesClaim(yield* lockedReport(engine, db, id), moderator, at)
        if (taken === null) yield* update(db, id, { claimed_by: moderator, claimed_until: until })
        return taken
      }, options),

    release: (id, moderatorId, at) =>
      write(function* (db) {
        const verdict = releaseVerdict(yield* lockedReport(engine, db, id), moderatorId, at)
        if (verdict === 'release') yield* update(db, id, noClaim)
        return verdict !== 'claimed_by_other'
      }, options),

    hold: (id, about, decision, at, until, carryOut, read) =>
      write(function* (db) {
        const refused = yield* refusesCase(engine, db, about, at)
        if (refused) return refused
        const taken = refusesDecision(yield* lockedReport(engine, db, id), {
          moderatorId: decision.decided_by,
          pendingId: null,
          release: read?.release,
          readReason: read?.reason ?? null,
          now: at,
        })
        if (taken !== null) return taken
        yield* update(db, id, { pending: decision, pending_until: until })
        yield* enqueue(engine, db, [carryOut])
        return null
      }, options),

    undo: (id, moderatorId, at, entry) =>
      write(function* (db) {
        const refused = refusesUndo(yield* lockedReport(engine, db, id), moderatorId, at)
        if (refused) return refused
        yield* update(db, id, nothingPending)
        yield* recordAudit(engine, db, entry)
        return null
      }, options),

    drop: (id, pendingId, entry) =>
      write(function* (db) {
        const report = yield* lockedReport(engine, db, id)
        if (report?.pending?.id !== pendingId) return
        yield* update(db, id, nothingPending)
        yield* recordAudit(engine, db, entry)
      }, options),
  }
}
