import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { Consent, Session } from '../auth/store.ts'
import type { Image } from '../media/store.ts'
import type { Review } from '../reviews/store.ts'

/**
 * How far the clearing of a user's chats has come: all earlier chats, and the messages of this chat up to this number, are
 * done.
 */
export type Place = { chat_id: string; seq: number }

/** What one part of the clearing removed, for the follow-up work. */
export type Cleared = {
  rows: number
  /** The files whose images are gone. */
  files: string[]
  /** The `chat` events of the other members, for chats in which nothing of the user is left. */
  chats: { chat_id: string; user_id: string; seq: number }[]
  /** Where the next part begins; null if nothing is left. */
  next: Place | null
}

export type ErasureStore = {
  /**
   * Begins an erasure in one transaction: empties the account's row, removes sessions, position, preferences and pending
   * mails and links, and marks the erasure as unfinished until `clear` is done. `parcels` about it go into the outbox.
   * Returns false and changes nothing if there is no such user or they are erased already.
   */
  begin(userId: string, at: number, audit: AuditEntry, parcels?: readonly NewParcel[]): Promise<boolean>
  /**
   * Removes the next part of an erased user's data, including what concurrent requests have stored since. Each part is one
   * transaction of some milliseconds, because an account may have a hundred thousand messages. What remains: messages as
   * tombstones, reviews of others and reports without an author, consents without their origin, and the evidence of reports
   * with its images. While the erasure is unfinished, the other members of the chats get one `chat` event each. With
   * `newId`, notifications of these chats are withdrawn from their devices.
   */
  clear(userId: string, at: number, from: Place | null, newId?: () => string): Promise<Cleared>
  /** Erasures that have begun and are not finished. */
  unfinished(): Promise<Erasure[]>
  /** Who was erased since that time. */
  erasedSince(time: number): Promise<Erasure[]>
  /** Truncates the write-ahead log, whose older pages still hold removed data. Does nothing while somebody reads them. */
  emptyLog(): Promise<void>
}

export type Erasure = { user_id: string; at: number }

/**
 * The list of all erased users, kept outside the database: it also covers erasures that happened after a backup was made.
 */
export type ErasureJournal = {
  /**
   * Adds to the list; on disk when it resolves. Returns a function that removes the entries again, unless others have
   * followed.
   */
  add(erasures: readonly Erasure[]): Promise<() => Promise<void>>
  /** When each was erased. */
  read(): Promise<Map<string, number>>
}

/** A user's stored data that no other port lists completely. Lists have a stable order and start after the given item. */
export type HoldingsStore = {
  consents(userId: string, limit: number, after: Consent | null): Promise<Consent[]>
  /** Ended ones too. */
  sessions(userId: string, limit: number, after: Session | null): Promise<Session[]>
  images(userId: string, limit: number, after: OwnImage | null): Promise<OwnImage[]>
  reviewsBy(userId: string): Promise<Review[]>
  /** All chats of a user, and who the other one is. */
  chats(userId: string): Promise<{ id: string; other_id: string; created_at: number }[]>
  /** Earlier texts of these messages, from before they were edited or deleted, oldest first. */
  versions(messageIds: readonly string[]): Promise<{ message_id: string; text: string; at: number }[]>
  /** How many places are recognised when the user comes back to one. */
  places(userId: string): Promise<number>
}

export type OwnImage = Pick<Image, 'id' | 'width' | 'height' | 'bytes' | 'hashes' | 'created_at'>
