import type { Ids } from '../../lib/ids.ts'
import { invalid, isTransient, Refusal, unknownId } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { isoOrNull, seconds } from '../../lib/time.ts'
import { type Carrier, type NotSent, patienceOf } from '../../outbox/carrier.ts'
import type { Payloads } from '../../outbox/store.ts'
import type { Audit } from '../audit/service.ts'
import type { AuditStore } from '../audit/store.ts'
import { forever } from '../auth/callers.ts'
import { isForKind, kindOf, reportedImages } from '../safety/rules.ts'
import { auditedSubject } from './rules.ts'
import type { PendingDecision, Report, ReportAction, ReportKind } from '../safety/store.ts'
import type { TemplateStore } from '../templates/store.ts'
import type { Decisions } from './decisions.ts'
import type { Moderator, Moderators } from './moderators.ts'
import { decidedAlready, notInQueue } from './queue.ts'
import { caseOf, type ReportViews } from './report-views.ts'
import type { Decision, QueueStore } from './store.ts'

type Resolution = {
  action: ReportAction
  note?: string | null
  until?: string | null
  strikes?: number | null
  template_id?: string | null
  ban_images?: boolean | null
  undo_s?: number | null
}

type Deps = {
  queue: Pick<QueueStore, 'hold' | 'undo' | 'drop'>
  templates: Pick<TemplateStore, 'byId'>
  views: ReportViews
  moderators: Moderators
  decisions: Decisions
  audit: Audit
  auditLog: Pick<AuditStore, 'list'>
  ids: Ids
  now: () => number
}

// Replaces a name that was removed.
const neutralName = 'Member'

