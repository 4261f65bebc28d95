import type { AuditEntry } from '../audit/store.ts'
import type { Consent, Session } from '../auth/store.ts'
import type { Image } from '../media/store.ts'
import type { Review } from '../reviews/store.ts'

/** What an erasure took away, for all that has to follow. */
export type Erased = {
  /** The sessions that are gone. */
  session_ids: string[]
  /** The files whose images are gone. */
  files: string[]
  /** The `chat` events of the others in their chats. */
  chats: { chat_id: string; user_id: string; seq: number }[]
}

export type ErasureStore = {
  /**
   * Erases a user in one step. Stays: the row without what was in it, their messages as tombstones, their reviews of
   * others and their reports without an author, consents without where they came from, and the evidence of reports with
   * its images. The others in their chats get one `chat` event each. Null, and nothing, where there is no such user, or
   * an erased one.
   */
  erase(userId: string, at: number, audit: AuditEntry): Promise<Erased | null>
  /** Removes what requests that were under way have stored of an erased user since; answers how many rows, and files to remove. */
  clear(userId: string, at: number): Promise<{ rows: number; files: string[] }>
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
  /** Adds to the list: on disk once it resolves. The answer takes back what was added, as long as nothing came after. */
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
