import type { AuditEntry } from '../audit/store.ts'
import type { ReviewRefusal } from './rules.ts'

export type Review = {
  /** UUIDv4: it does not tell when the review was written. */
  id: string
  chat_id: string
  /** Null once the author's account is erased. */
  reviewer_id: string | null
  reviewed_id: string
  rating: number
  anonymous: boolean
  text: string | null
  created_at: number
}

export type ReviewStore = {
  /** The two users of a chat; null if there is no such chat. */
  members(chatId: string): Promise<readonly [string, string] | null>
  /**
   * Review, the reviewed user's stats and their `review` event in one step, where `reviewVerdict` allows it; answers the
   * event's number. With `appearsAt` the review is only kept until then, and `seq` is null.
   */
  add(
    review: Review & { reviewer_id: string },
    when: { eventAt: number; appearsAt: number | null; notifyAt?: number | null },
  ): Promise<{ seq: number | null } | ReviewRefusal>
  /** Ids of reviews whose time to appear has come, in that order. */
  due(now: number, limit: number): Promise<string[]>
  /**
   * Lets a review appear that was only kept: the review, written down as of `at`, the reviewed user's stats, their `review`
   * event and the entry of the audit log in one step. Null, and no event, where another call was faster, or the reviewed
   * user's account is erased.
   */
  appear(
    id: string,
    when: { at: number; eventAt: number; notifyAt?: number | null },
    audit: AuditEntry,
  ): Promise<{ review: Review; seq: number } | null>
  /** Reviews of a user, by day, newest first, and within a day by id. A day counts from 1970 in UTC. */
  ofUser(userId: string, limit: number, after: { day: number; id: string } | null): Promise<Review[]>
  /** In no order; unknown ids are left out. */
  byIds(ids: readonly string[]): Promise<Review[]>
  /** `rating_avg` to two decimals, null if there is no review. Null for unknown and erased users. */
  stats(userId: string): Promise<{ rating_avg: number | null; count: number } | null>
}
