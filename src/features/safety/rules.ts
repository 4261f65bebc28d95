import { noPhoto } from '../chats/rules.ts'
import type { Message } from '../chats/store.ts'
import { days, hours } from '../../lib/time.ts'
import type {
  Evidence,
  FiledReport,
  NewReport,
  Report,
  ReportAction,
  ReportKind,
  ReportReason,
  ReportTarget,
} from './store.ts'
import type { Hiding } from '../profile/store.ts'

/** The stored data that a report is about. */
type Found = Pick<Evidence, 'versions' | 'review' | 'user'> & {
  /** The reported message and its neighbours, oldest first. */
  talk: readonly Message[]
}

/** The evidence that a report keeps. Null if its target is gone. */
export function evidenceOf(
  { target, target_id }: Pick<NewReport, 'target' | 'target_id'>,
  { talk, versions, review, user }: Found,
): Evidence | null {
  // The `client_id` is private to the sender.
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

/** How many messages around a reported one are kept as evidence, on each side. */
export const neighbours = 5

/** Ids of the images in evidence. A profile may show an external image by its URL. */
export const photosOf = ({ message, before, after, user }: Evidence): string[] => [
  ...new Set(
    [...before, message, ...after]
      .map((shown) => shown?.photo_id)
      .concat(user?.photo)
      .filter((photo) => photo != null),
  ),
]

/** Ids of the images of the reported content itself. */
export function reportedImages({ target, evidence }: Pick<Report, 'target'> & { evidence: Evidence | null }): string[] {
  const image = target === 'message' ? evidence?.message?.photo_id : target === 'user' ? evidence?.user?.photo : null
  return image == null ? [] : [image]
}

type WithEvidence = Parameters<typeof reportedImages>[0]

/**
 * Whether the evidence of a report has all images of the content that another report is about. If not, an open report by rules
 * does not stand for another one of the same target, or a photo that is taken down could be lost.
 */
export const keepsImagesOf = (report: WithEvidence, other: WithEvidence): boolean =>
  new Set(reportedImages(other)).isSubsetOf(new Set(reportedImages(report)))

/** The evidence with only those of its photos. */
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

/** The user whom a report concerns. Taken from the evidence, because a review's author may just have been erased. */
export const subjectOf = (report: Pick<NewReport, 'subject_id'>, { review }: Pick<Evidence, 'review'>) =>
  review ? review.reviewer_id : report.subject_id

/** If a child may be in danger, the operator's target cannot be longer than this. */
const underageTarget = 4 * hours

/** The deadline for a report filed at that time. */
export const dueAt = (reason: ReportReason, at: number, target: number): number =>
  at + (reason === 'underage' ? Math.min(underageTarget, target) : target)

/**
 * The same for a stored report. The previous release stored no deadline; `storage/sql/report-queue.ts` sorts by the same
 * time.
 */
export const dueAtOf = ({ due_at, created_at }: Pick<Report, 'due_at' | 'created_at'>): number =>
  due_at ?? created_at + days

/** How many characters the details of a report have at most. */
export const mostDetails = 2000

type Amendable = Pick<Report, 'reason' | 'details' | 'due_at' | 'created_at'>

/**
 * What another report of the same target changes of the reporter's open one; null for nothing. `underage` replaces any other
 * reason and its deadline, because a child may be in danger. New details follow the earlier ones, which give way to them
 * if there is no room for both.
 */
export function amendedBy(
  open: Amendable,
  again: Pick<FiledReport, 'reason' | 'details' | 'due_at' | 'created_at'>,
): { raised: boolean; set: Partial<Amendable> } | null {
  const raised = again.reason === 'underage' && open.reason !== 'underage'
  const details = detailsWith(open.details, again.details)
  if (raised) {
    const due_at = Math.min(dueAtOf(open), dueAtOf({ due_at: again.due_at ?? null, created_at: again.created_at }))
    return { raised, set: { reason: again.reason, due_at, details } }
  }
  return details === open.details ? null : { raised, set: { details } }
}

function detailsWith(before: string | null, added: string | null): string | null {
  // A repeated request adds nothing.
  if (before === null || added === null || before.includes(added)) return before ?? added
  const room = mostDetails - [...added].length - 1
  return room > 0 ? `${[...before].slice(0, room).join('')}\n${added}` : added
}

export const kindOf = ({ kind, target }: Pick<Report, 'kind' | 'target'>): ReportKind => kind ?? target

/**
 * The decision about a report. For a held message, `release` is stored as `dismiss`, because the previous release does not know
 * `release`; a held message's report cannot be dismissed.
 */
export const actionOf = ({ kind, action }: Pick<Report, 'kind' | 'action'>): ReportAction | null =>
  kind === 'held' && action === 'dismiss' ? 'release' : action

export const storedAction = (action: ReportAction): Exclude<ReportAction, 'release'> =>
  action === 'release' ? 'dismiss' : action

/** Whether the action applies to reports of that kind. */
export const isForKind = (action: ReportAction, kind: ReportKind): boolean =>
  kind === 'held' ? action === 'release' || action === 'remove_content' : action !== 'release'

/** The evidence of a held message's report after an edit: a moderator decides about the text that would arrive. */
export const evidenceAfterEdit = (evidence: Evidence, message: Message, at: number): Evidence => ({
  ...evidence,
  versions:
    evidence.message?.text == null ? evidence.versions : [...evidence.versions, { text: evidence.message.text, at }],
  message: { ...message, client_id: null },
})

/** The outcomes of a reporter's decided reports. */
export type ReportHistory = { decided: number; dismissed: number }

/** How many of a reporter's newest reports count for the weight of the next one. */
export const mostHistory = 100

/** Counts the outcomes of a reporter's newest reports. `action` is null for open ones. */
export function historyOf(newest: readonly Pick<Report, 'action'>[]): ReportHistory {
  const decided = newest.filter(({ action }) => action !== null)
  return { decided: decided.length, dismissed: decided.filter(({ action }) => action === 'dismiss').length }
}

/** Whether a report can hide its subject: one by a person can, unless it is about a review, whose author stays anonymous. */
export const canHide = ({ reporter_id, target }: Pick<FiledReport, 'reporter_id' | 'target'>): boolean =>
  reporter_id !== null && target !== 'review'

/** Whether a report is filed: not by an erased user. A rule cannot report an erased user, but a person can. */
export const isFiled = (
  { reporter_id, subject_id }: Pick<FiledReport, 'reporter_id' | 'subject_id'>,
  living: ReadonlySet<string>,
): boolean => (reporter_id === null ? subject_id === null || living.has(subject_id) : living.has(reporter_id))

/** Shares are hundredths of a report. */
const wholeShare = 100

/** A reporter who is right half of the time, or has few decided reports, counts fully. The first matching row applies. */
const shares = [
  { decided: 10, dismissed: 0.9, share: 25 },
  { decided: 3, dismissed: 0.5, share: 50 },
] as const

/** The weight of a reporter's report: less if more than this part of at least that many was dismissed. */
export function shareOf({ decided, dismissed }: ReportHistory): number {
  const found = shares.find((row) => decided >= row.decided && dismissed > decided * row.dismissed)
  return found?.share ?? wholeShare
}

/** Reports within this time are added up. */
export const hidingWindow = days

/** Accounts that are younger do not count. */
const oldEnough = days

/** The sum of shares that hides somebody from nearby. */
const nearbyFrom = 3 * wholeShare
/** The share of a report that somebody is underage: enough to hide the profile. */
const profileShare = 10 * wholeShare

/** An open report by a person that hides nobody yet. */
export type HidingReport = Pick<Report, 'id' | 'target' | 'reason' | 'created_at'> & {
  /** A hash of the reporter's network address; null if unknown. */
  origin: string | null
  /** When the reporter registered. */
  reporter_since: number
  history: ReportHistory
}

/** What the given shares hide. */
export function hidingOf(held: readonly number[]): Hiding | null {
  if (held.some((share) => share >= profileShare)) return 'profile'
  return sum(held) >= nearbyFrom ? 'nearby' : null
}

/**
 * Up to which share an upheld appeal against a hiding lifts reports: one against the three that hid somebody nearby, before
 * another hid the profile, leaves the profile hidden.
 */
export const endedShare = ({ hidden, isNewest }: { hidden: Hiding; isNewest: boolean }): number =>
  isNewest || hidden === 'nearby' ? profileShare : wholeShare

/**
 * Whether a new report, with the others of the last day, hides somebody, and with which share of each; null if it changes
 * nothing. If they are hidden already, returns the reports that must also be decided.
 *
 * Three reports of a person hide them from nearby, if the reporters' accounts are older than a day and their addresses
 * differ. One report that they are underage also hides the profile, or two by people whose reports are mostly dismissed.
 */
export function hidingBy(
  reported: Pick<HidingReport, 'id' | 'created_at'>,
  reports: readonly HidingReport[],
  hidden: Hiding | null,
): { hidden: Hiding; shares: { id: string; share: number }[] } | null {
  const recent = reports.filter(({ created_at }) => created_at > reported.created_at - hidingWindow)
  const isNew = ({ id }: { id: string }) => id === reported.id

  const underage = recent.filter(({ reason, target }) => reason === 'underage' && target !== 'review')
  if (underage.some(isNew) && sum(underage.map(({ history }) => shareOf(history))) >= wholeShare)
    return { hidden: 'profile', shares: underage.map(({ id }) => ({ id, share: profileShare })) }

  if (hidden === 'nearby') return null
  const best = new Map<string, { id: string; share: number }>()
  for (const { id, target, origin, created_at, reporter_since, history } of recent) {
    if (target !== 'user' || reporter_since > created_at - oldEnough) continue
    const share = shareOf(history)
    // Reports with an unknown address count as one.
    if (share > (best.get(origin ?? '')?.share ?? 0)) best.set(origin ?? '', { id, share })
  }
  const counted = [...best.values()]
  return hidingOf(counted.map(({ share }) => share)) === null ? null : { hidden: hidden ?? 'nearby', shares: counted }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** The details text of a report by rules. */
export const detailsOf = (ruleNames: readonly string[]) => `By rule: ${ruleNames.join(', ')}`.slice(0, mostDetails)
