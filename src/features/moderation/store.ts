import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { EventNumbers, Message } from '../chats/store.ts'
import type { Hiding, Role } from '../profile/store.ts'
import type { Case, CaseRefusal, QueueRefusal, UnreadRefusal } from './rules.ts'
import {
  type After,
  type Evidence,
  type PendingDecision,
  type Report,
  type ReportAction,
  reportActions,
  type ReportKind,
  type ReportReason,
  type ReportTarget,
} from '../safety/store.ts'

export const noticeActions = [
  'warn',
  'remove_content',
  'suspend',
  'unsuspend',
  'appeal_upheld',
  'appeal_rejected',
  'hide',
  'show',
] as const
export type NoticeAction = (typeof noticeActions)[number]

/** A decision as the user concerned sees it: the statement of reasons. */
export type Notice = {
  id: string
  user_id: string
  /** The report that led to it. */
  report_id: string | null
  action: NoticeAction
  /** Why, for the user concerned. */
  reason: string
  /** For moderators only. */
  note: string | null
  /** End of a suspension; null if it has none. */
  until: number | null
  created_at: number
  /** Who decided; null if unknown. */
  decided_by: string | null
  /** How many strikes it counts; null or absent for none. */
  strikes?: number | null
}

/** A notice with the target of its report and the state of its appeal. */
export type NoticeInContext = Notice & {
  target: ReportTarget | null
  target_id: string | null
  ground: ReportReason | null
  appeal_id: string | null
  appeal_status: AppealStatus | null
}

export const appealStatuses = ['open', 'upheld', 'rejected'] as const
export type AppealStatus = (typeof appealStatuses)[number]

export type Appeal = {
  id: string
  notice_id: string
  user_id: string
  text: string
  status: AppealStatus
  created_at: number
  resolved_at: number | null
  resolved_by: string | null
  note: string | null
}

/** An appeal with the decision that it is against, and who else is concerned: the reporter and the person reviewed. */
export type AppealInContext = Appeal & {
  notice: NoticeInContext
  reporter_id: string | null
  reviewed_id: string | null
}

export type NoticeStore = {
  /** Newest first. */
  list(userId: string, limit: number, after: After): Promise<NoticeInContext[]>
  byId(id: string): Promise<NoticeInContext | null>
  /** Stores an appeal and its webhooks. Returns false and changes nothing if the notice already has one. */
  appeal(appeal: Appeal, webhooks?: readonly NewParcel<'webhook'>[]): Promise<boolean>
  /** The user's own, newest first. */
  appeals(userId: string, limit: number, after: After): Promise<Appeal[]>
}

/** The role and state of an account, which decide what it may moderate and who may decide about it. */
export type ModerationStatus = {
  id: string
  role: Role
  suspended_until: number | null
  /** The notice of the suspension. */
  suspension_id: string | null
  deleted_at: number | null
}

/** The changes of one decision, all of which are made in one transaction. */
export type Decision = {
  at: number
  audit: AuditEntry
  /** The input of `canDecide`, checked in the same transaction; absent for decisions that no moderator makes. */
  case?: Case
  /** The open report that it resolves; `pending_id` names a decision that has waited until now. */
  report?: {
    id: string
    /** Null if no moderator has decided. */
    resolved_by: string | null
    action: ReportAction
    note: string
    until: number | null
    pending_id?: string | null
    /** The reason of the report when the decider read it; null or absent if they have not. */
    read_reason?: string | null
  }
  /** The open appeal that it resolves. */
  appeal?: { id: string; resolved_by: string; status: Exclude<AppealStatus, 'open'>; note: string }
  /**
   * Content to remove: a message becomes a tombstone, a review is deleted, a profile loses what its owner wrote and its
   * name becomes `name`. Content that is already gone is not an error.
   */
  remove?: { target: ReportTarget; id: string; name: string }
  /** Takes this photo out of a profile, if the profile still shows it. */
  takeDown?: { user_id: string; image_id: string }
  /** Bans these images and those of the removed content. Neither the images nor their owners are stored with the ban. */
  ban?: {
    images: readonly string[]
    report_id: string
    reason: string
    added_by: string | null
    newId(): string
  }
  /** Allows the images again that the decision about this report has banned. */
  unban?: { report_id: string }
  /** A held message to deliver. `edited_at` says which text the decider has read: that of this edit, or the first one. */
  release?: { message_id: string; edited_at: number | null }
  /** `notice_id` becomes the user's `suspension_id`. */
  suspend?: { user_id: string; until: number; reason: string; notice_id: string }
  /** Lifts a suspension, if it is still the same. */
  lift?: { user_id: string; suspension_id: string | null }
  /** When the notification about the notice is due; null or absent without notifications. */
  notify_at?: number | null
  /**
   * Makes ids for parcels that withdraw notifications of a removed message, or of a suspended user's chats, from devices.
   */
  takeBackIds?: (() => string) | null
  /** Stored with a `notice` event, unless the account is erased. */
  notice?: { notice: Notice; event: unknown }
  /**
   * For a user whom the decision may make visible again: by the reports still open about them, or because `appealed` is the
   * notice that hides them. The notice is stored only in that case.
   */
  shown?: { notice: Notice; event: unknown; appealed: string | null }
  webhooks?: readonly NewParcel<'webhook'>[]
}

