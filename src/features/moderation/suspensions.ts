import { tidy } from '../../lib/text.ts'
import { isoOrNull } from '../../lib/time.ts'
import type { Audit } from '../audit/service.ts'
import { forever } from '../auth/callers.ts'
import type { Decisions } from './decisions.ts'
import { canDecide, type Case, isSuspended } from './rules.ts'
import { type Moderator, type Moderators, notAllowed, type operator } from './moderators.ts'

type Warning = { reason: string; note?: string | null; strikes?: number | null }
type Suspension = { reason: string; note?: string | null; until?: string | null }

type Deps = { moderators: Moderators; decisions: Decisions; audit: Audit; now: () => number }

const caseOf = (judge_id: string | null, subject_id: string, suspends: boolean): Case => ({
  judge_id,
  subject_id,
  parties: [],
  suspends,
  decided_by: null,
})

/** Decides without a report. */
type Judge = Moderator | typeof operator

const changedMeanwhile = 'Somebody else has just decided about this account.'

/** Warns and suspends users without a report, and lifts suspensions. */
export function suspensions({ moderators, decisions, audit, now }: Deps) {
  return {
    /** Sends a user a warning, which may count strikes and changes nothing else. */
    async warn(moderator: Moderator, userId: string, warning: Warning) {
      const user = await moderators.userOf(userId)
      const reason = tidy(warning.reason)
      const note = tidy(warning.note ?? '') || null
      const strikes = warning.strikes ?? 0
      const at = now()
      const notice = decisions.noticeOf(
        { user_id: user.id, action: 'warn', reason, note, strikes, decided_by: moderator.id },
        at,
      )
      const notice_id = notice.notice.id
      await decisions.carryOut(
        {
          at,
          audit: audit.entry('warn', moderator.id, user.id, { notice_id, strikes }),
          case: caseOf(moderator.id, user.id, false),
          notice,
        },
        changedMeanwhile,
      )
      return { user_id: user.id, notice_id, reason, strikes }
    },

    /** Suspends a user at once, or changes an existing suspension. */
    async suspend(moderator: Judge, userId: string, suspension: Suspension) {
      const user = await moderators.userOf(userId)
      const end = decisions.endOf(suspension.until)
      const reason = tidy(suspension.reason)
      const at = now()
      const note = tidy(suspension.note ?? '') || null
      const notice = decisions.noticeOf(
        { user_id: user.id, action: 'suspend', reason, note, until: end, decided_by: moderator.id },
        at,
      )
      const notice_id = notice.notice.id
      await decisions.carryOut(
        {
          at,
          audit: audit.entry('suspend', moderator.id, user.id, { notice_id, until: isoOrNull(end) }),
          case: caseOf(moderator.id, user.id, true),
          suspend: { user_id: user.id, until: end ?? forever, reason, notice_id },
          notice,
        },
        changedMeanwhile,
      )
      return { user_id: user.id, suspended: true, reason, until: isoOrNull(end) }
    },

    /** Lifts a suspension. Does nothing if there is none. */
    async unsuspend(moderator: Judge, userId: string, given: { reason?: string | null }) {
      const user = await moderators.userOf(userId)
      const about = caseOf(moderator.id, user.id, false)
      const refused = canDecide(about, {
        judge: moderator.id === null ? null : moderator,
        subject: user,
        colleagues: [],
        now: now(),
      })
      if (refused) throw notAllowed(refused)
      if (isSuspended(user, now())) {
        const reason = tidy(given.reason ?? '') || 'The suspension was lifted.'
        const at = now()
        const notice = decisions.noticeOf(
          { user_id: user.id, action: 'unsuspend', reason, decided_by: moderator.id },
          at,
        )
        await decisions.carryOut(
          {
            at,
            audit: audit.entry('unsuspend', moderator.id, user.id, { notice_id: notice.notice.id }),
            case: about,
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
