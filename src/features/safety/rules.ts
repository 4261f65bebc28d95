import { noPhoto } from '../chats/rules.ts'
import type { Message } from '../chats/store.ts'
import { days, hours } from '../../lib/time.ts'
import type { Evidence, NewReport, Report, ReportKind, ReportReason, ReportTarget } from './store.ts'

/** What is there of the things that a report is about. */
type Found = Pick<Evidence, 'versions' | 'review' | 'user'> & {
  /** The reported message and its neighbours, oldest first. */
  talk: readonly Message[]
}

/** What a report keeps of what was found when it was filed. Null where its target has gone. */
export function evidenceOf(
  { target, target_id }: Pick<NewReport, 'target' | 'target_id'>,
  { talk, versions, review, user }: Found,
): Evidence | null {
  // The sender's own `client_id` is nobody else's business.
  const messages = talk.map((message) => ({ ...message, client_id: null }))
  const place = messages.findIndex(({ id }) => id === target_id)
  const message = messages[place] ?? null
  const evidence: Evidence = {
    message,
    versions,
    before: message ? messages.slice(0, place) : [],
    after: message ? messages.slice(place + 1) : [],
    review,
    user,
  }
  const kept: Record<ReportTarget, unknown> = { user, message, review }
  return kept[target] === null ? null : evidence
}

/** Ids of the images that evidence shows. A profile may show an image of elsewhere, by its URL. */
export const photosOf = ({ message, before, after, user }: Evidence): string[] => [
  ...new Set(
    [...before, message, ...after]
      .map((shown) => shown?.photo_id)
      .concat(user?.photo)
      .filter((photo) => photo != null),
  ),
]

/** Evidence as it is where only those of its photos are there. */
export function withPhotos(evidence: Evidence, photoIds: ReadonlySet<string>): Evidence {
  const shown = <T extends Message | null>(message: T): T =>
    message === null || message.photo_id === null || photoIds.has(message.photo_id)
      ? message
      : { ...message, ...noPhoto }
  return {
    ...evidence,
    message: shown(evidence.message),
    before: evidence.before.map(shown),
    after: evidence.after.map(shown),
  }
}

/**
 * Whom a report concerns, by the evidence that is kept with it: the author of a review may have been erased since the report
 * was asked for.
 */
export const subjectOf = (report: Pick<NewReport, 'subject_id'>, { review }: Pick<Evidence, 'review'>) =>
  review ? review.reviewer_id : report.subject_id

/** Where a child may be in danger, no operator's target is longer than this. */
const underageTarget = 4 * hours

/** When a report that is filed at that time is to be decided at the latest. */
export const dueAt = (reason: ReportReason, at: number, target: number): number =>
  at + (reason === 'underage' ? Math.min(underageTarget, target) : target)

/** The same of a stored report. The release before stored none; `storage/sql/report-queue.ts` sorts by the same time. */
export const dueAtOf = ({ due_at, created_at }: Pick<Report, 'due_at' | 'created_at'>): number =>
  due_at ?? created_at + days

export const kindOf = ({ kind, target }: Pick<Report, 'kind' | 'target'>): ReportKind => kind ?? target
