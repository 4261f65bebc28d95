import { and, asc, between, desc, eq, getTableColumns, isNull, sql } from 'drizzle-orm'
import { evidenceOf, photosOf, subjectOf, withPhotos } from '../../features/safety/rules.ts'
import type { Evidence, FiledReport, ReportStore } from '../../features/safety/store.ts'
import { type Builders, changed, type Engine, first, query, rows, type Work } from './engine.ts'
import { holdLiving, livingAmong } from './living.ts'
import { selectMessages } from './messages.ts'
import { askNotifications } from './notifications.ts'
import { enqueue } from './outbox.ts'
import { olderThan } from './pages.ts'
import { profileOf, type ProfileRow, selectProfile } from './users.ts'

/** The columns of a report but for its evidence, whose reading is recorded. */
export function reportColumns({ tables: { reports } }: Engine) {
  const { evidence: _, reviewed_id: __, ...columns } = getTableColumns(reports)
  return columns
}

export function reportStore(engine: Engine): ReportStore {
  const { chats, evidencePhotos, messages, reports, reviews } = engine.tables
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
            return found && { subject_id: found.sender_id, seen_by: [found.user_a, found.user_b] }
          }
          case 'review': {
            const author = db.select({ subject_id: reviews.reviewer_id }).from(reviews).where(eq(reviews.id, id))
            const found = yield* first(author)
            return found && { ...found, seen_by: null }
          }
        }
      }),

    file: (report, neighbours, notify = null, parcels = []) =>
      engine.write(function* (db) {
        const living = yield* holdLiving(engine, db, [report.reporter_id, report.subject_id])
        if (report.reporter_id !== null && !living.has(report.reporter_id)) return null
        // No unique index knows a reporter who is nobody: the lock on the subject's account decides a race.
        if (report.reporter_id === null) {
          if (report.subject_id !== null && !living.has(report.subject_id)) return null
          const same = and(
            isNull(reports.reporter_id),
            eq(reports.target, report.target),
            eq(reports.target_id, report.target_id),
          )
          const open = yield* first(
            db
              .select(columns)
              .from(reports)
              .where(and(same, eq(reports.status, 'open'))),
          )
          if (open !== null) return { report: open, created: false }
        }
        const collected = yield* collectEvidence(engine, db, report, neighbours)
        if (collected === null) return null
        const { evidence, photos } = collected
        const filed = yield* first(
          db
            .insert(reports)
            .values({ ...report, subject_id: subjectOf(report, evidence), evidence })
            // This changes nothing, but returns the reporter's one open report of the same.
            .onConflictDoUpdate({
              target: [reports.reporter_id, reports.target, reports.target_id],
              targetWhere: sql`status = 'open'`,
              set: { reason: sql`${reports.reason}` },
            })
            .returning(columns),
        )
        if (filed!.id !== report.id) return { report: filed!, created: false }
        if (photos.length > 0)
          yield* changed(
            db.insert(evidencePhotos).values(photos.map((media_id) => ({ media_id, report_id: report.id }))),
          )
        if (notify !== null) yield* askModerators(engine, db, report, notify)
        yield* enqueue(engine, db, parcels)
        return { report: filed!, created: true }
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

// There are a handful; a limit keeps the statement to its index.
const mostModerators = 1000

/** Notifies those who moderate, but for whoever reports or is reported. What each is told is decided when it is due. */
function* askModerators(
  engine: Engine,
  db: Builders,
  { reporter_id, subject_id, created_at: at }: FiledReport,
  { due_at, id }: { due_at: number; id(): string },
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
    others.map(({ user_id }) => ({ id: id(), user_id, occasion, at, due_at })),
  )
}

/** Reads what a report is about, and locks the images that it shows. Null where its target has gone. */
function* collectEvidence(
  engine: Engine,
  db: Builders,
  report: FiledReport,
  neighbours: number,
): Work<{ evidence: Evidence; photos: string[] } | null> {
  const { tables, locked, isAmong } = engine
  const { chats, media, messages, messageVersions, reviews } = tables
  const { target, target_id, subject_id } = report

  function* talkAround() {
    const { chat_id, seq } = messages
    const place = yield* first(db.select({ chat_id, seq }).from(messages).where(eq(messages.id, target_id)))
    if (place === null) return []
    // Whoever changes a message locks its chat, so that the texts and versions below are those of one moment.
    yield* first(locked(db.select({ id: chats.id }).from(chats).where(eq(chats.id, place.chat_id)), 'share'))
    const around = between(seq, place.seq - neighbours, place.seq + neighbours)
    return yield* rows(
      selectMessages(engine, db)
        .where(and(eq(chat_id, place.chat_id), around))
        .orderBy(asc(seq)),
    )
  }
  const [row = null] = yield* query<ProfileRow>(
    sql`${sql.raw(selectProfile)} WHERE u.id = ${subject_id} AND deleted_at IS NULL`,
  )
  const { text, at } = messageVersions
  const evidence = evidenceOf(report, {
    talk: target === 'message' ? yield* talkAround() : [],
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
  // None of them is removed before it is stored as evidence.
  const images = db
    .select({ id: media.id })
    .from(media)
    .where(isAmong(media.id, photosOf(evidence)))
  const photos = (yield* rows(locked(images.orderBy(asc(media.id)), 'share'))).map(({ id }) => id)
  return { evidence: withPhotos(evidence, new Set(photos)), photos }
}