/** Resolves reports, at once or after a delay in which the decision can be taken back. */
export function reportCases({ queue, templates, views, moderators, decisions, audit, auditLog, ids, now }: Deps) {
  /** Validates a request for a decision. */
  async function readResolution(
    { action, note, until, strikes, template_id, ban_images }: Resolution,
    kind: ReportKind,
  ) {
    if (!isForKind(action, kind)) {
      const expected = kind === 'held' ? 'release or remove_content' : 'another action: only a held message is released'
      throw invalid('/action', `Expected ${expected}`, 'not_allowed')
    }
    if (action !== 'suspend' && until != null)
      throw invalid('/until', 'Expected an end only for a suspension', 'not_allowed')
    if ((action === 'dismiss' || action === 'release') && (strikes ?? 0) > 0)
      throw invalid('/strikes', 'Expected no strikes for a dismissed or released report', 'not_allowed')
    if (ban_images && action !== 'remove_content')
      throw invalid('/ban_images', 'Expected true only together with remove_content', 'not_allowed')
    const template = template_id == null ? null : await templates.byId(template_id)
    if (template_id != null && !template) throw unknownId('/template_id', 'There is no such template.')
    const text = note ?? template?.text
    if (text === undefined) throw invalid('/note', 'Expected a text, or the id of a template', 'required')
    return {
      action,
      note: tidy(text),
      until: decisions.endOf(until),
      strikes: strikes ?? 0,
      template_id: template?.id ?? null,
      ban_images: ban_images ?? false,
    }
  }

  /** The addressee of a decision's notice; null if it has none. Refuses a warning or suspension of an erased account. */
  async function addresseeOf({ action }: { action: ReportAction }, subjectId: string | null) {
    const subject = await moderators.userOrNull(subjectId)
    if ((action === 'warn' || action === 'suspend') && !subject)
      throw new Refusal('conflict', 'The account concerned is erased: there is nobody to tell.')
    return subject === null || action === 'dismiss' || action === 'release' ? null : { user_id: subject.id, action }
  }

  /**
   * What the moderator has read last: the reason of the report, null if they have not opened it, and for the release of a held
   * message also the text.
   */
  async function readBy(
    moderator: Moderator,
    { id, target_id }: Pick<Report, 'id' | 'target_id'>,
    action: ReportAction,
  ): Promise<{ release: Decision['release']; reason: string | null }> {
    const [read] = await auditLog.list({ actor_id: moderator.id, subject_id: id, action: 'report_read' }, 1, null)
    const { reason, edited_at } = read?.metadata ?? {}
    const text = { message_id: target_id, edited_at: typeof edited_at === 'string' ? Date.parse(edited_at) : null }
    return { release: action === 'release' ? text : undefined, reason: typeof reason === 'string' ? reason : null }
  }

  /** Carries out a decision together with its effects and the notice that states its reasons. */
  async function carryOut(
    moderator: Moderator,
    reportId: string,
    { action, note, until, strikes, template_id, ban_images = false }: Omit<PendingDecision, 'id' | 'decided_by'>,
    pending_id: string | null,
  ) {
    const report = await views.reportOf(moderator, reportId)
    const addressee = await addresseeOf({ action }, report.subject_id)
    const read = await readBy(moderator, report, action)
    const at = now()
    const notice = addressee
      ? decisions.noticeOf({ ...addressee, reason: note, until, strikes, decided_by: moderator.id }, at, report)
      : undefined
    await decisions.carryOut(
      {
        at,
        audit: audit.entry('report_resolved', moderator.id, auditedSubject(report), {
          report_id: report.id,
          action,
          ...(action === 'suspend' && { until: isoOrNull(until) }),
          ...(strikes > 0 && { strikes }),
          ...(template_id !== null && { template_id }),
          ...(ban_images && { ban_images }),
        }),
        case: caseOf(moderator.id, report, action === 'suspend'),
        report: { id: report.id, resolved_by: moderator.id, action, note, until, pending_id, read_reason: read.reason },
        notice,
        shown:
          report.subject_id !== null && report.target !== 'review'
            ? { ...decisions.shownNotice(report.subject_id, moderator.id, at), appealed: null }
            : undefined,
        remove:
          action === 'remove_content' ? { target: report.target, id: report.target_id, name: neutralName } : undefined,
        ban: ban_images
          ? {
              images: reportedImages(report),
              report_id: report.id,
              // Not the note, which may name somebody: the bank outlasts the accounts.
              reason: `Removed: ${report.reason}`,
              added_by: moderator.id,
              newId: ids.next,
            }
          : undefined,
        release: read.release,
        suspend:
          action === 'suspend' && notice
            ? { user_id: notice.notice.user_id, until: until ?? forever, reason: note, notice_id: notice.notice.id }
            : undefined,
      },
      decidedAlready,
    )
  }

  return {
    /**
     * Resolves an open report. With `undo_s`, the decision takes effect after so many seconds and can be taken back until then.
     * Of two concurrent decisions, one is refused with 409.
     */
    async resolve(moderator: Moderator, reportId: string, { undo_s, ...asked }: Resolution) {
      const report = await views.reportOf(moderator, reportId)
      const decision = await readResolution(asked, kindOf(report))
      await addresseeOf(decision, report.subject_id)
      if (!undo_s) await carryOut(moderator, report.id, decision, null)
      else {
        const at = now()
        const until = at + undo_s * seconds
        const pending = { id: ids.next(), decided_by: moderator.id, ...decision }
        const payload = { about: 'decision', report_id: report.id, pending_id: pending.id } as const
        const parcel = {
          id: ids.next(),
          kind: 'decision',
          user_id: null,
          payload,
          created_at: at,
          due_at: until,
        } as const
        const about = caseOf(moderator.id, report, decision.action === 'suspend')
        const read = await readBy(moderator, report, decision.action)
        const refused = await queue.hold(report.id, about, pending, at, until, parcel, read)
        if (refused) throw notInQueue(refused)
      }
      return views.shownReport(moderator, await views.reportOf(moderator, report.id))
    },

    /** Takes back a pending decision. */
    async undo(moderator: Moderator, reportId: string): Promise<void> {
      const report = await views.reportOf(moderator, reportId)
      const entry = audit.entry('decision_undone', moderator.id, report.id)
      const refused = await queue.undo(report.id, moderator.id, now(), entry)
      if (refused === 'not_yours')
        throw new Refusal('forbidden', 'Only the moderator who made this decision can take it back.')
      if (refused) throw new Refusal('conflict', 'There is no pending decision about this report.')
    },

    /** Carries out a decision whose delay is over, if it is still pending. */
    async carryOutPending({ report_id, pending_id }: Payloads['decision']): Promise<void | NotSent> {
      const waiting = await views.pendingDecision(report_id)
      if (waiting?.pending.id !== pending_id) return 'withheld'
      const { pending, until } = waiting
      if (until > now()) return { dueAt: until }
      try {
        const moderator = await moderators.moderatorById(pending.decided_by)
        await carryOut(moderator, report_id, pending, pending_id)
      } catch (error) {
        if (!(error instanceof Refusal) || isTransient(error)) throw error
        // The account concerned was erased, or the moderator has lost the role. The report is open again.
        const entry = audit.entry('decision_dropped', pending.decided_by, report_id, { code: error.code })
        await queue.drop(report_id, pending_id, entry)
        return 'withheld'
      }
    },
  }
}

/** Carries out decisions once they can no longer be taken back. It never gives one up. */
export const decisionCarrier = (
  carryOut: (payload: Payloads['decision']) => Promise<void | NotSent>,
): Carrier<'decision'> => ({
  atOnce: 4,
  patienceMs: patienceOf.decision,
  deliver: ({ payload }) => carryOut(payload),
})
