import { and, asc, eq, getTableColumns, gte, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { ModerationStore } from '../../features/moderation/store.ts'
import { type Builders, type Engine, first, rows } from './engine.ts'
import { noticeColumns, noticeInContext } from './notices.ts'
import { strikesOf } from './people.ts'
import { newerThan } from './pages.ts'
import { reportColumns } from './reports.ts'
import { moderationStatusOf, refusesCases } from './moderation-status.ts'
import { decide } from './decisions.ts'
import { auditedSubject } from '../../features/moderation/rules.ts'

/** Decisions about a report, by moderators or automatic, whose audit entries name the subject instead of the report. */
const decisionsAboutSubject = ['report_resolved', 'person_hidden', 'photo_taken_down']

export function moderationStore(engine: Engine): ModerationStore {
  const { appeals, notices, reports } = engine.tables
  const isNot = (column: typeof reports.reviewed_id, userId: string) => sql`${column} IS DISTINCT FROM ${userId}`

  const selectAppeals = (db: Builders) =>
    db
      .select({
        ...getTableColumns(appeals),
        notice: noticeInContext(engine),
        reporter_id: reports.reporter_id,
        reviewed_id: reports.reviewed_id,
      })
      .from(appeals)
      .innerJoin(notices, eq(notices.id, appeals.notice_id))
      .leftJoin(reports, eq(reports.id, notices.report_id))

  return {
    moderationStatus: (userId) => engine.read((db) => moderationStatusOf(engine, db, userId)),

    report: (id) =>
      engine.read((db) =>
        first(
          db
            .select({ ...reportColumns(engine), evidence: reports.evidence })
            .from(reports)
            .where(eq(reports.id, id)),
        ),
      ),

    appeals: ({ reader, status, from, to }, limit, after) =>
      engine.read((db) =>
        rows(
          selectAppeals(db)
            .where(
              and(
                newerThan(appeals.created_at, appeals.id, after),
                ne(appeals.user_id, reader),
                isNot(reports.reviewed_id, reader),
                status && eq(appeals.status, status),
                from === undefined ? undefined : gte(appeals.created_at, from),
                to === undefined ? undefined : lt(appeals.created_at, to),
              ),
            )
            .orderBy(asc(appeals.created_at), asc(appeals.id))
            .limit(limit),
        ),
      ),

    refusals: (cases, now) => engine.read((db) => refusesCases(engine, db, cases, now)),

    appeal: (id) => engine.read((db) => first(selectAppeals(db).where(eq(appeals.id, id)))),

    history: (userId, reader, since) =>
      engine.read(function* (db) {
        const { users } = engine.tables
        const account = yield* first(db.select({ hidden: users.hidden }).from(users).where(eq(users.id, userId)))
        return { hidden: account?.hidden ?? null, strikes: yield* strikesOf(userId, since, reader) }
      }),

    heldForCheck: (details) =>
      engine.read((db) => {
        const { heldMessages, media } = engine.tables
        const isItsReport = and(
          eq(reports.target_id, heldMessages.id),
          eq(reports.target, 'message'),
          eq(reports.status, 'open'),
          isNull(reports.reporter_id),
          eq(reports.details, details),
        )
        return rows(
          db
            .select({ message_id: heldMessages.id, sender_id: heldMessages.sender_id, report_id: reports.id })
            .from(heldMessages)
            .innerJoin(media, and(eq(media.id, heldMessages.photo_id), eq(media.check_action, 'allow')))
            .innerJoin(reports, isItsReport)
            .where(and(isNull(heldMessages.edited_at), isNull(heldMessages.deleted_at))),
        )
      }),

    wholeCase: (reportId) =>
      engine.read(function* (db) {
        const { auditLog, evidencePhotos, media, users } = engine.tables
        const report = yield* first(
          db
            .select({ ...reportColumns(engine), evidence: reports.evidence })
            .from(reports)
            .where(eq(reports.id, reportId)),
        )
        if (report === null) return null
        const { id, file, width, height, created_at } = media
        const { name, email, phone } = users
        const people = [report.subject_id, report.reporter_id].filter((userId) => userId !== null)
        const decisions = yield* rows(
          db.select(noticeColumns(engine)).from(notices).where(eq(notices.report_id, reportId)),
        )
        const noticeIds = decisions.map((notice) => notice.id)
        const itsAppeals = yield* rows(db.select().from(appeals).where(engine.isAmong(appeals.notice_id, noticeIds)))
        const appealIds = itsAppeals.map((appeal) => appeal.id)
        const named = auditedSubject(report)
        const isAboutSubject = named === null ? isNull(auditLog.subject_id) : eq(auditLog.subject_id, named)
        const isItsDecision = and(
          isAboutSubject,
          or(
            and(
              inArray(auditLog.action, decisionsAboutSubject),
              eq(engine.jsonText(auditLog.metadata, 'report_id'), reportId),
            ),
            and(
              eq(auditLog.action, 'appeal_resolved'),
              engine.isAmong(engine.jsonText(auditLog.metadata, 'appeal_id'), appealIds),
            ),
          ),
        )
        return {
          report,
          notices: decisions,
          appeals: itsAppeals,
          images: yield* rows(
            db
              .select({ id, file, width, height, created_at })
              .from(evidencePhotos)
              .innerJoin(media, eq(media.id, evidencePhotos.media_id))
              .where(eq(evidencePhotos.report_id, reportId)),
          ),
          accounts: yield* rows(
            db
              .select({ id: users.id, name, email, phone, created_at: users.created_at })
              .from(users)
              .where(and(engine.isAmong(users.id, people), isNull(users.deleted_at))),
          ),
          entries: yield* rows(
            db
              .select()
              .from(auditLog)
              .where(or(engine.isAmong(auditLog.subject_id, [reportId, ...appealIds]), isItsDecision))
              .orderBy(asc(auditLog.at), asc(auditLog.id)),
          ),
        }
      }),

    decide: (decision) => engine.write((db) => decide(engine, db, decision)),
  }
}
