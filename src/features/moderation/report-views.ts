import { Refusal } from '../../lib/refusal.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import { actionOf, dueAtOf, kindOf } from '../safety/rules.ts'
import { reportView } from '../safety/service.ts'
import type { Evidence, Report } from '../safety/store.ts'
import { waitingS } from './decisions.ts'
import { type EvidenceDeps, evidenceViews } from './evidence.ts'
import { type Moderator, refuseOwnCase } from './moderators.ts'
import { type Case, isClaimed, isPending, proposalAt, strikesLast } from './rules.ts'
import type { ModerationStore } from './store.ts'

export type ReportViews = ReturnType<typeof openReportViews>

/** Reports as moderators see them. */
export function openReportViews({
  store,
  now,
  ...shown
}: EvidenceDeps & { store: Pick<ModerationStore, 'report' | 'history'>; now: () => number }) {
  const evidenceView = evidenceViews(shown)

  /** The report. Refuses a moderator whom it concerns, who would learn who reported them or reviewed them anonymously. */
  async function reportOf(moderator: Moderator, reportId: string) {
    const report = await store.report(reportId)
    if (!report) throw new Refusal('not_found', 'There is no such report.')
    for (const id of [report.subject_id, report.evidence?.review?.reviewed_id]) refuseOwnCase(moderator, id)
    return report
  }

  const queuedReport = (report: Report) => ({
    ...reportView(report),
    kind: kindOf(report),
    reporter_id: report.reporter_id,
    subject_id: report.target === 'review' ? null : report.subject_id,
    waiting_s: waitingS(report, now()),
    due_at: iso(dueAtOf(report)),
    ...claimOf(report, now()),
    pending: pendingOf(report, now()),
    resolution: resolutionOf(report),
  })

  return {
    reportOf,
    queuedReport,

    /** The pending decision about a report, and when it takes effect. */
    async pendingDecision(reportId: string) {
      const report = await store.report(reportId)
      if (!report?.pending || report.pending_until === null) return null
      return { pending: report.pending, until: report.pending_until }
    },

    /** The report with its evidence. The caller records that it was read. */
    async shownReport(moderator: Moderator, report: Report & { evidence: Evidence | null }) {
      const { id, subject_id } = report
      const { hidden, strikes } =
        subject_id === null
          ? { hidden: null, strikes: 0 }
          : await store.history(subject_id, moderator.id, now() - strikesLast)
      return {
        ...queuedReport(report),
        subject_id,
        hidden,
        strikes,
        proposal: proposalAt(strikes),
        evidence: report.evidence && evidenceView(report.evidence, id),
      }
    },
  }
}

/** The people whom a report concerns besides its subject: its reporter, and the user whom a reported review is about. */
export const partiesOf = ({ reporter_id, evidence }: Pick<Report, 'reporter_id'> & { evidence: Evidence | null }) =>
  [reporter_id, evidence?.review?.reviewed_id ?? null].filter((id) => id !== null)

/** The case of a report and its judge. */
export const caseOf = (
  judgeId: string,
  report: Pick<Report, 'reporter_id' | 'subject_id'> & { evidence: Evidence | null },
  suspends = false,
): Case => ({
  judge_id: judgeId,
  subject_id: report.subject_id,
  parties: partiesOf(report),
  suspends,
  decided_by: null,
})

function claimOf({ claimed_by, claimed_until }: Report, now: number) {
  return isClaimed(claimed_until, now)
    ? { claimed_by, claimed_until: iso(claimed_until) }
    : { claimed_by: null, claimed_until: null }
}

function pendingOf(report: Report, now: number) {
  const { pending, pending_until } = report
  if (pending === null || pending_until === null || !isPending(report, now)) return null
  const { action, note, until, strikes, ban_images = false, decided_by } = pending
  return { action, note, until: isoOrNull(until), strikes, ban_images, decided_by, takes_effect_at: iso(pending_until) }
}

function resolutionOf(report: Report) {
  const { note, until, resolved_by, resolved_at } = report
  const action = actionOf(report)
  if (action === null || resolved_at === null) return null
  return { action, note, until: isoOrNull(until), resolved_by, resolved_at: iso(resolved_at) }
}
