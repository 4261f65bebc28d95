import type { After } from '../safety/store.ts'
import type { AuditEntry } from '../audit/store.ts'

/** A message from admins to everybody. `until` is null if it is active until it is deleted. */
export type Announcement = { id: string; text: string; until: number | null; created_at: number }

export type AnnouncementStore = {
  /** Newest first, including expired ones. */
  list(limit: number, after: After): Promise<Announcement[]>
  /** The active ones, newest first. */
  active(now: number, limit: number): Promise<Announcement[]>
  /** `full` if so many are active already. */
  add(announcement: Announcement, most: number, audit: AuditEntry): Promise<'added' | 'full'>
  /** False if there is no such announcement. */
  remove(id: string, audit: AuditEntry): Promise<boolean>
}
