import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { EventNumbers, Message } from '../chats/store.ts'
import type { Role } from '../profile/store.ts'
import type { Case, CaseRefusal, QueueRefusal } from './rules.ts'
import type {
  After,
  Evidence,
  PendingDecision,
  Report,
  ReportAction,
  ReportKind,
  ReportReason,
  ReportTarget,
} from '../safety/store.ts'

export const noticeActions = [
  'warn',
  'remove_content',
  'suspend',
  'unsuspend',
  'appeal_upheld',
  'appeal_rejected',
] as const
export type NoticeAction = (typeof noticeActions)[number]

/** A decision, told to the user concerned: the statement of reasons. */
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
  /** End of a suspension; null where it has none. */
  until: number | null
  created_at: number
  /** Who decided; null where that is not known. */
  decided_by: string | null
  /** What it counts; null or left out where nothing. */
  strikes?: number | null
}

/** A notice with what its report was about, and what became of it. */
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

export type NoticeStore = {
  /** Newest first. */
  list(userId: string, limit: number, after: After): Promise<NoticeInContext[]>
  byId(id: string): Promise<NoticeInContext | null>
  /** With the webhooks about it. False, and nothing, where the notice has an appeal. */
  appeal(appeal: Appeal, webhooks?: readonly NewParcel<'webhook'>[]): Promise<boolean>
  /** The user's own, newest first. */
  appeals(userId: string, limit: number, after: After): Promise<Appeal[]>
}

/** What decides who may judge whom. */
export type Standing = {
  id: string
  role: Role
  suspended_until: number | null
  /** The notice that suspended. */
  suspension_id: string | null
  deleted_at: number | null
}

/** What one decision of moderation changes: all of it, or nothing. */
export type Decision = {
  at: number
  audit: AuditEntry
  /** What `canDecide` is asked about within the step; left out by what no moderator decides. */
  case?: Case
  /** The open report that it settles; `pending_id` is of a decision that has waited until now. */
  report?: {
    id: string
    resolved_by: string
    action: ReportAction
    note: string
    until: number | null
    pending_id?: string | null
  }
  /** The open appeal that it settles. */
  appeal?: { id: string; resolved_by: string; status: Exclude<AppealStatus, 'open'>; note: string }
  /**
   * Content to remove: of a message a tombstone stays, a review goes, a profile loses what its owner wrote into it, and
   * its name becomes `name`. What has gone already is no error.
   */
  remove?: { target: ReportTarget; id: string; name: string }
  /** `notice_id` becomes the user's `suspension_id`. */
  suspend?: { user_id: string; until: number; reason: string; notice_id: string }
  /** Lifts a suspension, if it still is that one. */
  lift?: { user_id: string; suspension_id: string | null }
  /** From when on a notification of the notice is due; null or left out where there are none. */
  notify_at?: number | null
  /** With ids for what takes back what devices show of a removed message, or of the chats of a suspended user. */
  takeBackIds?: (() => string) | null
  /** With a `notice` event; nobody is told whose account is erased. */
  notice?: { notice: Notice; event: unknown }
  webhooks?: readonly NewParcel<'webhook'>[]
}

export type Decided = {
  notice_seq: number | null
  tombstone: { message: Message; events: EventNumbers } | null
  /** Images that the content showed. */
  photos: string[]
}

export type ReportFilter = { status?: Report['status']; reason?: ReportReason; kind?: ReportKind }

export const reportOrders = ['due', 'created'] as const
export type ReportOrder = (typeof reportOrders)[number]

/** Who works on reports. */
export type Worker = Pick<Standing, 'id' | 'role'>

export type QueueStore = {
  /** Those to be decided first, without those that concern the reader: as the subject, or as the one whom a reported review is of. */
  list(filter: ReportFilter & { reader: string }, order: ReportOrder, limit: number, after: After): Promise<Report[]>
  /**
   * Claims the open report that is to be decided first, of those that nobody has claimed and that this moderator may decide.
   * Null where there is none. Of several who ask at once no two get the same.
   */
  next(moderator: Worker, kind: ReportKind | undefined, at: number, until: number): Promise<string | null>
  /** Claims a report, or claims it longer. Null where that is done. */
  claim(id: string, about: Case, at: number, until: number): Promise<QueueRefusal | CaseRefusal | null>
  /** Gives up a claim. False where somebody else has it. */
  release(id: string, moderatorId: string, at: number): Promise<boolean>
  /** Keeps a decision until it takes effect, and `carryOut`, which does that then. Null where that is done. */
  hold(
    id: string,
    about: Case,
    decision: PendingDecision,
    at: number,
    until: number,
    carryOut: NewParcel<'decision'>,
  ): Promise<QueueRefusal | CaseRefusal | null>
  /** Takes back a decision that waits. Null where that is done. */
  undo(id: string, moderatorId: string, at: number, audit: AuditEntry): Promise<'nothing_waits' | 'not_yours' | null>
  /** Takes back a decision that cannot be carried out. */
  drop(id: string, pendingId: string, audit: AuditEntry): Promise<void>
}

export type WholeCase = {
  report: Report & { evidence: Evidence | null }
  notices: Notice[]
  appeals: Appeal[]
  /** Of the files of images, by their names. */
  images: { id: string; file: string; width: number; height: number; created_at: number }[]
  /** The account concerned, and the one of the reporter, as they are now; without erased ones. */
  accounts: { id: string; name: string | null; email: string | null; phone: string | null; created_at: number }[]
  entries: AuditEntry[]
}

export type ModerationStore = {
  /** Erased users too; null where there never was one. */
  standing(userId: string): Promise<Standing | null>
  /** `evidence` is null once its time is over. */
  report(id: string): Promise<(Report & { evidence: Evidence | null }) | null>
  /** Oldest first, without the reader's own, and without those against a decision on a review of the reader. */
  appeals(
    filter: { status?: AppealStatus; reader: string },
    limit: number,
    after: After,
  ): Promise<(Appeal & { notice: NoticeInContext })[]>
  appeal(id: string): Promise<(Appeal & { notice: NoticeInContext }) | null>
  /** All that is kept of a case: the report with its evidence, decisions, appeals, and the images that the evidence shows. */
  wholeCase(reportId: string): Promise<WholeCase | null>
  /**
   * Null, and nothing changes, where what it settles or lifts is not as it says any more; nor where `canDecide` refuses it,
   * as things are now, or somebody else has claimed the report.
   */
  decide(decision: Decision): Promise<Decided | CaseRefusal | 'claimed' | null>
}
