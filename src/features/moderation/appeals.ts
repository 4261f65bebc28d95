import { keyOf, type Page, pageOf } from '../../paging.ts'
import { Refusal } from '../../refusal.ts'
import { tidy } from '../../text.ts'
import { iso, isoOrNull } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import type { Caller } from '../auth/callers.ts'
import { type Decisions, waitingS } from './decisions.ts'
import { isSuspended, refuseOwnCase, refuseRank, type Standings } from './standing.ts'
import type { Appeal, AppealStatus, ModerationStore, NoticeInContext } from './store.ts'

type Deps = {
  store: Pick<ModerationStore, 'appeals' | 'appeal' | 'report'>
  standings: Standings
  decisions: Decisions
  audit: Audit
  now: () => number
}

/** Appeals as moderators work on them. */
export function appealCases({ store, standings, decisions, audit, now }: Deps) {
  async function appealOf(appealId: string) {
    const appeal = await store.appeal(appealId)
    if (!appeal) throw new Refusal('not_found', 'There is no such appeal.')
    return appeal
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
    /** Appeals of others, oldest first. */
    async appeals(caller: Caller, { status, limit = 30, cursor }: { status?: AppealStatus } & Page) {
      const { id: reader } = await standings.moderatorOf(caller)
      const key = keyOf('admin-appeals', cursor, ['number', 'string'])
      const rows = await store.appeals({ reader, status }, limit + 1, key && { at: key[0], id: key[1] })
      return pageOf('admin-appeals', rows, limit, ({ created_at, id }) => [created_at, id], queuedAppeal)
    },

    /** Settles an open appeal. Upheld, it lifts the suspension it is about, if that is the one that still stands. */
    async resolveAppeal(caller: Caller, appealId: string, body: { decision: 'uphold' | 'reject'; note: string }) {
      const moderator = await standings.moderatorOf(caller)
      const appeal = await appealOf(appealId)
      const user = await standings.userOf(appeal.user_id)
      const { report_id } = appeal.notice
      const report = report_id === null ? null : await store.report(report_id)
      for (const id of [user.id, report?.evidence?.review?.reviewed_id]) refuseOwnCase(moderator, id)
      const upheld = body.decision === 'uphold'
      const lifts = upheld && user.suspension_id === appeal.notice_id && isSuspended(user, now())
      if (lifts) refuseRank(moderator, user)
      const at = now()
      const note = tidy(body.note)
      const action = upheld ? 'appeal_upheld' : 'appeal_rejected'
      await decisions.carryOut(
        {
          at,
          audit: audit.entry('appeal_resolved', moderator.id, user.id, {
            appeal_id: appeal.id,
            decision: body.decision,
          }),
          appeal: { id: appeal.id, resolved_by: moderator.id, status: upheld ? 'upheld' : 'rejected', note },
          lift: lifts ? { user_id: user.id, suspension_id: appeal.notice_id } : undefined,
          notice: decisions.tell({ user_id: user.id, action, reason: note }, at),
        },
        'This appeal is resolved already.',
      )
      return queuedAppeal(await appealOf(appeal.id))
    },
  }
}
