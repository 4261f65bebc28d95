import { and, eq, isNull } from 'drizzle-orm'
import { type CaseRefusal, isStillDue, refusesDecision, type UnreadRefusal } from '../../features/moderation/rules.ts'
import { distinctiveHashes, uprightHash } from '../../features/media/rules.ts'
import type { Decided, Decision } from '../../features/moderation/store.ts'
import type { Asked } from '../../features/notifications/store.ts'
import { storedAction } from '../../features/safety/rules.ts'
import { recordAudit } from './audit.ts'
import { type Builders, changed, type Engine, first, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { insertBanned, nextVersion } from './image-bank.ts'
import { holdMessage } from './messages.ts'
import { releaseMessage } from './reported-messages.ts'
import { storedNotice } from './notices.ts'
import { askNotifications, type Seer, seersOfChatsWith, takeBacks } from './asked-notifications.ts'
import { enqueue } from './outbox.ts'
import { lockedReport, noClaim, nothingPending } from './report-locks.ts'
import { endHiding, syncHiding } from './hiding.ts'
import { refusesCase, moderationStatusOf } from './moderation-status.ts'
import { nothing, peopleOf, removeContent } from './removal.ts'

/**
 * Locks everything that the decision depends on, checks it under the locks, and then writes all of the decision or nothing.
 */
export function* decide(
  engine: Engine,
  db: Builders,
  decision: Decision,
): Work<Decided | CaseRefusal | 'claimed' | UnreadRefusal | null> {
  const { appeals, notices, reports, users } = engine.tables
  const { at, case: about, report, appeal, remove, takeDown, release, suspend, lift, notice, shown } = decision
  const concerned = release ? ({ target: 'message', id: release.message_id } as const) : remove
  const affected = concerned ? yield* peopleOf(engine, db, concerned) : []
  const living = yield* holdLiving(
    engine,
    db,
    [about?.judge_id, about?.subject_id, notice?.notice.user_id, ...affected].filter((id) => id !== undefined),
    [
      remove?.target === 'user' ? remove.id : undefined,
      takeDown?.user_id,
      suspend?.user_id,
      lift?.user_id,
      shown?.notice.user_id,
    ].filter((id) => id !== undefined),
  )
  // A change of a role or a suspension locks the account, so both stay as they are until the commit.
  if (about) {
    const refused = yield* refusesCase(engine, db, about, at)
    if (refused) return refused
  }
  // Chats are locked before reports and appeals.
  if (concerned?.target === 'message') yield* holdMessage(engine, db, concerned.id)
  if (report) {
    const refused = refusesDecision(yield* lockedReport(engine, db, report.id), {
      moderatorId: report.resolved_by,
      pendingId: report.pending_id ?? null,
      release,
      readReason: report.read_reason ?? null,
      now: at,
    })
    if (refused) return refused === 'decided' ? null : refused
  }
  const appealStatus = (id: string) =>
    first(engine.locked(db.select({ status: appeals.status }).from(appeals).where(eq(appeals.id, id)), 'update'))
  const shownBy = (id: string) => first(db.select({ photo: users.photo }).from(users).where(eq(users.id, id)))
  const isDue = isStillDue(decision, {
    photo: takeDown ? ((yield* shownBy(takeDown.user_id))?.photo ?? null) : null,
    appeal: appeal ? yield* appealStatus(appeal.id) : null,
    suspended: lift ? yield* moderationStatusOf(engine, db, lift.user_id) : null,
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
    const { id, pending_id: _, read_reason: __, ...outcome } = report
    yield* changed(
      db
        .update(reports)
        .set({
          ...outcome,
          action: storedAction(outcome.action),
          ...noClaim,
          ...nothingPending,
          status: 'resolved',
          resolved_at: at,
        })
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
  const released = release
    ? yield* releaseMessage(engine, db, release.message_id, living, { at, notifyAt: decision.notify_at ?? null })
    : null
  const removed = remove ? yield* removeContent(engine, db, remove, at, living) : nothing
  if (takeDown)
    yield* changed(db.update(users).set({ photo: null, updated_at: at }).where(eq(users.id, takeDown.user_id)))
  const bank_changed = yield* changeBank(engine, db, decision, removed.photos)
  const told = notice && living.has(notice.notice.user_id) ? notice : null
  const showing = shown && living.has(shown.notice.user_id) ? shown : null
  const isShown =
    showing !== null &&
    (showing.appealed === null
      ? yield* syncHiding(engine, db, showing.notice.user_id)
      : yield* endHiding(engine, db, showing.notice.user_id, showing.appealed))
  const notes = [...(told ? [told] : []), ...(isShown ? [showing] : [])]
  for (const { notice } of notes) yield* changed(db.insert(notices).values(storedNotice(notice)))
  yield* recordAudit(engine, db, decision.audit)
  yield* enqueue(engine, db, decision.webhooks ?? [])

  const members = removed.members.filter((id) => living.has(id))
  const events: { user_id: string; seq: number }[] = []
  const noted: NonNullable<Decided['noted']>[number][] = []
  // Counters are locked in the order of their users.
  const arrived = released
    ? yield* engine.recordEvents(db, [released.otherId], 'message', at, { ref: released.message.id })
    : []
  for (const userId of [...new Set([...members, ...notes.map(({ notice }) => notice.user_id)])].sort()) {
    if (remove && members.includes(userId))
      events.push(...(yield* engine.recordEvents(db, [userId], 'message_deleted', at, { ref: remove.id })))
    for (const { notice, event } of notes.filter(({ notice }) => notice.user_id === userId))
      for (const { seq } of yield* engine.recordEvents(db, [userId], 'notice', at, { data: event }))
        noted.push({ user_id: userId, seq, notice_id: notice.id })
  }
  const { notify_at = null, takeBackIds = null } = decision
  const asked: Asked[] = []
  if (takeBackIds !== null) {
    const seers: Seer[] = suspend ? yield* seersOfChatsWith(suspend.user_id) : []
    const { message } = removed
    if (message && !message.held)
      seers.push(...removed.members.map((user_id) => ({ chat_id: message.chat_id, user_id })))
    asked.push(...(yield* takeBacks(engine, db, seers, at, takeBackIds)))
  }
  if (notify_at !== null)
    for (const { notice } of notes) {
      const { id, user_id } = notice
      asked.push({ id, user_id, occasion: { about: 'notice', notice_id: id }, at, due_at: notify_at })
    }
  yield* askNotifications(engine, db, asked)
  return {
    noted,
    tombstone: removed.message && { message: removed.message, events },
    released: released && { message: released.message, events: arrived },
    photos: takeDown ? [takeDown.image_id] : removed.photos,
    bank_changed,
  }
}

/** Bans the images of removed content, or lifts the bans of an earlier decision. Returns whether the bank has changed. */
function* changeBank(
  engine: Engine,
  db: Builders,
  { at, ban, unban }: Decision,
  removed: readonly string[],
): Work<boolean> {
  const { imageBank, media } = engine.tables
  if (unban) {
    const allowed = yield* changed(db.delete(imageBank).where(eq(imageBank.report_id, unban.report_id)))
    if (allowed > 0) yield* nextVersion(engine, db)
    return allowed > 0
  }
  if (!ban) return false
  const ids = [...new Set([...ban.images, ...removed])]
  const { hashes, hash_quality } = media
  const images = yield* rows(db.select({ hashes, hash_quality }).from(media).where(engine.isAmong(media.id, ids)))
  // An image with nothing in it would stand for all of these.
  const told = images.map(distinctiveHashes).filter((hashesOfImage) => hashesOfImage !== null)
  if (told.length === 0) return false
  const { report_id, reason, added_by, newId } = ban
  const entries = [...new Set(told.map(uprightHash))].map((hash) => ({
    ...{ id: newId(), hash, distance: null, reason, report_id, added_by, created_at: at },
  }))
  yield* insertBanned(engine, db, entries, yield* nextVersion(engine, db))
  return true
}
