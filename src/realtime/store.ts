/** An event as stored: `ref` names what it shows, or `data` is all there is. */
export type StoredEvent = { seq: number; type: string; at: number; ref: string | null; data: unknown }

export type EventStore = {
  /** Numbers of a user's newest event (0 before the first), and of the oldest one still kept (newest + 1 where none is). */
  range(userId: string): Promise<{ oldest: number; newest: number }>
  /** Numbers of the newest event of each of these users, who are some hundreds at most; none before a user's first one. */
  newest(userIds: readonly string[]): Promise<Map<string, number>>
  /** The events after `since`, in order. */
  after(userId: string, since: number, limit: number): Promise<StoredEvent[]>
  /** The same for several users, a hundred at most, in the order of these. */
  afterEach(each: readonly { user_id: string; since: number; limit: number }[]): Promise<StoredEvent[][]>
  /** Removes events older than that; answers how many. The numbering goes on. */
  purge(before: number): Promise<number>
}
