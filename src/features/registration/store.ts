import type { AuditEntry } from '../audit/store.ts'

/** An invite as admins see it. Its code is not stored, only the hash. */
export type Invite = {
  id: string
  /** How many accounts may be made with it, and how many were. */
  uses: number
  used: number
  /** Null where it has no end. */
  expires_at: number | null
  note: string | null
  created_at: number
}

export type InviteStore = {
  add(invite: Invite, codeHash: string, audit: AuditEntry): Promise<void>
  /** Null where there is none with that code. */
  byCode(codeHash: string): Promise<Invite | null>
  /** Newest first. */
  list(limit: number, after: { at: number; id: string } | null): Promise<Invite[]>
  /** False where there is no such invite. */
  remove(id: string, audit: AuditEntry): Promise<boolean>
}