export type Decided = {
  /** Whether images were banned or allowed again. */
  bank_changed: boolean
  /** The events of the stored notices. */
  noted: { user_id: string; seq: number; notice_id: string }[]
  tombstone: { message: Message; events: EventNumbers } | null
  /** A held message that is delivered. */
  released: { message: Message; events: EventNumbers } | null
  /** Images that the content showed. */
  photos: string[]
}

type AppealFilter = {
  status?: AppealStatus
  /** Filed at that time or later. */
  from?: number
  /** Filed before that time. */
  to?: number
}

/** The decision about a report; `measure` is everything except `dismiss` and `release`. */
export const reportOutcomes = [...reportActions, 'measure'] as const
export type ReportOutcome = (typeof reportOutcomes)[number]

/** Reports with a measure that no person decided: all of them, or those whose measure was overturned. */
export const automations = ['any', 'overturned'] as const
export type Automation = (typeof automations)[number]

export type ReportFilter = {
  status?: Report['status']
  reason?: ReportReason
  kind?: ReportKind
  target?: ReportTarget
  reported_by?: 'people' | 'rules'
  outcome?: ReportOutcome
  automated?: Automation
  /** Open, and due before this time. */
  overdue_at?: number
  /** Filed at that time or later. With `automated`, the time of the measure counts. */
  from?: number
  /** Filed before that time, likewise. */
  to?: number
  /** Decided at that time or later. */
  decided_from?: number
  /** Decided before that time. */
  decided_to?: number
  /** About this user or what they wrote, except reviews: a list must not reveal a review's author. */
  subject_id?: string
}

/** How many reports are open. */
export type QueueCounts = { open: number; overdue: number; by_kind: Partial<Record<ReportKind, number>> }

/** By deadline, the oldest first, or the newest first. */
export const reportOrders = ['due', 'created', 'newest'] as const
export type ReportOrder = (typeof reportOrders)[number]

export type QueueStore = {
  /** In that order, without reports about the reader or about a review of the reader. */
  list(filter: ReportFilter & { reader: string }, order: ReportOrder, limit: number, after: After): Promise<Report[]>
  /** Counts open reports, without those that concern the reader. */
  counts(reader: string, now: number): Promise<QueueCounts>
  /**
   * Claims the most urgent open report that is unclaimed and that this moderator may decide; null if there is none.
   * Concurrent calls never get the same report.
   */
  next(
    moderator: Pick<ModerationStatus, 'id' | 'role'>,
    kind: ReportKind | undefined,
    at: number,
    until: number,
  ): Promise<string | null>
  /** Claims a report or extends the claim. Null on success. */
  claim(id: string, about: Case, at: number, until: number): Promise<QueueRefusal | CaseRefusal | null>
  /** Gives up a claim. False if somebody else has it. */
  release(id: string, moderatorId: string, at: number): Promise<boolean>
  /** Stores a decision until it takes effect, with the parcel `carryOut` that applies it. Null on success. */
  hold(
    id: string,
    about: Case,
    decision: PendingDecision,
    at: number,
    until: number,
    carryOut: NewParcel<'decision'>,
    read?: { release: Decision['release']; reason: string | null },
  ): Promise<QueueRefusal | CaseRefusal | UnreadRefusal | null>
  /** Takes back a pending decision. Null on success. */
  undo(id: string, moderatorId: string, at: number, audit: AuditEntry): Promise<'nothing_waits' | 'not_yours' | null>
  /** Drops a pending decision that cannot be carried out. */
  drop(id: string, pendingId: string, audit: AuditEntry): Promise<void>
}

export type WholeCase = {
  report: Report & { evidence: Evidence | null }
  notices: Notice[]
  appeals: Appeal[]
  images: { id: string; file: string; width: number; height: number; created_at: number }[]
  /** The current data of the account concerned and of the reporter's, unless they are erased. */
  accounts: { id: string; name: string | null; email: string | null; phone: string | null; created_at: number }[]
  entries: AuditEntry[]
}

export type ModerationStore = {
  /** Unedited messages whose image the checker allows, and that an open report with exactly these details still holds. */
  heldForCheck(details: string): Promise<{ message_id: string; sender_id: string; report_id: string }[]>
  /** Includes erased users; null if there never was such a user. */
  moderationStatus(userId: string): Promise<ModerationStatus | null>
  /** `evidence` is null once its retention period is over. */
  report(id: string): Promise<(Report & { evidence: Evidence | null }) | null>
  /** Oldest first, without the reader's own and those against a decision about a review of the reader. */
  appeals(filter: AppealFilter & { reader: string }, limit: number, after: After): Promise<AppealInContext[]>
  appeal(id: string): Promise<AppealInContext | null>
  /** For each case, why its judge may not decide it now; null if they may. */
  refusals(cases: readonly Case[], now: number): Promise<(CaseRefusal | null)[]>
  /** What hides a user, and their strikes since `since`, except strikes for a review of the reader. */
  history(userId: string, reader: string, since: number): Promise<{ hidden: Hiding | null; strikes: number }>
  /**
   * Everything stored about a case: the report with its evidence, decisions, appeals, the images of the evidence, and the entries
   * of the audit log about all of these.
   */
  wholeCase(reportId: string): Promise<WholeCase | null>
  /**
   * Carries out a decision. Changes nothing and returns null if the report, appeal or suspension has changed since, the refusal
   * if `canDecide` refuses it now, `claimed` if somebody else has claimed the report, `edited` if the message to release
   * has another text, or `raised` if the report has another reason than they have read.
   */
  decide(decision: Decision): Promise<Decided | CaseRefusal | 'claimed' | UnreadRefusal | null>
}
