import type { StoredData, ViewedType } from './events.ts'

/** An event as stored: either `ref` is the id of its subject, or `data` holds all of it. `at` is in milliseconds since 1970. */
export type StoredEvent = { seq: number; at: number } & (
  | { type: ViewedType; ref: string; data: null }
  | { [T in keyof StoredData]: { type: T; ref: null; data: StoredData[T] } }[keyof StoredData]
)

export type EventStore = {
  /** Numbers of a user's newest event (0 before the first), and of the oldest one still kept (newest + 1 where none is). */
  range(userId: string): Promise<{ oldest: number; newest: number }>
  /** Number of the newest event of each of these users, some hundreds at most. Users without events are missing. */
  newest(userIds: readonly string[]): Promise<Map<string, number>>
  /** The events after `since`, in order. */
  after(userId: string, since: number, limit: number): Promise<StoredEvent[]>
  /** The same for several users, a hundred at most, in their order. */
  afterEach(each: readonly { user_id: string; since: number; limit: number }[]): Promise<StoredEvent[][]>
  /** Removes events older than that; returns how many. The numbering goes on. */
  purge(before: number): Promise<number>
}

export type LastSeenStore = {
  /** Records when these users, some hundreds at most, last had a socket. Never sets a time back, and skips erased users. */
  note(seen: readonly { user_id: string; at: number }[]): Promise<void>
  /** When these users last had a socket. Users who never had one, or are erased, are missing. */
  of(userIds: readonly string[]): Promise<Map<string, number>>
}
