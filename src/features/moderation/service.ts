import type { Ids } from '../../ids.ts'
import { keyOf, type Page, pageOf } from '../../paging.ts'
import type { Push, SocketControl } from '../../realtime/events.ts'
import { invalid, Refusal } from '../../refusal.ts'
import { tidy } from '../../text.ts'
import { iso, isoOrNull, seconds } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { AuditEntry, AuditFilter, AuditStore } from '../audit/store.ts'
import { type Caller, type Callers, forever } from '../auth/callers.ts'
import type { Chats } from '../chats/service.ts'
import type { Message } from '../chats/store.ts'
import { noSuchUser, type Profiles } from '../profile/service.ts'
import type { Profile, Role } from '../profile/store.ts'
import { reviewView } from '../reviews/service.ts'
import { reportView } from '../safety/service.ts'
import type { Evidence, Report, ReportAction } from '../safety/store.ts'
import { noticeView } from './notices.ts'
import type {
  Appeal,
  AppealStatus,
  Decision,
  ModerationStore,
  Notice,
  NoticeInContext,
  ReportFilter,
  Standing,
} from './store.ts'

export type Moderation = ReturnType<typeof moderationService>

/** What moderation needs of images. */
export type EvidencePhotos = {
  /** A URL that serves the image as long as it is kept as evidence of the report. */
  evidencePhotoUrl(imageId: string, reportId: string): string
  /** Removes those of the images that nothing shows any more. */
  drop(imageIds: readonly string[]): Promise<void>
}

export type Resolution = { action: ReportAction; note: string; until?: string | null }
export type Suspension = { reason: string; note?: string | null; until?: string | null }

type Deps = {
  store: ModerationStore
  auditLog: AuditStore
  profiles: Pick<Profiles, 'view'>
  chats: Pick<Chats, 'view'>
  photos: EvidencePhotos
  callers: Pick<Callers, 'forget'>
  sockets: Pick<SocketControl, 'suspend'>
  push: Push
  audit: Audit
  ids: Ids
  now: () => number
}

type Moderator = { id: string; role: Role }

// What somebody is called whose own name had to go.
const neutralName = 'Member'

