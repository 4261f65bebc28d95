import { and, asc, eq, isNotNull, isNull, lt, lte, or, type SQL, sql } from 'drizzle-orm'
import { isAboutReview } from '../../features/moderation/rules.ts'
import { fieldsKeptWithoutEvidence, openedWithin } from '../../features/retention/rules.ts'
import type { RetentionStore } from '../../features/retention/store.ts'
import { type Builders, changed, type Engine, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'

// Each batch is selected first and then changed by its keys, on the same condition: several nodes may do this at once, and no
// statement changes more than a batch.

type Found = { id: string }

export function retentionStore(engine: Engine): RetentionStore {
  const { write, isAmong, jsonText } = engine
  const { ageRefusals, appeals, auditLog, consentLog, evidencePhotos, locationCells, locations } = engine.tables
  const { messageVersions, notices, openers, reports, sessions } = engine.tables

  /** Runs a change on the ids that a query finds. Returns how many rows it wrote. */
  function* onEach(find: PromiseLike<Found[]>, change: (ids: string[]) => PromiseLike<unknown>): Work<number> {
    const found = yield* rows(find)
    return found.length === 0 ? 0 : yield* changed(change(found.map(({ id }) => id)))
  }

  const removeSessions = (condition: SQL | undefined, limit: number) =>
    write((db) =>
      onEach(db.select({ id: sessions.id }).from(sessions).where(condition).limit(limit), (ids) =>
        db.delete(sessions).where(and(isAmong(sessions.id, ids), condition)),
      ),
    )

  /**
   * Removes appeals about reviews together with the evidence. Without the evidence, the reviewed person can no longer be excluded
   * from reading them, and the appeal and the audit log would name the review's author.
   */
  function* forgetAppealsAboutReviews(db: Builders, aboutReviews: SQL): Work<void> {
    const gone = yield* rows(
      db
        .delete(appeals)
        .where(sql`${appeals.notice_id} IN (SELECT ${notices.id} FROM ${notices} WHERE ${aboutReviews})`)
        .returning({ id: appeals.id, user_id: appeals.user_id }),
    )
    for (const { id, user_id } of gone) {
      yield* changed(
        db
          .update(auditLog)
          .set({ actor_id: null })
          .where(and(eq(auditLog.subject_id, id), eq(auditLog.action, 'appeal'))),
      )
      yield* changed(
        db
          .update(auditLog)
          .set({ subject_id: null })
          .where(
            and(
              eq(auditLog.subject_id, user_id),
              eq(auditLog.action, 'appeal_resolved'),
              eq(jsonText(auditLog.metadata, 'appeal_id'), id),
            ),
          ),
      )
    }
  }

  /**
   * Takes the author of a reported review out of the entries of those who opened their account with the report. While there is
   * evidence, the reviewed person does not see these entries.
   */
  function* forgetOpenedAuthor(db: Builders, reportId: string, authorId: string): Work<void> {
    const isWithReport = sql`EXISTS (
      SELECT 1 FROM audit_log r WHERE r.subject_id = ${reportId} AND r.action = 'report_read'
        AND r.actor_id = audit_log.actor_id
        AND r.at BETWEEN audit_log.at - ${openedWithin} AND audit_log.at + ${openedWithin})`
    yield* changed(
      db
        .update(auditLog)
        .set({ subject_id: null })
        .where(and(eq(auditLog.subject_id, authorId), eq(auditLog.action, 'person_read'), isWithReport)),
    )
  }

  return {
    // Two statements, because there are two partial indexes: a condition over both would read the whole table.
    sessions: async (before, limit) => {
      const ended = await removeSessions(and(lt(sessions.ended_at, before.ended), isNotNull(sessions.ended_at)), limit)
      if (ended >= limit) return ended
      const unused = and(lt(sessions.last_used_at, before.lastUsed), isNull(sessions.ended_at))
      return ended + (await removeSessions(unused, limit - ended))
    },

    consentOrigins: (before, limit) =>
      write((db) => {
        const hasOrigin = or(isNotNull(consentLog.user_agent), isNotNull(consentLog.address))
        const condition = and(lt(consentLog.recorded_at, before), hasOrigin)
        return onEach(db.select({ id: consentLog.id }).from(consentLog).where(condition).limit(limit), (ids) =>
          db
            .update(consentLog)
            .set({ user_agent: null, address: null })
            .where(and(isAmong(consentLog.id, ids), condition)),
        )
      }),

    evidence: (before, limit) =>
      write(function* (db) {
        const resolved = yield* rows(
          db
            .select({
              id: reports.id,
              target: reports.target,
              reporter_id: reports.reporter_id,
              subject_id: reports.subject_id,
            })
            .from(reports)
            .where(and(lt(reports.resolved_at, before), eq(reports.status, 'resolved'), isNotNull(reports.evidence)))
            .orderBy(asc(reports.resolved_at))
            .limit(limit),
        )
        if (resolved.length === 0) return 0
        const living = yield* holdLiving(
          engine,
          db,
          resolved.flatMap(({ reporter_id, subject_id }) => [reporter_id, subject_id]),
        )
        let dropped = 0
        for (const { id, target, reporter_id, subject_id } of resolved) {
          const kept = fieldsKeptWithoutEvidence({
            target,
            isReporterLiving: reporter_id !== null && living.has(reporter_id),
            isSubjectErased: subject_id !== null && !living.has(subject_id),
          })
          dropped += yield* changed(
            db
              .update(reports)
              .set({
                evidence: null,
                ...(kept.subject_id ? {} : { subject_id: null }),
                ...(kept.details ? {} : { details: null }),
                ...(kept.note ? {} : { note: null }),
              })
              .where(and(eq(reports.id, id), isNotNull(reports.evidence))),
          )
        }
        const ids = resolved.map(({ id }) => id)
        const aboutReviews = isAmong(
          notices.report_id,
          resolved.filter(isAboutReview).map(({ id }) => id),
        )
        yield* forgetAppealsAboutReviews(db, aboutReviews)
        for (const report of resolved.filter(isAboutReview))
          if (report.subject_id !== null) yield* forgetOpenedAuthor(db, report.id, report.subject_id)
        yield* changed(db.update(notices).set({ report_id: null }).where(aboutReviews))
        yield* changed(db.delete(evidencePhotos).where(isAmong(evidencePhotos.report_id, ids)))
        return dropped
      }),

    messageVersions: (before, limit) =>
      write(function* (db) {
        const { message_id, at } = messageVersions
        const old = yield* rows(
          db.select({ message_id, at }).from(messageVersions).where(lt(at, before)).orderBy(asc(at)).limit(limit),
        )
        const newest = old.at(-1)
        if (newest === undefined) return 0
        const ids = old.map((version) => version.message_id)
        return yield* changed(db.delete(messageVersions).where(and(isAmong(message_id, ids), lte(at, newest.at))))
      }),

    positions: (before, limit) =>
      write(function* (db) {
        const isOld = and(lt(locations.updated_at, before), isNotNull(locations.updated_at))
        const stale = yield* rows(db.select({ user_id: locations.user_id }).from(locations).where(isOld).limit(limit))
        const ids = stale.map(({ user_id }) => user_id)
        yield* holdLiving(engine, db, [], ids)
        let dropped = 0
        for (const user_id of ids) {
          const nothing = {
            latitude: null,
            longitude: null,
            square: null,
            cell: null,
            strayed: false,
            updated_at: null,
          }
          // Unless the owner has sent a position since.
          const isStill = and(eq(locations.user_id, user_id), isOld)
          const count = yield* engine.reindexTraits(user_id, () =>
            changed(db.update(locations).set(nothing).where(isStill)),
          )
          if (count > 0) yield* changed(db.delete(locationCells).where(eq(locationCells.user_id, user_id)))
          dropped += count
        }
        return dropped
      }),

    reportOrigins: (before, limit) =>
      write((db) => {
        const condition = and(lt(reports.created_at, before), isNotNull(reports.origin))
        return onEach(db.select({ id: reports.id }).from(reports).where(condition).limit(limit), (ids) =>
          db
            .update(reports)
            .set({ origin: null })
            .where(and(isAmong(reports.id, ids), condition)),
        )
      }),

    ageRefusals: (before, limit) =>
      write((db) =>
        onEach(
          db.select({ id: ageRefusals.origin }).from(ageRefusals).where(lt(ageRefusals.at, before)).limit(limit),
          (ids) => db.delete(ageRefusals).where(and(isAmong(ageRefusals.origin, ids), lt(ageRefusals.at, before))),
        ),
      ),

    openers: (before, limit) =>
      write(function* (db) {
        const { at } = openers
        const old = yield* rows(db.select({ at }).from(openers).where(lt(at, before)).orderBy(asc(at)).limit(limit))
        const newest = old.at(-1)
        return newest === undefined ? 0 : yield* changed(db.delete(openers).where(lte(at, newest.at)))
      }),

    auditEntries: (before, limit) =>
      write((db) => {
        const isOld = lt(auditLog.at, before)
        const oldest = db.select({ id: auditLog.id }).from(auditLog).where(isOld)
        return onEach(oldest.orderBy(asc(auditLog.at), asc(auditLog.id)).limit(limit), (ids) =>
          db.delete(auditLog).where(and(isAmong(auditLog.id, ids), isOld)),
        )
      }),
  }
}
