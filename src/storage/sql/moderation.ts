import { and, asc, eq, getTableColumns, isNull, ne, or, sql } from 'drizzle-orm'
import {
  type CaseRefusal,
  emptiedPreferences,
  emptiedProfile,
  isStillDue,
  refusesDecision,
} from '../../features/moderation/rules.ts'
import type { Message } from '../../features/chats/store.ts'
import type { Decided, Decision, ModerationStore } from '../../features/moderation/store.ts'
import type { Asked } from '../../features/notifications/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { holdMessage, removeMessage } from './messages.ts'
import { noticeInContext } from './notices.ts'
import { askNotifications, type Seer, seersOfChatsWith, takeBacks } from './notifications.ts'
import { enqueue } from './outbox.ts'
import { newerThan } from './pages.ts'
import { lockedReport, noClaim, nothingPending } from './report-locks.ts'
import { reportColumns } from './reports.ts'
import { recountStats } from './reviews.ts'
import { refusesCase, standingOf } from './standings.ts'

export function moderationStore(engine: Engine): ModerationStore {
  const { appeals, notices, reports } = engine.tables
  const isNot = (column: typeof reports.reviewed_id, userId: string) => sql`${column} IS DISTINCT FROM ${userId}`

  const selectAppeals = (db: Builders) =>
    db
      .select({ ...getTableColumns(appeals), notice: noticeInContext(engine) })
      .from(appeals)
      .innerJoin(notices, eq(notices.id, appeals.notice_id))
      .leftJoin(reports, eq(reports.id, notices.report_id))

  return {
    standing: (userId) => engine.read((db) => standingOf(engine, db, userId)),

    report: (id) =>
      engine.read((db) =>
        first(
          db
            .select({ ...reportColumns(engine), evidence: reports.evidence })
            .from(reports)
            .where(eq(reports.id, id)),
        ),
      ),

    appeals: ({ reader, status }, limit, after) =>
      engine.read((db) =>
        rows(
          selectAppeals(db)
            .where(
              and(
                newerThan(appeals.created_at, appeals.id, after),
                ne(appeals.user_id, reader),
                isNot(reports.reviewed_id, reader),
                status && eq(appeals.status, status),
              ),
            )
            .orderBy(asc(appeals.created_at), asc(appeals.id))
            .limit(limit),
        ),
      ),

    appeal: (id) => engine.read((db) => first(selectAppeals(db).where(eq(appeals.id, id)))),

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
        const decisions = yield* rows(db.select().from(notices).where(eq(notices.report_id, reportId)))
        // Of a review the entry does not name its author.
        const isAboutSubject =
          report.subject_id === null || report.target === 'review'
            ? isNull(auditLog.subject_id)
            : eq(auditLog.subject_id, report.subject_id)
        const isItsDecision = and(
          eq(auditLog.action, 'report_resolved'),
          isAboutSubject,
          eq(engine.jsonText(auditLog.metadata, 'report_id'), reportId),
        )
        return {
          report,
          notices: decisions,
          appeals: yield* rows(
            db
              .select()
              .from(appeals)
              .where(
                engine.isAmong(
                  appeals.notice_id,
                  decisions.map((notice) => notice.id),
                ),
              ),
          ),
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
              .where(or(eq(auditLog.subject_id, reportId), isItsDecision))
              .orderBy(asc(auditLog.at), asc(auditLog.id)),
          ),
        }
      }),

    decide: (decision) => engine.write((db) => decide(engine, db, decision)),
  }
}

/**
 * First locks everything that the decision depends on, and looks at it under the locks. Then writes all of it, or nothing.
 */
