import type { NewParcel } from '../../outbox/store.ts'
import type { Message } from '../chats/store.ts'
import type { Profile } from '../profile/store.ts'
import type { Review } from '../reviews/store.ts'

export type Block = { id: string; blocker_id: string; blocked_id: string; created_at: number }

/** Key of the last item of the page before. */
export type After = { at: number; id: string } | null

export type BlockStore = {
  /** Who of the two has blocked the other. */
  between(a: string, b: string): Promise<{ by_a: boolean; by_b: boolean }>
  /** Those of the others who have blocked the user, or whom the user has blocked. */
  among(userId: string, others: readonly string[]): Promise<Set<string>>
  /**
   * The block of that pair, made where there is none, with a `block` event to the blocker (`seq`; null where the block
   * was there) and the webhooks about it. Null where there is no such user to block. With `newId`, what devices of the two
   * show of their chat is taken back.
   */
  ensure(
    block: Block,
    event: unknown,
    webhooks?: readonly NewParcel<'webhook'>[],
    newId?: (() => string) | null,
  ): Promise<{ block: Block; seq: number | null } | null>
  /** Newest first. */
  list(blockerId: string, limit: number, after: After): Promise<Block[]>
  /** Answers whom it blocked; null where that user has no such block. */
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

/** What a report comes from: a person who reports one of these, or a rule of the operator. */
export const reportKinds = [...reportTargets, 'rule'] as const
export type ReportKind = (typeof reportKinds)[number]

export const reportActions = ['dismiss', 'warn', 'remove_content', 'suspend'] as const
export type ReportAction = (typeof reportActions)[number]

export type Report = {
  id: string
  /** Null once the reporter's account is erased. */
  reporter_id: string | null
  /** Null for one by a person. */
  kind: 'rule' | null
  target: ReportTarget
  target_id: string
  /** The user concerned: the reported one, or the author of what is reported. Null where the author is not known any more. */
  subject_id: string | null
  reason: ReportReason
  details: string | null
  status: 'open' | 'resolved'
  created_at: number
  resolved_at: number | null
  resolved_by: string | null
  action: ReportAction | null
  note: string | null
  /** End of a suspension; null where it has none. */
  until: number | null
  /** When it is to be decided at the latest; null where the release before filed it: see `dueAtOf`. */
  due_at: number | null
  /** The moderator who works on it, and until when nobody else does. */
  claimed_by: string | null
  claimed_until: number | null
  /** A decision that waits, and when it takes effect. */
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
}

/** What a report is about, as it was when it was filed. */
export type Evidence = {
  message: Message | null
  /** What the message said before, each until `at`; the text of a deleted one is among them. */
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
> & { reporter_id: string; due_at?: number | null }

/** A report by a person or, without a reporter, by a rule of the operator. */
export type FiledReport = Omit<NewReport, 'reporter_id'> & Pick<Report, 'reporter_id'> & Partial<Pick<Report, 'kind'>>

export type ReportStore = {
  /**
   * Whom a report of that would concern, and where only some may see it, who these are. Null where there is no such
   * thing; users whose account is erased count as none.
   */
  target(target: ReportTarget, id: string): Promise<{ subject_id: string | null; seen_by: string[] | null } | null>
  /**
   * Keeps the report and its evidence, with so many neighbours of a message on each side, in one step. Where the reporter
   * (or the rules) has an open report of the same: that one, `created` false. Null where the target has gone. `parcels`, which tell of a
   * new one, go into the outbox.
   */
  file(
    report: FiledReport,
    neighbours: number,
    /** From when on moderators are notified, and new ids for that. */
    notify?: { due_at: number; id(): string } | null,
    parcels?: readonly NewParcel[],
  ): Promise<{ report: Report; created: boolean } | null>
  /** Newest first. */
  list(reporterId: string, limit: number, after: After): Promise<Report[]>
}
