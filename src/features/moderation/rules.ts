import type { Role } from '../profile/store.ts'
import { days, hours, minutes } from '../../lib/time.ts'
import type { Report } from '../safety/store.ts'
import type { Appeal, Decision, NoticeInContext, Standing } from './store.ts'

/** What is to be decided: whom it concerns, and who has decided before. */
export type Case = {
  /** Null for the operator. */
  judge_id: string | null
  /** The one whom the decision is about: the reported user, the author of what is reported, or who appeals. */
  subject_id: string | null
  /** Others whom it concerns: who filed the report, and whom a reported review is of. */
  parties: readonly string[]
  /** Whether the decision suspends its subject. */
  suspends: boolean
  /** Of an appeal: who made the decision that it is against; null where that is not known. */
  decided_by: string | null
}

/** What `canDecide` has to know of the people of a case, as it is within the step that decides. */
export type CasePeople = {
  judge: Standing | null
  subject: Standing | null
  /** Everybody with a role. Needed only where the judge has decided before. */
  colleagues: readonly Standing[]
  now: number
}

export type CaseRefusal = 'no_moderator' | 'own_case' | 'for_admins' | 'suspends_admin' | 'decided_before'

const isModerator = ({ role }: { role: Role }) => role === 'moderator' || role === 'admin'

export const isSuspended = (user: Standing, now: number) => user.suspended_until !== null && user.suspended_until > now

/**
 * Why somebody may not decide a case; null where they may. Nobody decides what concerns themselves or what they have
 * reported. Whatever is about a moderator or an admin is for admins. An appeal is for somebody else than who decided first,
 * where there is somebody else who could. The operator may decide everything but the suspension of an admin.
 */
export function canDecide(about: Case, { judge, subject, colleagues, now }: CasePeople): CaseRefusal | null {
  if (about.judge_id === null) return about.suspends && subject?.role === 'admin' ? 'suspends_admin' : null
  if (!judge || judge.deleted_at !== null || isSuspended(judge, now) || !isModerator(judge)) return 'no_moderator'
  if (about.subject_id === judge.id || about.parties.includes(judge.id)) return 'own_case'
  if (subject && isModerator(subject) && judge.role !== 'admin') return 'for_admins'
  if (about.suspends && subject?.role === 'admin') return 'suspends_admin'
  if (about.decided_by !== judge.id) return null
  const isForOthers = colleagues.some(
    (other) => other.id !== judge.id && canDecide(about, { judge: other, subject, colleagues: [], now }) === null,
  )
  return isForOthers ? 'decided_before' : null
}

/** How long a moderator has a report for themselves. */
export const claimLasts = 15 * minutes

/** What `refusesClaim` and `refusesDecision` have to know of a report, as it is under their lock. */
export type QueuedState = Pick<Report, 'status' | 'claimed_by' | 'claimed_until' | 'pending' | 'pending_until'>

/** A decision that is so late is lost, as where an operator has dropped it: others may decide. */
export const lostAfter = hours

const isPending = ({ pending, pending_until }: QueuedState, now: number) =>
  pending !== null && pending_until !== null && pending_until > now - lostAfter

const isClaimedByOther = ({ claimed_by, claimed_until }: QueuedState, moderatorId: string, now: number) =>
  claimed_by !== null && claimed_by !== moderatorId && claimed_until !== null && claimed_until > now

export type QueueRefusal = 'decided' | 'claimed'

/**
 * Why somebody may not work on a report; null where they may: it is decided, also where that may still be taken back, or it
 * is somebody else's.
 */
export function refusesClaim(report: QueuedState | null, moderatorId: string, now: number): QueueRefusal | null {
  if (report?.status !== 'open' || isPending(report, now)) return 'decided'
  return isClaimedByOther(report, moderatorId, now) ? 'claimed' : null
}

/** The same of a decision. One that has waited, which `pendingId` names, was admitted when it was made. */
export function refusesDecision(
  report: QueuedState | null,
  { moderatorId, pendingId, now }: { moderatorId: string; pendingId: string | null; now: number },
): QueueRefusal | null {
  if (pendingId === null) return refusesClaim(report, moderatorId, now)
  return report?.status === 'open' && report.pending?.id === pendingId ? null : 'decided'
}

/** Whether a decision may still be taken back; by whom it was made alone. */
export function refusesUndo(
  report: Pick<Report, 'pending' | 'pending_until'> | null,
  moderatorId: string,
  now: number,
): 'nothing_waits' | 'not_yours' | null {
  if (!report?.pending || report.pending_until === null || report.pending_until <= now) return 'nothing_waits'
  return report.pending.decided_by === moderatorId ? null : 'not_yours'
}

/** A decision counts so long. */
export const strikesLast = 90 * days
export const mostStrikes = 4

/** What may follow from so many strikes: a proposal, which a person decides about. `days` null is without end. */
export type Proposal = { action: 'warn' | 'suspend'; days: number | null }

export function proposalAt(strikes: number): Proposal | null {
  if (strikes >= 6) return { action: 'suspend', days: null }
  if (strikes >= 4) return { action: 'suspend', days: 7 }
  return strikes >= 2 ? { action: 'warn', days: null } : null
}

/**
 * Who wrote a review is for the evidence of its report alone to say, whose reading is recorded: neither the list of appeals
 * nor the audit log names the author.
 */
export const isAboutReview = ({ target }: Pick<NoticeInContext, 'target'>) => target === 'review'

/**
 * Whether what a decision settles or lifts is still as it was when it was asked for: the appeal open, and the suspension the
 * same one. `refusesDecision` says it of a report.
 */
export const isStillDue = (
  { appeal, lift }: Pick<Decision, 'appeal' | 'lift'>,
  now: {
    appeal: Pick<Appeal, 'status'> | null
    suspended: Pick<Standing, 'suspended_until' | 'suspension_id'> | null
  },
): boolean =>
  (!appeal || now.appeal?.status === 'open') &&
  (!lift || (now.suspended?.suspended_until != null && now.suspended.suspension_id === lift.suspension_id))

/** What a profile loses together with what its owner wrote into it. */
export const emptiedProfile = (name: string) => ({ name, city: null, bio: null, photo: null })
export const emptiedPreferences = { drinks: [], activities: [], purposes: [] }
export const emptiedFields = [...Object.keys(emptiedProfile('')), ...Object.keys(emptiedPreferences)]
