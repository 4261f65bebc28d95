import type { AuditEntry } from '../audit/store.ts'
import type { ReviewRefusal } from './rules.ts'

export type Review = {
  /** A UUIDv4, which does not reveal when the review was written. */
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
   * Stores the review, the reviewed user's stats and their `review` event in one step, if `reviewVerdict` allows it. Returns the
   * event's number. With `appearsAt`, only stores the review until then, and `seq` is null.
   */
  add(
    review: Review & { reviewer_id: string },
    when: { eventAt: number; appearsAt: number | null; notifyAt?: number | null },
  ): Promise<{ seq: number | null } | ReviewRefusal>
  /** Ids of reviews that are due to appear, in the order of that time. */
  due(now: number, limit: number): Promise<string[]>
  /**
   * Lets a waiting review appear: stores the review with the time `at`, the reviewed user's stats, their `review` event and the
   * audit entry in one step. `written_at` is for the server alone. Returns null without an event if another call was faster, or
   * the reviewed user is erased.
   */
  appear(
    id: string,
    when: { at: number; eventAt: number; notifyAt?: number | null },
    audit: AuditEntry,
  ): Promise<{ review: Review; written_at: number; seq: number } | null>
  /** Reviews of a user, newest day first, and within a day by id. Days are numbered from 1970 in UTC. */
  ofUser(userId: string, limit: number, after: { day: number; id: string } | null): Promise<Review[]>
  /** In no order; unknown ids are left out. */
  byIds(ids: readonly string[]): Promise<Review[]>
  /** `rating_avg` to two decimals, null if there is no review. Null for unknown and erased users. */
  stats(userId: string): Promise<{ rating_avg: number | null; count: number } | null>
}
