import type { Role } from '../profile/store.ts'
import { days, hours, minutes } from '../../lib/time.ts'
import type { Report } from '../safety/store.ts'
import type { Appeal, Decision, NoticeInContext, ModerationStatus } from './store.ts'

/** A case to decide, the people it concerns, and who has decided before. */
export type Case = {
  /** Null for the operator. */
  judge_id: string | null
  /** Whom the decision is about: the reported user, the author of the reported content, or the appellant. */
  subject_id: string | null
  /** Others concerned: the reporter, and the person reviewed. */
  parties: readonly string[]
  /** Whether the decision suspends its subject. */
  suspends: boolean
  /** For an appeal: who made the original decision; null if unknown. */
  decided_by: string | null
}

/** The state of a case's people that `canDecide` needs, read in the transaction that decides. */
type CasePeople = {
  judge: ModerationStatus | null
  subject: ModerationStatus | null
  /** Everybody with a role. Needed only if the judge has decided before. */
  colleagues: readonly ModerationStatus[]
  now: number
}

export type CaseRefusal = 'no_moderator' | 'own_case' | 'for_admins' | 'suspends_admin' | 'decided_before'

const isModerator = ({ role }: { role: Role }) => role === 'moderator' || role === 'admin'

export const isSuspended = (user: Pick<ModerationStatus, 'suspended_until'>, now: number) =>
  user.suspended_until !== null && user.suspended_until > now

/** Whether somebody with that role may decide cases about moderators and admins. */
export const decidesAboutStaff = (role: Role): boolean => role === 'admin'

/**
 * Why somebody may not decide a case; null if they may. Nobody decides what concerns themselves or what they have reported.
 * Cases about moderators or admins are for admins. An appeal goes to somebody other than the first decider, if anyone else
 * could decide it. The operator may decide everything but the suspension of an admin.
 */
export function canDecide(about: Case, { judge, subject, colleagues, now }: CasePeople): CaseRefusal | null {
  if (about.judge_id === null) return about.suspends && subject?.role === 'admin' ? 'suspends_admin' : null
  if (!judge || judge.deleted_at !== null || isSuspended(judge, now) || !isModerator(judge)) return 'no_moderator'
  if (about.subject_id === judge.id || about.parties.includes(judge.id)) return 'own_case'
  if (subject && isModerator(subject) && !decidesAboutStaff(judge.role)) return 'for_admins'
  if (about.suspends && subject?.role === 'admin') return 'suspends_admin'
  if (about.decided_by !== judge.id) return null
  const isForOthers = colleagues.some(
    (other) => other.id !== judge.id && canDecide(about, { judge: other, subject, colleagues: [], now }) === null,
  )
  return isForOthers ? 'decided_before' : null
}

/** How long a claim lasts. */
export const claimLasts = 15 * minutes

/** The state of a report that `refusesClaim` and `refusesDecision` need, read under its lock. */
export type QueuedState = Pick<
  Report,
  'status' | 'reason' | 'claimed_by' | 'claimed_until' | 'pending' | 'pending_until'
> & {
  /** When the reported message was last edited, as its evidence says; null if never. */
  edited_at: number | null
}

/** A pending decision this late counts as lost (an operator may have dropped its parcel): others may decide. */
export const lostAfter = hours

/**
 * A claim or a pending decision that would last longer than this was made while the clock was wrong, and counts as over: no
 * report may wait for hours because of it.
 */
export const longestHold = 2 * hours

/** Whether a decision about a report is still to take effect. */
export const isPending = ({ pending, pending_until }: Pick<QueuedState, 'pending' | 'pending_until'>, now: number) =>
  pending !== null && pending_until !== null && pending_until > now - lostAfter && pending_until <= now + longestHold

/** Whether somebody works on a report until then. */
export const isClaimed = (until: number | null, now: number): until is number =>
  until !== null && until > now && until <= now + longestHold

const isClaimedByOther = ({ claimed_by, claimed_until }: QueuedState, moderatorId: string | null, now: number) =>
  claimed_by !== null && claimed_by !== moderatorId && isClaimed(claimed_until, now)

export type QueueRefusal = 'decided' | 'claimed'
/** The report is no longer what the decider has read: the text to release was edited, or the report was raised to `underage`. */
export type UnreadRefusal = 'edited' | 'raised'

