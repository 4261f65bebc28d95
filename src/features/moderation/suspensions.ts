import { tidy } from '../../text.ts'
import { isoOrNull } from '../../time.ts'
import type { Audit } from '../audit/service.ts'
import { type Caller, forever } from '../auth/callers.ts'
import type { Decisions } from './decisions.ts'
import { isSuspended, refuseOwnCase, refuseRank, refuseSuspension, type Standings } from './standing.ts'

export type Suspension = { reason: string; note?: string | null; until?: string | null }

type Deps = { standings: Standings; decisions: Decisions; audit: Audit; now: () => number }

const changedMeanwhile = 'Somebody else has just decided about this account.'

/** Suspending people without a report, and lifting suspensions. */
export function suspensions({ standings, decisions, audit, now }: Deps) {
  return {
    /** Suspends somebody at once, or changes the suspension that they have. */
    async suspend(caller: Caller, userId: string, suspension: Suspension) {
      const moderator = await standings.moderatorOf(caller)
      const user = await standings.userOf(userId)
      refuseOwnCase(moderator, user.id)
      refuseSuspension(moderator, user)
      const end = decisions.endOf(suspension.until)
      const reason = tidy(suspension.reason)
      const at = now()
      const note = tidy(suspension.note ?? '') || null
      const notice = decisions.tell({ user_id: user.id, action: 'suspend', reason, note, until: end }, at)
      const notice_id = notice.notice.id
      await decisions.carryOut(
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
      const moderator = await standings.moderatorOf(caller)
      const user = await standings.userOf(userId)
      refuseOwnCase(moderator, user.id)
      refuseRank(moderator, user)
      if (isSuspended(user, now())) {
        const reason = tidy(given.reason ?? '') || 'The suspension was lifted.'
        const at = now()
        const notice = decisions.tell({ user_id: user.id, action: 'unsuspend', reason }, at)
        await decisions.carryOut(
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
  }
}
