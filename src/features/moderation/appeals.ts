import type { Page, Paging } from '../../lib/paging.ts'
import { Refusal } from '../../lib/refusal.ts'
import { tidy } from '../../lib/text.ts'
import { iso, isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { type Decisions, waitingS } from './decisions.ts'
import { partiesOf } from './report-views.ts'
import { isAboutReview, isSuspended } from './rules.ts'
import type { Moderator, Moderators } from './moderators.ts'
import type { AppealInContext, AppealStatus, ModerationStore } from './store.ts'

type Deps = {
  store: Pick<ModerationStore, 'appeals' | 'appeal' | 'refusals' | 'report'>
  moderators: Moderators
  decisions: Decisions
  audit: Audit
  paging: Paging
  now: () => number
}

type AppealQuery = { status?: AppealStatus; from?: string; to?: string } & Page

/** Lets moderators list and resolve appeals. */
export function appealCases({ store, moderators, decisions, audit, paging: { keyOf, pageOf }, now }: Deps) {
  async function appealOf(appealId: string) {
    const appeal = await store.appeal(appealId)
    if (!appeal) throw new Refusal('not_found', 'There is no such appeal.')
    return appeal
  }

  /** The ids of the open appeals among these that the moderator may resolve. */
  async function resolvable(moderator: Moderator, appeals: readonly AppealInContext[]): Promise<ReadonlySet<string>> {
    const open = appeals.filter(({ status }) => status === 'open')
    const cases = open.map(({ user_id, reporter_id, reviewed_id, notice }) => ({
      judge_id: moderator.id,
      subject_id: user_id,
      parties: [reporter_id, reviewed_id].filter((id) => id !== null),
      suspends: false,
      decided_by: notice.decided_by,
    }))
    const refusals = await store.refusals(cases, now())
    return new Set(open.filter((_, index) => refusals[index] === null).map(({ id }) => id))
  }

  const queuedAppeal = (appeal: AppealInContext, may_resolve: boolean) => ({
    id: appeal.id,
    user_id: isAboutReview(appeal.notice) ? null : appeal.user_id,
    text: appeal.text,
    status: appeal.status,
    created_at: iso(appeal.created_at),
    waiting_s: waitingS(appeal, now()),
    resolved_at: isoOrNull(appeal.resolved_at),
    resolved_by: appeal.resolved_by,
    note: appeal.note,
    may_resolve,
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
    /** Appeals of others, oldest first. */
    async appeals(moderator: Moderator, { status, from, to, limit = 30, cursor }: AppealQuery) {
      const key = keyOf('admin-appeals', cursor, ['number', 'string'])
      const filter = { status, ...(from && { from: Date.parse(from) }), ...(to && { to: Date.parse(to) }) }
      const after = key && { at: key[0], id: key[1] }
      const rows = await store.appeals({ ...filter, reader: moderator.id }, limit + 1, after)
      const ids = await resolvable(moderator, rows)
      return pageOf(
        'admin-appeals',
        rows,
        limit,
        ({ created_at, id }) => [created_at, id],
        (appeal) => queuedAppeal(appeal, ids.has(appeal.id)),
      )
    },

    /** Resolves an open appeal. Upholding it lifts the suspension that it is about, if that is still in force. */
    async resolveAppeal(moderator: Moderator, appealId: string, body: { decision: 'uphold' | 'reject'; note: string }) {
      const appeal = await appealOf(appealId)
      const user = await moderators.userOf(appeal.user_id)
      const { report_id } = appeal.notice
      const report = report_id === null ? null : await store.report(report_id)
      const upheld = body.decision === 'uphold'
      const lifts = upheld && user.suspension_id === appeal.notice_id && isSuspended(user, now())
      const at = now()
      const note = tidy(body.note)
      const action = upheld ? 'appeal_upheld' : 'appeal_rejected'
      await decisions.carryOut(
        {
          at,
          audit: audit.entry('appeal_resolved', moderator.id, isAboutReview(appeal.notice) ? null : user.id, {
            appeal_id: appeal.id,
            decision: body.decision,
          }),
          case: {
            judge_id: moderator.id,
            subject_id: user.id,
            parties: report === null ? [] : partiesOf(report),
            suspends: false,
            decided_by: appeal.notice.decided_by,
          },
          appeal: { id: appeal.id, resolved_by: moderator.id, status: upheld ? 'upheld' : 'rejected', note },
          unban: upheld && report_id !== null ? { report_id } : undefined,
          shown:
            upheld && appeal.notice.action === 'hide'
              ? { ...decisions.shownNotice(user.id, moderator.id, at), appealed: appeal.notice_id }
              : undefined,
          lift: lifts ? { user_id: user.id, suspension_id: appeal.notice_id } : undefined,
          notice: decisions.noticeOf({ user_id: user.id, action, reason: note, decided_by: moderator.id }, at),
        },
        'This appeal is resolved already.',
      )
      return queuedAppeal(await appealOf(appeal.id), false)
    },
  }
}
