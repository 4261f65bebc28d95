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
  /** The two users of a chat; null where there is no such chat. */
  members(chatId: string): Promise<readonly [string, string] | null>
  /**
   * Review, the reviewed user's stats and their `review` event in one step; answers the event's number. `exists` where the
   * chat has a review, `gone` where the reviewed user's account is erased: then nothing changes.
   */
  add(review: Review & { reviewer_id: string }, eventAt: number): Promise<{ seq: number } | 'exists' | 'gone'>
  /** Reviews of a user, by day, newest first, and within a day by id. A day counts from 1970 in UTC. */
  ofUser(userId: string, limit: number, after: { day: number; id: string } | null): Promise<Review[]>
  /** In no order; unknown ids are left out. */
  byIds(ids: readonly string[]): Promise<Review[]>
  /** `rating_avg` to two decimals, null where there is no review. Null for unknown and erased users. */
  stats(userId: string): Promise<{ rating_avg: number | null; count: number } | null>
}
