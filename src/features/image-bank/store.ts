import type { AuditEntry } from '../audit/store.ts'
import type { After } from '../safety/store.ts'

/** A hash that is banned. The image itself is not kept. */
export type BankEntry = {
  id: string
  /** 64 hexadecimal digits. */
  hash: string
  /** In how many bits an image's hash may differ; null for the distance of the rule. */
  distance: number | null
  reason: string
  /** The report whose decision has banned it; null if an admin has. */
  report_id: string | null
  /** Null for the command line. */
  added_by: string | null
  created_at: number
}

/** How far the photos of profiles have been compared with the bank. */
export type BankProgress = {
  /** The newest change of the bank. */
  version: number
  /** All photos have been compared with the hashes up to this change. */
  checked_to: number
  /** Photos are being compared with the hashes up to the change `checking_to`, and those of users up to `checked_id` are done. */
  checking_to: number | null
  checked_id: string | null
}

export type BankHash = Pick<BankEntry, 'id' | 'hash' | 'distance'>

export type ImageBankStore = {
  progress(): Promise<BankProgress>
  /** The hashes that were added by the changes after `after` up to `upTo`. */
  hashes(after: number, upTo: number): Promise<BankHash[]>
  /** Newest first. */
  list(limit: number, after: After): Promise<BankEntry[]>
  /** A page of all, in the order of their ids. */
  after(id: string, limit: number): Promise<BankEntry[]>
  /** Whether there would be at most `most` hashes after these were added. */
  fits(entries: readonly BankEntry[], most: number): Promise<boolean>
  /**
   * Adds hashes, or none of them if there would be more than `most`. Replaces entries for the same hashes by admins, but none
   * by a decision.
   */
  add(entries: readonly BankEntry[], most: number, audit: AuditEntry): Promise<'added' | 'full'>
  /** False if there is no such entry. */
  remove(id: string, audit: AuditEntry): Promise<boolean>
  /** The photos of profiles, in the order of their users, after that user. */
  photosAfter(userId: string, limit: number): Promise<{ user_id: string; image_id: string }[]>
  /** Records the progress. Does nothing if another node is ahead. */
  noteProgress(progress: Omit<BankProgress, 'version'>): Promise<void>
}