/**
 * Why a moderator may not work on a report; null if they may. Reasons: it is decided (or the decision is pending), or
 * somebody else has claimed it.
 */
export function refusesClaim(report: QueuedState | null, moderatorId: string | null, now: number): QueueRefusal | null {
  if (report?.status !== 'open' || isPending(report, now)) return 'decided'
  return isClaimedByOther(report, moderatorId, now) ? 'claimed' : null
}

/** Whether a moderator can give up the claim of a report: not if nobody or somebody else has claimed it. */
export function releaseVerdict(
  report: Pick<QueuedState, 'claimed_by' | 'claimed_until'> | null,
  moderatorId: string,
  now: number,
): 'release' | 'unclaimed' | 'claimed_by_other' {
  if (!report || report.claimed_by === null || !isClaimed(report.claimed_until, now)) return 'unclaimed'
  return report.claimed_by === moderatorId ? 'release' : 'claimed_by_other'
}

/**
 * The same as `refusesClaim` for a decision. Nobody releases a text that they have not read, or decides a report that they
 * read when it had another reason; `readReason` is null if they have not opened it. A pending decision, with `pendingId`, was
 * already checked when it was made.
 */
export function refusesDecision(
  report: QueuedState | null,
  {
    moderatorId,
    pendingId,
    release,
    readReason,
    now,
  }: {
    moderatorId: string | null
    pendingId: string | null
    release: Decision['release']
    readReason: string | null
    now: number
  },
): QueueRefusal | UnreadRefusal | null {
  if (pendingId !== null) return report?.status === 'open' && report.pending?.id === pendingId ? null : 'decided'
  const refused = refusesClaim(report, moderatorId, now)
  if (refused !== null) return refused
  if (release && report?.edited_at !== release.edited_at) return 'edited'
  return readReason !== null && report?.reason !== readReason ? 'raised' : null
}

/** Why a moderator cannot take a decision back; null if they can. Only its author can, until it takes effect. */
export function refusesUndo(
  report: Pick<Report, 'pending' | 'pending_until'> | null,
  moderatorId: string,
  now: number,
): 'nothing_waits' | 'not_yours' | null {
  if (!report?.pending || report.pending_until === null || report.pending_until <= now) return 'nothing_waits'
  return report.pending.decided_by === moderatorId ? null : 'not_yours'
}

/** How long strikes count. */
export const strikesLast = 90 * days
export const mostStrikes = 4

/** The proposal for a number of strikes; a person decides. `days` null is without end. */
type Proposal = { action: 'warn' | 'suspend'; days: number | null }

export function proposalAt(strikes: number): Proposal | null {
  if (strikes >= 6) return { action: 'suspend', days: null }
  if (strikes >= 4) return { action: 'suspend', days: 7 }
  return strikes >= 2 ? { action: 'warn', days: null } : null
}

/**
 * Only the evidence of a report names a review's author, because reading it is audited: the list of appeals and the audit
 * log do not.
 */
export const isAboutReview = ({ target }: Pick<NoticeInContext, 'target'>) => target === 'review'

/** The subject of a resolved report's audit entry; null for a review, whose author may be anonymous. */
export const auditedSubject = (report: Pick<Report, 'target' | 'subject_id'>): string | null =>
  isAboutReview(report) ? null : report.subject_id

/**
 * Whether the appeal that a decision resolves is still open, the photo that it takes down is still shown, and the suspension
 * that it lifts is still the same. For reports, see `refusesDecision`.
 */
export const isStillDue = (
  { appeal, lift, takeDown }: Pick<Decision, 'appeal' | 'lift' | 'takeDown'>,
  now: {
    appeal: Pick<Appeal, 'status'> | null
    /** What the profile shows. */
    photo?: string | null
    suspended: Pick<ModerationStatus, 'suspended_until' | 'suspension_id'> | null
  },
): boolean =>
  (!appeal || now.appeal?.status === 'open') &&
  (!takeDown || now.photo === takeDown.image_id) &&
  (!lift || (now.suspended?.suspended_until != null && now.suspended.suspension_id === lift.suspension_id))

/** The values that removing the content of a profile sets. */
export const emptiedProfile = (name: string) => ({ name, city: null, bio: null, photo: null })
export const emptiedPreferences = { drinks: [], activities: [], purposes: [] }
export const emptiedFields = [...Object.keys(emptiedProfile('')), ...Object.keys(emptiedPreferences)]
