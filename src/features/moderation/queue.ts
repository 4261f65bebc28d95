import type { Page, Paging } from '../../lib/paging.ts'
import { Refusal } from '../../lib/refusal.ts'
import { isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { dueAtOf } from '../safety/rules.ts'
import type { ReportKind } from '../safety/store.ts'
import { claimedByOther, editedSince, raisedSince } from './decisions.ts'
import { type Moderator, notAllowed } from './moderators.ts'
import { caseOf, type ReportViews } from './report-views.ts'
import { type CaseRefusal, claimLasts, type QueueRefusal, type UnreadRefusal } from './rules.ts'
import type { QueueStore, ReportFilter, ReportOrder } from './store.ts'

type Times = 'from' | 'to' | 'decided_from' | 'decided_to'
type QueueQuery = Omit<ReportFilter, Times | 'overdue_at'> &
  Partial<Record<Times, string>> & { overdue?: 'true'; sort?: ReportOrder } & Page

type Deps = { queue: QueueStore; views: ReportViews; audit: Audit; paging: Paging; now: () => number }

const filterOf = (
  { overdue, from, to, decided_from, decided_to, ...filter }: Omit<QueueQuery, 'sort' | keyof Page>,
  now: number,
): ReportFilter => ({
  ...filter,
  ...(overdue && { overdue_at: now }),
  ...(from && { from: Date.parse(from) }),
  ...(to && { to: Date.parse(to) }),
  ...(decided_from && { decided_from: Date.parse(decided_from) }),
  ...(decided_to && { decided_to: Date.parse(decided_to) }),
})

/** The queue of reports, and the claims of moderators who work on them. */
export function reportQueue({ queue, views, audit, paging: { keyOf, pageOf }, now }: Deps) {
  /** Reading a report is recorded, because its evidence may show a private conversation. */
  async function read(moderator: Moderator, reportId: string) {
    const report = await views.reportOf(moderator, reportId)
    const shown = await views.shownReport(moderator, report)
    const edited_at = isoOrNull(report.evidence?.message?.edited_at ?? null)
    // Tells which text and reason the moderator has read, for `readBy`.
    const { reason } = report
    await audit.record('report_read', moderator.id, report.id, edited_at === null ? { reason } : { reason, edited_at })
    return shown
  }

  return {
    /** The queue, by default most urgent first, without reports that concern the moderator. */
    async reports(moderator: Moderator, { sort = 'due', limit = 30, cursor, ...query }: QueueQuery) {
      const list = `admin-reports-${sort}`
      const key = keyOf(list, cursor, ['number', 'string'])
      const rows = await queue.list(
        { ...filterOf(query, now()), reader: moderator.id },
        sort,
        limit + 1,
        key && { at: key[0], id: key[1] },
      )
      const page = pageOf(
        list,
        rows,
        limit,
        (report) => [sort === 'due' ? dueAtOf(report) : report.created_at, report.id],
        views.queuedReport,
      )
      return { ...page, counts: await queue.counts(moderator.id, now()) }
    },

    /** One report with its evidence. */
    report: read,

    /** Claims the most urgent report that nobody has claimed; null if there is none. */
    async nextReport(moderator: Moderator, kind?: ReportKind) {
      const at = now()
      const id = await queue.next(moderator, kind, at, at + claimLasts)
      return id === null ? null : read(moderator, id)
    },

    /** Claims a report, or extends the claim. */
    async claim(moderator: Moderator, reportId: string) {
      const report = await views.reportOf(moderator, reportId)
      const at = now()
      const refused = await queue.claim(report.id, caseOf(moderator.id, report), at, at + claimLasts)
      if (refused) throw notInQueue(refused)
      return read(moderator, report.id)
    },

    /** Gives up a claim. Does nothing if there is none. */
    async release(moderator: Moderator, reportId: string): Promise<void> {
      const report = await views.reportOf(moderator, reportId)
      if (!(await queue.release(report.id, moderator.id, now()))) throw claimedByOther()
    },
  }
}

export const decidedAlready = 'This report is resolved already.'

export function notInQueue(why: QueueRefusal | CaseRefusal | UnreadRefusal): Refusal {
  if (why === 'claimed') return claimedByOther()
  if (why === 'edited') return editedSince()
  if (why === 'raised') return raisedSince()
  return why === 'decided' ? new Refusal('conflict', decidedAlready) : notAllowed(why)
}
