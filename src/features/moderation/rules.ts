import type { Role } from '../profile/store.ts'
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

/**
 * Who wrote a review is for the evidence of its report alone to say, whose reading is recorded: neither the list of appeals
 * nor the audit log names the author.
 */
export const isAboutReview = ({ target }: Pick<NoticeInContext, 'target'>) => target === 'review'

/**
 * Whether what a decision settles or lifts is still as it was when it was asked for: the report and the appeal open, and the
 * suspension the same one.
 */
export const isStillDue = (
  { report, appeal, lift }: Pick<Decision, 'report' | 'appeal' | 'lift'>,
  now: {
    report: Pick<Report, 'status'> | null
    appeal: Pick<Appeal, 'status'> | null
    suspended: Pick<Standing, 'suspended_until' | 'suspension_id'> | null
  },
): boolean =>
  (!report || now.report?.status === 'open') &&
  (!appeal || now.appeal?.status === 'open') &&
  (!lift || (now.suspended?.suspended_until != null && now.suspended.suspension_id === lift.suspension_id))

/** What a profile loses together with what its owner wrote into it. */
export const emptiedProfile = (name: string) => ({ name, city: null, bio: null, photo: null })
export const emptiedPreferences = { drinks: [], activities: [], purposes: [] }
export const emptiedFields = [...Object.keys(emptiedProfile('')), ...Object.keys(emptiedPreferences)]
