import type { Page, Paging } from '../../lib/paging.ts'
import { invalid, Refusal } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { forever } from '../auth/callers.ts'
import { reportView } from '../safety/service.ts'
import type { Evidence, Report, ReportAction } from '../safety/store.ts'
import { type Decisions, waitingS } from './decisions.ts'
import { type EvidenceDeps, evidenceViews } from './evidence.ts'
import { type Moderator, refuseOwnCase, type Moderators } from './moderators.ts'
import type { ModerationStore, ReportFilter } from './store.ts'

export type Resolution = { action: ReportAction; note: string; until?: string | null }

type Deps = EvidenceDeps & {
  store: Pick<ModerationStore, 'reports' | 'report'>
  moderators: Moderators
  decisions: Decisions
  audit: Audit
  paging: Paging
  now: () => number
}

// What somebody is called whose own name had to go.
const neutralName = 'Member'

/** Reports as moderators work on them: the queue, one with its evidence, and what comes of it. */
export function reportCases({ store, moderators, decisions, audit, paging: { keyOf, pageOf }, now, ...shown }: Deps) {
  const evidenceView = evidenceViews(shown)

  /** The report, for whom it does not concern: nobody learns here who reported them, or reviewed them anonymously. */
  async function reportOf(moderator: Moderator, reportId: string) {
    const report = await store.report(reportId)
    if (!report) throw new Refusal('not_found', 'There is no such report.')
    for (const id of [report.subject_id, report.evidence?.review?.reviewed_id]) refuseOwnCase(moderator, id)
    return report
  }

  const queuedReport = (report: Report) => ({
    ...reportView(report),
    reporter_id: report.reporter_id,
    subject_id: report.target === 'review' ? null : report.subject_id,
    waiting_s: waitingS(report, now()),
    resolution: resolutionOf(report),
  })

  async function shownReport(moderator: Moderator, reportId: string) {
    const report = await reportOf(moderator, reportId)
    const { subject_id } = report
    return { ...queuedReport(report), subject_id, evidence: report.evidence && evidenceView(report.evidence, reportId) }
  }

  return {
    /** The queue, oldest first, without reports that concern the moderator. */
    async reports(moderator: Moderator, { status, reason, limit = 30, cursor }: ReportFilter & Page) {
      const key = keyOf('admin-reports', cursor, ['number', 'string'])
      const rows = await store.reports(
        { reader: moderator.id, status, reason },
        limit + 1,
        key && { at: key[0], id: key[1] },
      )
      return pageOf('admin-reports', rows, limit, ({ created_at, id }) => [created_at, id], queuedReport)
    },

    /** One report with its evidence. That it was read is recorded, as it shows what two people said to each other. */
    async report(moderator: Moderator, reportId: string) {
      const report = await shownReport(moderator, reportId)
      await audit.record('report_read', moderator.id, report.id)
      return report
    },

    /** Settles an open report, with all that follows from it. Two at once: one of them is refused with 409. */
    async resolve(moderator: Moderator, reportId: string, { action, note: given, until }: Resolution) {
      const report = await reportOf(moderator, reportId)
      if (action !== 'suspend' && until !== undefined && until !== null)
        throw invalid('/until', 'Expected an end only for a suspension', 'not_allowed')
      const end = decisions.endOf(until)
      const subject = await moderators.userOrNull(report.subject_id)
      if ((action === 'warn' || action === 'suspend') && !subject)
        throw new Refusal('conflict', 'The account concerned is erased: there is nobody to tell.')
      const at = now()
      const note = tidy(given)
      const notice =
        action === 'dismiss' || !subject
          ? undefined
          : decisions.tell(
              { user_id: subject.id, action, reason: note, until: end, decided_by: moderator.id },
              at,
              report,
            )
      await decisions.carryOut(
        {
          at,
          // Who wrote a review is for its evidence alone to say.
          audit: audit.entry('report_resolved', moderator.id, report.target === 'review' ? null : report.subject_id, {
            report_id: report.id,
            action,
            ...(action === 'suspend' && { until: isoOrNull(end) }),
          }),
          case: {
            judge_id: moderator.id,
            subject_id: report.subject_id,
            parties: partiesOf(report),
            suspends: action === 'suspend',
            decided_by: null,
          },
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
  }
}

/** Whom a report concerns besides its subject: who filed it, and whom a reported review is of. */
export const partiesOf = ({ reporter_id, evidence }: Pick<Report, 'reporter_id'> & { evidence: Evidence | null }) =>
  [reporter_id, evidence?.review?.reviewed_id ?? null].filter((id) => id !== null)

function resolutionOf({ action, note, until, resolved_by, resolved_at }: Report) {
  if (action === null || resolved_at === null) return null
  return { action, note, until: isoOrNull(until), resolved_by, resolved_at: iso(resolved_at) }
}