function* decide(engine: Engine, db: Builders, decision: Decision): Work<Decided | CaseRefusal | 'claimed' | null> {
  const { appeals, notices, reports, users } = engine.tables
  const { at, case: about, report, appeal, remove, suspend, lift, notice } = decision
  const affected = remove ? yield* peopleOf(engine, db, remove) : []
  const living = yield* holdLiving(
    engine,
    db,
    [about?.judge_id, about?.subject_id, notice?.notice.user_id, ...affected].filter((id) => id !== undefined),
    [remove?.target === 'user' ? remove.id : undefined, suspend?.user_id, lift?.user_id].filter(
      (id) => id !== undefined,
    ),
  )
  // Whoever changes a role or a suspension locks the account, so they stay as they are until the commit.
  if (about) {
    const refused = yield* refusesCase(engine, db, about, at)
    if (refused) return refused
  }
  // Chats are locked before reports and appeals.
  if (remove?.target === 'message') yield* holdMessage(engine, db, remove.id)
  if (report) {
    const refused = refusesDecision(yield* lockedReport(engine, db, report.id), {
      moderatorId: report.resolved_by,
      pendingId: report.pending_id ?? null,
      now: at,
    })
    if (refused) return refused === 'claimed' ? refused : null
  }
  const appealStatus = (id: string) =>
    first(engine.locked(db.select({ status: appeals.status }).from(appeals).where(eq(appeals.id, id)), 'update'))
  const isDue = isStillDue(decision, {
    appeal: appeal ? yield* appealStatus(appeal.id) : null,
    suspended: lift ? yield* standingOf(engine, db, lift.user_id) : null,
  })
  if (!isDue) return null

  const setSuspension = (userId: string, set: Partial<typeof users.$inferInsert>) =>
    changed(
      db
        .update(users)
        .set(set)
        .where(and(eq(users.id, userId), isNull(users.deleted_at))),
    )
  if (report) {
    const { id, pending_id: _, ...outcome } = report
    yield* changed(
      db
        .update(reports)
        .set({ ...outcome, ...noClaim, ...nothingPending, status: 'resolved', resolved_at: at })
        .where(eq(reports.id, id)),
    )
  }
  if (appeal) {
    const { id, ...outcome } = appeal
    yield* changed(
      db
        .update(appeals)
        .set({ ...outcome, resolved_at: at })
        .where(eq(appeals.id, id)),
    )
  }
  if (suspend)
    yield* setSuspension(suspend.user_id, {
      suspended_until: suspend.until,
      suspended_reason: suspend.reason,
      suspension_id: suspend.notice_id,
    })
  if (lift) yield* setSuspension(lift.user_id, { suspended_until: null, suspended_reason: null, suspension_id: null })
  const removed = remove ? yield* removeContent(engine, db, remove, at, living) : nothing
  const told = notice && living.has(notice.notice.user_id) ? notice : null
  if (told) yield* changed(db.insert(notices).values(told.notice))
  yield* recordAudit(engine, db, decision.audit)
  yield* enqueue(engine, db, decision.webhooks ?? [])

  const members = removed.members.filter((id) => living.has(id))
  const events: { user_id: string; seq: number }[] = []
  let notice_seq: number | null = null
  // Counters are locked in the order of their users.
  for (const userId of [...new Set([...members, ...(told ? [told.notice.user_id] : [])])].sort()) {
    if (members.includes(userId))
      events.push(...(yield* engine.recordEvents(db, [userId], 'message_deleted', at, { ref: remove!.id })))
    if (told?.notice.user_id === userId)
      notice_seq = (yield* engine.recordEvents(db, [userId], 'notice', at, { data: told.event }))[0]!.seq
  }
  const { notify_at = null, takeBackIds = null } = decision
  const asked: Asked[] = []
  if (takeBackIds !== null) {
    const seers: Seer[] = suspend ? yield* seersOfChatsWith(suspend.user_id) : []
    const { message } = removed
    if (message) seers.push(...removed.members.map((user_id) => ({ chat_id: message.chat_id, user_id })))
    asked.push(...(yield* takeBacks(engine, db, seers, at, takeBackIds)))
  }
  if (told && notify_at !== null) {
    const { id, user_id } = told.notice
    asked.push({ id, user_id, occasion: { about: 'notice', notice_id: id }, at, due_at: notify_at })
  }
  yield* askNotifications(engine, db, asked)
  return { notice_seq, tombstone: removed.message && { message: removed.message, events }, photos: removed.photos }
}

type Content = NonNullable<Decision['remove']>
type Removed = { message: Message | null; members: string[]; photos: string[] }
// As the search has it of preferences without anything in them.
const nothingFolded = { folded: '[]', folded_of: '[][][]' }
const nothing: Removed = { message: null, members: [], photos: [] }

/** Whom the removal of something concerns. */
function* peopleOf({ tables }: Engine, db: Builders, { target, id }: Content): Work<string[]> {
  const { chats, messages, reviews } = tables
  switch (target) {
    case 'message': {
      const { user_a, user_b } = chats
      const ofMessage = db.select({ user_a, user_b }).from(messages).innerJoin(chats, eq(chats.id, messages.chat_id))
      const members = yield* first(ofMessage.where(eq(messages.id, id)))
      return members === null ? [] : [members.user_a, members.user_b]
    }
    case 'review': {
      const review = yield* first(db.select({ of: reviews.reviewed_id }).from(reviews).where(eq(reviews.id, id)))
      return review === null ? [] : [review.of]
    }
    case 'user':
      return [id]
  }
}

/** Removes what is still there. The accounts that it concerns are held. */
function* removeContent(
  engine: Engine,
  db: Builders,
  { target, id, name }: Content,
  at: number,
  living: ReadonlySet<string>,
): Work<Removed> {
  const { preferences, reviews, users } = engine.tables
  switch (target) {
    case 'message': {
      const removed = yield* removeMessage(engine, db, id, at)
      if (removed === null) return nothing
      const { before, message, members } = removed
      return { message, members, photos: before.photo_id === null ? [] : [before.photo_id] }
    }
    case 'review': {
      const removed = yield* first(db.delete(reviews).where(eq(reviews.id, id)).returning())
      if (removed && living.has(removed.reviewed_id)) yield* recountStats(engine, db, removed.reviewed_id)
      return nothing
    }
    case 'user': {
      const living = and(eq(users.id, id), isNull(users.deleted_at))
      const before = yield* first(db.select({ photo: users.photo }).from(users).where(living))
      if (before === null) return nothing
      yield* changed(
        db
          .update(users)
          .set({ ...emptiedProfile(name), updated_at: at })
          .where(living),
      )
      yield* engine.reindexTraits(id, () =>
        changed(
          db
            .update(preferences)
            .set({ ...emptiedPreferences, ...nothingFolded })
            .where(eq(preferences.user_id, id)),
        ),
      )
      return { ...nothing, photos: before.photo === null ? [] : [before.photo] }
    }
  }
}
