import type { AuditEntry } from '../audit/store.ts'

/** An invite as admins see it. Its code is not stored, only the hash. */
export type Invite = {
  id: string
  /** How many accounts may be created with it, and how many have been. */
  uses: number
  used: number
  /** Null if it has no end. */
  expires_at: number | null
  note: string | null
  created_at: number
}

/** Hashes of the addresses from which somebody too young has tried to register. */
export type AgeStore = {
  /** Replaces an older note of that address. */
  note(origin: string, at: number): Promise<void>
  /** Whether that address was noted since that time. */
  isRefused(origin: string, since: number): Promise<boolean>
}

export type InviteStore = {
  add(invite: Invite, codeHash: string, audit: AuditEntry): Promise<void>
  /** Null if there is none with that code. */
  byCode(codeHash: string): Promise<Invite | null>
  /** Newest first. */
  list(limit: number, after: { at: number; id: string } | null): Promise<Invite[]>
  /** False if there is no such invite. */
  remove(id: string, audit: AuditEntry): Promise<boolean>
}
