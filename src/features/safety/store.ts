import type { NewParcel } from '../../outbox/store.ts'
import type { StoredData } from '../../realtime/events.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { Message } from '../chats/store.ts'
import type { Notice } from '../moderation/store.ts'
import type { Hiding, Profile } from '../profile/store.ts'
import type { Review } from '../reviews/store.ts'

export type Block = { id: string; blocker_id: string; blocked_id: string; created_at: number }

/** The key of the last item of the previous page. */
export type After = { at: number; id: string } | null

export type BlockStore = {
  /** Which of the two has blocked the other. */
  between(a: string, b: string): Promise<{ by_a: boolean; by_b: boolean }>
  /** Which of the others have blocked the user or are blocked by them. */
  among(userId: string, others: readonly string[]): Promise<Set<string>>
  /**
   * The block of that pair, created if there is none, with a `block` event to the blocker (`seq`; null if the block existed
   * already) and the webhooks about it. Null if there is no such user to block. With `newId`, notifications of their chat are
   * withdrawn from the devices of both.
   */
  ensure(
    block: Block,
    event: unknown,
    webhooks?: readonly NewParcel<'webhook'>[],
    newId?: (() => string) | null,
  ): Promise<{ block: Block; seq: number | null } | null>
  /** Newest first. */
  list(blockerId: string, limit: number, after: After): Promise<Block[]>
  /** Returns the id of the blocked user; null if the blocker has no such block. */
  remove(blockerId: string, id: string): Promise<string | null>
}

export const reportReasons = [
  'spam',
  'harassment',
  'nudity',
  'hate',
  'scam',
  'underage',
  'impersonation',
  'danger',
  'other',
] as const
export type ReportReason = (typeof reportReasons)[number]

export const reportTargets = ['user', 'message', 'review'] as const
export type ReportTarget = (typeof reportTargets)[number]

/**
 * The source of a report: a person who reports one of these targets, an operator's rule, or a rule that holds a message
 * until the report is resolved.
 */
export const reportKinds = [...reportTargets, 'rule', 'held'] as const
export type ReportKind = (typeof reportKinds)[number]

/** `release` delivers a held message. Only it and `remove_content` apply to held messages. */
export const reportActions = ['dismiss', 'warn', 'remove_content', 'suspend', 'release'] as const
export type ReportAction = (typeof reportActions)[number]

export type Report = {
  id: string
  /** Null once the reporter's account is erased. */
  reporter_id: string | null
  /** Null for a report by a person. */
  kind: 'rule' | 'held' | null
  target: ReportTarget
  target_id: string
  /** The user concerned: the reported one, or the author of the reported content. Null if the author is no longer known. */
  subject_id: string | null
  reason: ReportReason
  details: string | null
  status: 'open' | 'resolved'
  created_at: number
  resolved_at: number | null
  resolved_by: string | null
  action: ReportAction | null
  note: string | null
  /** End of a suspension; null if it has none. */
  until: number | null
  /** When it should be decided at the latest; null if the previous release filed it: see `dueAtOf`. */
  due_at: number | null
  /** The moderator who has claimed it, and until when. */
  claimed_by: string | null
  claimed_until: number | null
  /** A pending decision, and when it takes effect. */
  pending: PendingDecision | null
  pending_until: number | null
}

/** A decision that may be taken back until it takes effect. */
export type PendingDecision = {
  id: string
  decided_by: string
  action: ReportAction
  note: string
  until: number | null
  strikes: number
  template_id: string | null
  /** The previous release does not store it. */
  ban_images?: boolean
}

/** The reported content as it was when the report was filed. */
export type Evidence = {
  message: Message | null
  /** Earlier texts of the message, each valid until `at`; includes the text of a deleted message. */
  versions: { text: string; at: number }[]
  /** Its neighbours, oldest first. */
  before: Message[]
  after: Message[]
  review: Review | null
  /** The profile of the user concerned. */
  user: Profile | null
}

export type NewReport = Pick<
  Report,
  'id' | 'target' | 'target_id' | 'subject_id' | 'reason' | 'details' | 'created_at'
> & {
  reporter_id: string
  due_at?: number | null
  /** A hash of the address that the report came from. */
  origin?: string | null
}

/** The notice to a user whom reports hide, with its event and audit entry. */
export type HidingNotice = { notice: Notice; event: StoredData['notice']; audit: AuditEntry }

/** A report by a person or, without a reporter, by a rule of the operator. */
export type FiledReport = Omit<NewReport, 'reporter_id'> & Pick<Report, 'reporter_id'> & Partial<Pick<Report, 'kind'>>

/** A report that is filed in the transaction of its cause. */
export type Filing = {
  report: FiledReport
  /** How many messages around a reported one are kept as evidence, on each side. */
  neighbours: number
  /** When notifications to moderators are due; null for none. */
  notifyAt: number | null
  parcels: readonly NewParcel[]
  entry: AuditEntry
}

export type ReportStore = {
  /**
   * The user whom a report of that target would concern and, for restricted content, who may see it. Null if there is no
   * such target; erased users do not count. Only its sender may see a `held` message.
   */
  target(
    target: ReportTarget,
    id: string,
  ): Promise<{ subject_id: string | null; seen_by: string[] | null; held?: boolean } | null>
  /**
   * Stores the report and its evidence, with that many neighbours of a message on each side, in one transaction. If the
   * reporter (or the rules) already has an open report of the target, returns that one with `created` false, unless it is by
   * rules and its evidence lacks the photo that the target shows now (`keepsImagesOf`). A person's open report takes over what
   * is new (`amendedBy`). If that has `raised` it to `underage`, its claim and pending decision end, and all else happens as
   * with a new report. Null if the target is gone.
   */
  file(
    report: FiledReport,
    neighbours: number,
    /** When notifications to moderators are due; null for none. */
    notifyAt?: number | null,
    /** The parcels about a new or raised report with that id, for the outbox. */
    parcelsOf?: (reportId: string) => readonly NewParcel[],
    /** Makes the notice if the report with that id hides its subject (`hidingBy`), in the same transaction. */
    hiding?: (reportId: string, hidden: Hiding, subjectId: string) => HidingNotice,
  ): Promise<{
    report: Report
    created: boolean
    raised: boolean
    hid: (HidingNotice & { seq: number }) | null
  } | null>
  /** Newest first. */
  list(reporterId: string, limit: number, after: After): Promise<Report[]>
}
