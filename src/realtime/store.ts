/** An event as stored: `ref` names what it shows, or `data` is all there is. */
export type StoredEvent = { seq: number; type: string; at: number; ref: string | null; data: unknown }

export type EventStore = {
  /** Numbers of a user's newest event (0 before the first), and of the oldest one still kept (newest + 1 where none is). */
  range(userId: string): Promise<{ oldest: number; newest: number }>
  /** The events after `since`, in order. */
  after(userId: string, since: number, limit: number): Promise<StoredEvent[]>
  /** Removes events older than that; answers how many. The numbering goes on. */
  purge(before: number): Promise<number>
}
