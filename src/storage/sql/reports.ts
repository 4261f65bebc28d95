import { and, asc, between, desc, eq, getTableColumns, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Message } from '../../features/chats/store.ts'
import {
  amendedBy,
  canHide,
  evidenceOf,
  isFiled,
  keepsImagesOf,
  photosOf,
  subjectOf,
  withPhotos,
} from '../../features/safety/rules.ts'
import type { Evidence, FiledReport, Filing, Report, ReportStore } from '../../features/safety/store.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, one, query, rows, type Work } from './engine.ts'
import { holdLiving, livingAmong } from './living.ts'
import { asHeld, selectHeld, selectMessages } from './messages.ts'
import { askNotifications } from './asked-notifications.ts'
import { enqueue } from './outbox.ts'
import { hideReported } from './hiding.ts'
import { olderThan } from './pages.ts'
import { noClaim, nothingPending } from './report-locks.ts'
import { profileOf, type ProfileRow, selectProfile } from './users.ts'

/** The columns of a report without its evidence, because reading that is audited. */
export function reportColumns({ tables: { reports } }: Engine) {
  const { evidence: _, reviewed_id: __, hides: ___, origin: ____, ...columns } = getTableColumns(reports)
  return columns
}

export function reportStore(engine: Engine): ReportStore {
  const { chats, heldMessages, messages, reports, reviews } = engine.tables
  const columns = reportColumns(engine)

  return {
    target: (target, id) =>
      engine.read(function* (db) {
        switch (target) {
          case 'user':
            return (yield* livingAmong(engine, db, [id])).has(id) ? { subject_id: id, seen_by: null } : null
          case 'message': {
            const found = yield* first(
              db
                .select({ sender_id: messages.sender_id, user_a: chats.user_a, user_b: chats.user_b })
                .from(messages)
                .innerJoin(chats, eq(chats.id, messages.chat_id))
                .where(eq(messages.id, id)),
            )
            if (found !== null) return { subject_id: found.sender_id, seen_by: [found.user_a, found.user_b] }
            const { sender_id } = heldMessages
            const held = yield* first(db.select({ sender_id }).from(heldMessages).where(eq(heldMessages.id, id)))
            return held && { subject_id: held.sender_id, seen_by: [held.sender_id], held: true }
          }
          case 'review': {
            const author = db.select({ subject_id: reviews.reviewer_id }).from(reviews).where(eq(reviews.id, id))
            const found = yield* first(author)
            return found && { ...found, seen_by: null }
          }
        }
      }),

    file: (report, neighbours, notifyAt = null, parcelsOf = () => [], hiding) =>
      engine.write(function* (db) {
        const { reporter_id, subject_id } = report
        const mayHide = hiding !== undefined && canHide(report)
        // Of reports that may hide the person, exactly one does. Those of rules, which lock no reporter, open one report.
        const isSerialised = subject_id !== null && (mayHide || reporter_id === null)
        const living = yield* holdLiving(engine, db, [reporter_id, subject_id], isSerialised ? [subject_id] : [])
        if (!isFiled(report, living)) return null
        const filed = yield* fileReport(engine, db, { report, neighbours, notifyAt, parcels: parcelsOf(report.id) })
        if (filed === null) return null
        const { created } = filed
        const amended =
          created || reporter_id === null
            ? { report: filed.report, raised: false }
            : yield* amend(engine, db, filed.report, report)
        const { id } = amended.report
        if (amended.raised) {
          if (notifyAt !== null) yield* askModerators(engine, db, report, notifyAt)
          yield* enqueue(engine, db, parcelsOf(id))
        }
        const hid =
          (created || amended.raised) && mayHide && subject_id !== null && living.has(subject_id)
            ? yield* hideReported(engine, db, { ...report, id, subject_id }, hiding, notifyAt)
            : null
        return { ...amended, created, hid }
      }),

    list: (reporterId, limit, after) =>
      engine.read((db) =>
        rows(
          db
            .select(columns)
            .from(reports)
            .where(and(eq(reports.reporter_id, reporterId), olderThan(reports.created_at, reports.id, after)))
            .orderBy(desc(reports.created_at), desc(reports.id))
            .limit(limit),
        ),
      ),
  }
}

/** Adds to a reporter's open report, which `fileReport` has locked, what is new in another one of the same target. */
function* amend(
  engine: Engine,
  db: Builders,
  open: Report,
  again: FiledReport,
): Work<{ report: Report; raised: boolean }> {
  const { reports } = engine.tables
  const amendment = amendedBy(open, again)
  if (amendment === null) return { report: open, raised: false }
  const { raised, set } = amendment
  // The moderator has not read this: the claim ends, and a pending decision is not carried out. If an appeal or another decision
  // has made the subject visible again (`hides` is 0), this report can hide them again.
  const asNew = raised ? { ...noClaim, ...nothingPending, hides: sql`nullif(${reports.hides}, 0)` } : {}
  const change = db
    .update(reports)
    .set({ ...set, ...asNew })
    .where(eq(reports.id, open.id))
  return { report: yield* one(change.returning(reportColumns(engine))), raised }
}

type Filed = { report: Report; created: boolean }

/**
 * Files a report inside a unit of work that has locked the accounts of its reporter and its subject. Null if its target no
 * longer exists.
 */