/** The operators' side of moderation. Every method opens with the role: 403 `forbidden` for everybody else. */
export function moderationService(deps: Deps) {
  const { store, auditLog, profiles, chats, photos, callers, sockets, push, audit, ids, now } = deps

  /** The role is read at every call: who is no moderator any more is none at once, also where another process says so. */
  async function moderatorOf(caller: Caller): Promise<Moderator> {
    const standing = await store.standing(caller.id)
    if (standing?.role !== 'moderator' && standing?.role !== 'admin')
      throw new Refusal('forbidden', 'This is for moderators.')
    return standing
  }

  async function userOf(userId: string): Promise<Standing> {
    const user = await store.standing(userId)
    if (!user || user.deleted_at !== null) throw new Refusal('not_found', noSuchUser)
    return user
  }

  /** The report, for whom it does not concern: nobody learns here who reported them, or reviewed them anonymously. */
  async function reportOf(moderator: Moderator, reportId: string) {
    const report = await store.report(reportId)
    if (!report) throw new Refusal('not_found', 'There is no such report.')
    for (const id of [report.subject_id, report.evidence?.review?.reviewed_id]) refuseOwnCase(moderator, id)
    return report
  }

  async function appealOf(appealId: string) {
    const appeal = await store.appeal(appealId)
    if (!appeal) throw new Refusal('not_found', 'There is no such appeal.')
    return appeal
  }

  /** Carries a decision out: the stored part in one step, then sessions, sockets and those concerned. */
  async function carryOut(decision: Decision, settled: string) {
    const decided = await store.decide(decision)
    if (!decided) throw new Refusal('conflict', settled)
    const { at, notice, suspend, lift } = decision
    const sealed = suspend ?? lift
    if (sealed) callers.forget(sealed.user_id)
    if (notice && decided.notice_seq !== null)
      push.events([{ user_id: notice.notice.user_id, seq: decided.notice_seq, type: 'notice', at, data: notice.event }])
    if (suspend) sockets.suspend(suspend.user_id)
    if (decided.tombstone) {
      const { message, events } = decided.tombstone
      push.events(
        events.map(({ user_id, seq }) => ({
          user_id,
          seq,
          type: 'message_deleted',
          at,
          data: chats.view(message, user_id),
        })),
      )
    }
    if (decided.photos.length > 0) await photos.drop(decided.photos)
  }

  /** The notice and what its event shows. */
  function tell(
    told: Pick<Notice, 'user_id' | 'action' | 'reason'> & Partial<Pick<Notice, 'note' | 'until'>>,
    at: number,
    about: Pick<Report, 'id' | 'target' | 'target_id' | 'reason'> | null = null,
  ): NonNullable<Decision['notice']> {
    const notice: Notice = {
      note: null,
      until: null,
      ...told,
      id: ids.next(),
      report_id: about?.id ?? null,
      created_at: at,
    }
    const context = {
      target: about?.target ?? null,
      target_id: about?.target_id ?? null,
      ground: about?.reason ?? null,
      appeal_id: null,
      appeal_status: null,
    }
    return { notice, event: noticeView({ ...notice, ...context }) }
  }

  /** End of a suspension; null where it has none. */
  function endOf(until: string | null | undefined): number | null {
    if (until === undefined || until === null) return null
    const end = Date.parse(until)
    if (!(end > now())) throw invalid('/until', 'Expected a time in the future')
    return end >= forever ? null : end
  }

  const photoUrl = (photo: string | null, reportId: string) =>
    photo === null || photo.startsWith('https:') ? photo : photos.evidencePhotoUrl(photo, reportId)

  /** A message as it was reported, for who is no member of its chat. */
  function messageView(message: Message, reportId: string) {
    const { photo, ...shown } = chats.view(message, '')
    return { ...shown, photo: photo && { ...photo, url: photos.evidencePhotoUrl(photo.id, reportId) } }
  }

  const profileView = (profile: Profile, reportId: string) => ({
    ...profiles.view({ ...profile, photo: null }),
    photo: photoUrl(profile.photo, reportId),
  })

  const evidenceView = (evidence: Evidence, reportId: string) => ({
    message: evidence.message && messageView(evidence.message, reportId),
    versions: evidence.versions.map(({ text, at }) => ({ text, at: iso(at) })),
    before: evidence.before.map((message) => messageView(message, reportId)),
    after: evidence.after.map((message) => messageView(message, reportId)),
    review: evidence.review && reviewView(evidence.review),
    user: evidence.user && profileView(evidence.user, reportId),
  })

  const queuedReport = (report: Report) => ({
    ...reportView(report),
    reporter_id: report.reporter_id,
    subject_id: report.subject_id,
    waiting_s: waitingS(report, now()),
    resolution: resolutionOf(report),
  })

  async function shownReport(moderator: Moderator, reportId: string) {
    const report = await reportOf(moderator, reportId)
    return { ...queuedReport(report), evidence: report.evidence && evidenceView(report.evidence, reportId) }
  }

  const queuedAppeal = (appeal: Appeal & { notice: NoticeInContext }) => ({
    id: appeal.id,
    user_id: appeal.user_id,
    text: appeal.text,
    status: appeal.status,
    created_at: iso(appeal.created_at),
    waiting_s: waitingS(appeal, now()),
    resolved_at: isoOrNull(appeal.resolved_at),
    resolved_by: appeal.resolved_by,
    note: appeal.note,
    notice: {
      id: appeal.notice.id,
      action: appeal.notice.action,
      reason: appeal.notice.reason,
      note: appeal.notice.note,
      until: isoOrNull(appeal.notice.until),
      created_at: iso(appeal.notice.created_at),
      report_id: appeal.notice.report_id,
    },
  })

  return {
    /** The queue, oldest first, without what concerns the caller. */
    async reports(caller: Caller, { status, reason, limit = 30, cursor }: ReportFilter & Page) {
      const { id: reader } = await moderatorOf(caller)
      const key = keyOf('admin-reports', cursor, ['number', 'string'])
      const rows = await store.reports({ reader, status, reason }, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('admin-reports', rows, limit, ({ created_at, id }) => [created_at, id], queuedReport)
    },

    /** One report with its evidence. That it was read is recorded, as it shows what two people said to each other. */
    async report(caller: Caller, reportId: string) {
      const moderator = await moderatorOf(caller)
      const report = await shownReport(moderator, reportId)
      await audit.record('report_read', moderator.id, report.id)
      return report
    },

    /** Settles an open report, with all that follows from it. Two at once: one of them is refused with 409. */
    async resolve(caller: Caller, reportId: string, { action, note: given, until }: Resolution) {
      const moderator = await moderatorOf(caller)
      const report = await reportOf(moderator, reportId)
      if (action !== 'suspend' && until !== undefined && until !== null)
        throw invalid('/until', 'Expected an end only for a suspension')
      const end = endOf(until)
      const subject = report.subject_id === null ? null : await store.standing(report.subject_id)
      const isThere = subject !== null && subject.deleted_at === null
      if (action === 'warn' || action === 'suspend') {
        if (!isThere) throw new Refusal('conflict', 'The account concerned is erased: there is nobody to tell.')
        if (action === 'suspend') refuseSuspension(moderator, subject)
      }
      const at = now()
      const note = tidy(given)
      const notice =
        action === 'dismiss' || !isThere
          ? undefined
          : tell({ user_id: subject.id, action, reason: note, until: end }, at, report)
      await carryOut(
        {
          at,
          audit: audit.entry('report_resolved', moderator.id, report.subject_id, {
            report_id: report.id,
            action,
            ...(action === 'suspend' && { until: isoOrNull(end) }),
          }),
          report: { id: report.id, resolved_by: moderator.id, action, note, until: end },
          notice,
          remove:
            action === 'remove_content'
              ? { target: report.target, id: report.target_id, name: neutralName }
              : undefined,
          suspend:
            action === 'suspend' && notice
              ? { user_id: notice.notice.user_id, until: end ?? forever, reason: note, notice_id: notice.notice.id }
              : undefined,
        },
        'This report is resolved already.',
      )
      return shownReport(moderator, report.id)
    },

    /** Suspends somebody at once, or changes the suspension that they have. */
    async suspend(caller: Caller, userId: string, suspension: Suspension) {
      const moderator = await moderatorOf(caller)
      const user = await userOf(userId)
      refuseOwnCase(moderator, user.id)
      refuseSuspension(moderator, user)
      const end = endOf(suspension.until)
      const reason = tidy(suspension.reason)
      const at = now()
      const note = tidy(suspension.note ?? '') || null
      const notice = tell({ user_id: user.id, action: 'suspend', reason, note, until: end }, at)
      const notice_id = notice.notice.id
      await carryOut(
        {
          at,
          audit: audit.entry('suspend', moderator.id, user.id, { notice_id, until: isoOrNull(end) }),
          suspend: { user_id: user.id, until: end ?? forever, reason, notice_id },
          notice,
        },
        changedMeanwhile,
      )
      return { user_id: user.id, suspended: true, reason, until: isoOrNull(end) }
    },

    /** Lifts a suspension. Where there is none, nothing changes. */
    async unsuspend(caller: Caller, userId: string, given: { reason?: string | null }) {
      const moderator = await moderatorOf(caller)
      const user = await userOf(userId)
      refuseOwnCase(moderator, user.id)
      refuseRank(moderator, user)
      if (isSuspended(user, now())) {
        const reason = tidy(given.reason ?? '') || 'The suspension was lifted.'
        const at = now()
        const notice = tell({ user_id: user.id, action: 'unsuspend', reason }, at)
        await carryOut(
          {
            at,
            audit: audit.entry('unsuspend', moderator.id, user.id, { notice_id: notice.notice.id }),
            lift: { user_id: user.id, suspension_id: user.suspension_id },
            notice,
          },
          changedMeanwhile,
        )
      }
      return { user_id: user.id, suspended: false, reason: null, until: null }
    },

    /** Appeals of others, oldest first. */
    async appeals(caller: Caller, { status, limit = 30, cursor }: { status?: AppealStatus } & Page) {
      const { id: reader } = await moderatorOf(caller)
      const key = keyOf('admin-appeals', cursor, ['number', 'string'])
      const rows = await store.appeals({ reader, status }, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('admin-appeals', rows, limit, ({ created_at, id }) => [created_at, id], queuedAppeal)
    },

    /** Settles an open appeal. Upheld, it lifts the suspension it is about, if that is the one that still stands. */
    async resolveAppeal(caller: Caller, appealId: string, body: { decision: 'uphold' | 'reject'; note: string }) {
      const moderator = await moderatorOf(caller)
      const appeal = await appealOf(appealId)
      const user = await userOf(appeal.user_id)
      refuseOwnCase(moderator, user.id)
      const upheld = body.decision === 'uphold'
      const lifts = upheld && user.suspension_id === appeal.notice_id && isSuspended(user, now())
      if (lifts) refuseRank(moderator, user)
      const at = now()
      const note = tidy(body.note)
      await carryOut(
        {
          at,
          audit: audit.entry('appeal_resolved', moderator.id, user.id, {
            appeal_id: appeal.id,
            decision: body.decision,
          }),
          appeal: { id: appeal.id, resolved_by: moderator.id, status: upheld ? 'upheld' : 'rejected', note },
          lift: lifts ? { user_id: user.id, suspension_id: appeal.notice_id } : undefined,
          notice: tell({ user_id: user.id, action: upheld ? 'appeal_upheld' : 'appeal_rejected', reason: note }, at),
        },
        'This appeal is resolved already.',
      )
      return queuedAppeal(await appealOf(appeal.id))
    },

    /** The audit log, newest first. */
    async auditLog(caller: Caller, { limit = 30, cursor, from, to, ...filter }: AuditQuery & Page) {
      await moderatorOf(caller)
      const key = keyOf('audit', cursor, ['number', 'string'])
      const rows = await auditLog.list(
        { ...filter, ...(from && { from: Date.parse(from) }), ...(to && { to: Date.parse(to) }) },
        limit + 1,
        key && { at: key[0], id: key[1] },
      )
      return pageOf('audit', rows, limit, ({ at, id }) => [at, id], auditView)
    },
  }
}

export type AuditQuery = Pick<AuditFilter, 'actor_id' | 'subject_id' | 'action'> & { from?: string; to?: string }

const changedMeanwhile = 'Somebody else has just decided about this account.'

const isSuspended = (user: Standing, now: number) => user.suspended_until !== null && user.suspended_until > now

/** Nobody judges what concerns themselves. */
function refuseOwnCase(moderator: Moderator, concernedId: string | null | undefined) {
  if (concernedId === moderator.id)
    throw new Refusal('forbidden', 'Nobody decides about themselves: ask another moderator.')
}

/** Moderators and admins are for admins to decide about, and nobody suspends an admin. */
function refuseRank(moderator: Moderator, user: Standing) {
  if (user.role !== 'user' && moderator.role !== 'admin')
    throw new Refusal('forbidden', 'Only an admin decides about a moderator or an admin.')
}

function refuseSuspension(moderator: Moderator, user: Standing) {
  refuseRank(moderator, user)
  if (user.role === 'admin') throw new Refusal('forbidden', 'An admin cannot be suspended.')
}

/** How long it has waited, or did wait, in whole seconds. */
const waitingS = ({ created_at, resolved_at }: { created_at: number; resolved_at: number | null }, now: number) =>
  Math.max(0, Math.floor(((resolved_at ?? now) - created_at) / seconds))

function resolutionOf({ action, note, until, resolved_by, resolved_at }: Report) {
  if (action === null || resolved_at === null) return null
  return { action, note, until: isoOrNull(until), resolved_by, resolved_at: iso(resolved_at) }
}

const auditView = ({ at, ...entry }: AuditEntry) => ({ ...entry, at: iso(at) })
