import type { AuditEntry } from '../audit/store.ts'
import type { After } from '../safety/store.ts'

/** A hash that is banned. The image itself is not kept. */
export type BankEntry = {
  id: string
  /** 64 hexadecimal digits. */
  hash: string
  /** In how many bits a hash may differ; null for what the rule says that asks. */
  distance: number | null
  reason: string
  /** The report whose decision has banned it; null for one by an admin. */
  report_id: string | null
  /** Null for the command line. */
  added_by: string | null
  created_at: number
}

/** How far the photos of profiles have been compared with the bank. */
export type BankProgress = {
  /** The newest change of the bank. */
  version: number
  /** Compared with what changes up to this one have added. */
  checked_to: number
  /** Being compared with what changes up to this one have added, and done with up to this user. */
  checking_to: number | null
  checked_id: string | null
}

export type BankHash = Pick<BankEntry, 'id' | 'hash' | 'distance'>

export type ImageBankStore = {
  progress(): Promise<BankProgress>
  /** What changes after one up to another one have added. */
  hashes(after: number, upTo: number): Promise<BankHash[]>
  /** Newest first. */
  list(limit: number, after: After): Promise<BankEntry[]>
  /** A page of all, in the order of their ids. */
  after(id: string, limit: number): Promise<BankEntry[]>
  /**
   * Adds hashes, or none of them where there would be more than `most`. Replaces those of admins that are the same, and no
   * other.
   */
  add(entries: readonly BankEntry[], most: number, audit: AuditEntry): Promise<'added' | 'full'>
  /** False if there is none. */
  remove(id: string, audit: AuditEntry): Promise<boolean>
  /** Photos that profiles show, in the order of their users, after one. */
  photosAfter(userId: string, limit: number): Promise<{ user_id: string; image_id: string }[]>
  /** Notes how far that is; nothing if another node has come farther. */
  noteProgress(progress: Omit<BankProgress, 'version'>): Promise<void>
}