export function* fileReport(
  engine: Engine,
  db: Builders,
  { report, neighbours, notifyAt, parcels, entry }: Omit<Filing, 'entry'> & Partial<Pick<Filing, 'entry'>>,
): Work<Filed | null> {
  const { evidencePhotos, reports } = engine.tables
  const columns = reportColumns(engine)
  const collected = yield* collectEvidence(engine, db, report, neighbours)
  if (collected === null) return null
  const { evidence, photos } = collected
  // No unique index covers reports without a reporter: the lock on the subject's account decides a race.
  if (report.reporter_id === null) {
    const same = and(
      isNull(reports.reporter_id),
      // A person's report whose reporter is erased has no kind.
      isNotNull(reports.kind),
      eq(reports.target, report.target),
      eq(reports.target_id, report.target_id),
      eq(reports.status, 'open'),
    )
    const open = yield* rows(
      db
        .select({ ...columns, evidence: reports.evidence })
        .from(reports)
        .where(same),
    )
    const covering = open.find((one) => keepsImagesOf(one, { target: report.target, evidence }))
    if (covering !== undefined) {
      const { evidence: _, ...filed } = covering
      return { report: filed, created: false }
    }
  }
  const filed = yield* one(
    db
      .insert(reports)
      .values({ ...report, subject_id: subjectOf(report, evidence), evidence })
      // This changes nothing, but returns the reporter's open report of the same target.
      .onConflictDoUpdate({
        target: [reports.reporter_id, reports.target, reports.target_id],
        targetWhere: sql`status = 'open'`,
        set: { reason: sql`${reports.reason}` },
      })
      .returning(columns),
  )
  if (filed.id !== report.id) return { report: filed, created: false }
  if (photos.length > 0)
    yield* changed(db.insert(evidencePhotos).values(photos.map((media_id) => ({ media_id, report_id: report.id }))))
  if (notifyAt !== null) yield* askModerators(engine, db, report, notifyAt)
  yield* enqueue(engine, db, parcels)
  if (entry) yield* recordAudit(engine, db, entry)
  return { report: filed, created: true }
}

// Far more than there are. The limit makes the planner use the index.
const mostModerators = 1000

/**
 * Schedules notifications to all moderators except the reporter and the subject. Their content is decided when they are
 * due.
 */
function* askModerators(
  engine: Engine,
  db: Builders,
  { reporter_id, subject_id, created_at: at }: FiledReport,
  due_at: number,
): Work<void> {
  const { users } = engine.tables
  const moderators = yield* rows(
    db
      .select({ user_id: users.id })
      .from(users)
      .where(sql`${users.role} <> 'user'`)
      .orderBy(asc(users.id))
      .limit(mostModerators),
  )
  const others = moderators.filter(({ user_id }) => user_id !== reporter_id && user_id !== subject_id)
  const occasion = { about: 'report' as const }
  yield* askNotifications(
    engine,
    db,
    others.map(({ user_id }) => ({ id: Bun.randomUUIDv7(), user_id, occasion, at, due_at })),
  )
}

/** Reads what a report is about, and locks the images that it shows. Null if its target no longer exists. */
function* collectEvidence(
  engine: Engine,
  db: Builders,
  report: FiledReport,
  neighbours: number,
): Work<{ evidence: Evidence; photos: string[] } | null> {
  const { tables, locked, isAmong } = engine
  const { chats, media, messages, messageVersions, reviews } = tables
  const { target, target_id, subject_id } = report

  function* messagesAround() {
    const { chat_id, seq } = messages
    const { heldMessages } = tables
    const found = yield* first(db.select({ chat_id, seq }).from(messages).where(eq(messages.id, target_id)))
    // A held message appears only in the report about itself.
    const held = found === null ? yield* first(selectHeld(engine, db).where(eq(heldMessages.id, target_id))) : null
    const place = found ?? held
    if (place === null) return []
    // Every change of a message locks its chat, so the texts and versions below are consistent.
    yield* first(locked(db.select({ id: chats.id }).from(chats).where(eq(chats.id, place.chat_id)), 'share'))
    const around = between(seq, place.seq - neighbours, place.seq + neighbours)
    const talk: Message[] = yield* rows(
      selectMessages(engine, db)
        .where(and(eq(chat_id, place.chat_id), around))
        .orderBy(asc(seq)),
    )
    return held === null ? talk : [...talk, asHeld(held)].sort((one, other) => one.seq - other.seq)
  }
  const [row = null] = yield* query<ProfileRow>(
    sql`${sql.raw(selectProfile)} WHERE u.id = ${subject_id} AND deleted_at IS NULL`,
  )
  const { text, at } = messageVersions
  const evidence = evidenceOf(report, {
    talk: target === 'message' ? yield* messagesAround() : [],
    versions:
      target === 'message'
        ? yield* rows(
            db.select({ text, at }).from(messageVersions).where(eq(messageVersions.message_id, target_id)).orderBy(at),
          )
        : [],
    review: target === 'review' ? yield* first(db.select().from(reviews).where(eq(reviews.id, target_id))) : null,
    user: row && profileOf(row),
  })
  if (evidence === null) return null
  // Locked, so that none is removed before it is stored as evidence.
  const images = db
    .select({ id: media.id })
    .from(media)
    .where(isAmong(media.id, photosOf(evidence)))
  const photos = (yield* rows(locked(images.orderBy(asc(media.id)), 'share'))).map(({ id }) => id)
  return { evidence: withPhotos(evidence, new Set(photos)), photos }
}
