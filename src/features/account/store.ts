import type { NewParcel } from '../../outbox/store.ts'
import type { AuditEntry } from '../audit/store.ts'
import type { Consent, Session } from '../auth/store.ts'
import type { Image } from '../media/store.ts'
import type { Review } from '../reviews/store.ts'

/** Where in a user's chats the clearing stands: the messages of a chat up to this number are done, and all chats before it. */
export type Place = { chat_id: string; seq: number }

/** What one part of the clearing took away, for all that has to follow. */
export type Cleared = {
  rows: number
  /** The files whose images are gone. */
  files: string[]
  /** The `chat` events of the others in their chats, of those chats in which nothing of the user is left. */
  chats: { chat_id: string; user_id: string; seq: number }[]
  /** Where the next part begins; null where nothing is left. */
  next: Place | null
}

export type ErasureStore = {
  /**
   * Begins an erasure, in one step: the row loses what was in it; sessions, position, preferences, and mails and links that
   * wait go; and it is noted that the rest has to follow, until `clear` has come to its end. `parcels`, which tell of it, go
   * into the outbox. False, and nothing, where there is no such user, or an erased one.
   */
  begin(userId: string, at: number, audit: AuditEntry, parcels?: readonly NewParcel[]): Promise<boolean>
  /**
   * Removes the next part of what is stored of an erased user, late things too that a request under way has stored since:
   * in one step, which takes some milliseconds, as an account may have a hundred thousand messages. These stay as
   * tombstones, reviews of others and reports without an author, consents without where they came from, and the evidence of
   * reports with its images. While the erasure is noted as unfinished, the others in the chats get one `chat` event each. With
   * `newId`, what their devices show of these chats is taken back.
   */
  clear(userId: string, at: number, from: Place | null, newId?: () => string): Promise<Cleared>
  /** Whose erasure has begun, and not come to its end. */
  unfinished(): Promise<Erasure[]>
  /** Who was erased since that time. */
  erasedSince(time: number): Promise<Erasure[]>
  /** Empties the write-ahead log, in which older pages still hold what was removed. Where somebody reads them, not yet. */
  emptyLog(): Promise<void>
}

export type Erasure = { user_id: string; at: number }

/**
 * The list of everybody who was erased, kept beside the database: a backup does not know who was erased after it was
 * made, this does.
 */
export type ErasureJournal = {
  /** Adds to the list: on disk once it resolves. The answer takes back what was added, unless something came after. */
  add(erasures: readonly Erasure[]): Promise<() => Promise<void>>
  /** When each was erased. */
  read(): Promise<Map<string, number>>
}

/** What is stored of a user that nothing else reads out whole. Lists are in an order that stays, after the given item. */
export type HoldingsStore = {
  consents(userId: string, limit: number, after: Consent | null): Promise<Consent[]>
  /** Ended ones too. */
  sessions(userId: string, limit: number, after: Session | null): Promise<Session[]>
  images(userId: string, limit: number, after: OwnImage | null): Promise<OwnImage[]>
  reviewsBy(userId: string): Promise<Review[]>
  /** All chats of a user, and who the other one is. */
  chats(userId: string): Promise<{ id: string; other_id: string; created_at: number }[]>
  /** What these messages said before they were edited or deleted, oldest first. */
  versions(messageIds: readonly string[]): Promise<{ message_id: string; text: string; at: number }[]>
  /** How many places are recognised when the user comes back to one. */
  places(userId: string): Promise<number>
}

export type OwnImage = Pick<Image, 'id' | 'width' | 'height' | 'bytes' | 'created_at'>
