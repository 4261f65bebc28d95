import type { StoredData, ViewedType } from './events.ts'

/** An event as stored: `ref` is the id of what it shows, or `data` holds all of it. `at` is in milliseconds since 1970. */
export type StoredEvent = { seq: number; at: number } & (
  | { type: ViewedType; ref: string; data: null }
  | { [T in keyof StoredData]: { type: T; ref: null; data: StoredData[T] } }[keyof StoredData]
)

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

export type LastSeenStore = {
  /** Notes when these users, who are some hundreds at most, last had a socket. Never sets it back, nor notes erased ones. */
  note(seen: readonly { user_id: string; at: number }[]): Promise<void>
  /** When these users last had a socket; none for who never had one, or is erased. */
  of(userIds: readonly string[]): Promise<Map<string, number>>
}
