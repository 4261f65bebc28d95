export type AuditEntry = {
  id: string
  at: number
  actor_id: string | null
  action: string
  subject_id: string | null
  metadata: Record<string, unknown>
}

export type AuditFilter = {
  actor_id?: string
  subject_id?: string
  action?: string
  from?: number
  to?: number
  /** Leaves out who blocked this moderator, and all of reports about them or a review of them. */
  reader?: string
}

export type AuditStore = {
  record(entry: AuditEntry): Promise<void>
  /** Newest first. `after` is the last entry of the page before. */
  list(filter: AuditFilter, limit: number, after: { at: number; id: string } | null): Promise<AuditEntry[]>
}
