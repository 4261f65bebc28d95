export type AuditEntry = {
  id: string
  at: number
  actor_id: string | null
  action: string
  subject_id: string | null
  metadata: Record<string, unknown>
}

export type AuditFilter = {
  /** Null for what no account has done. */
  actor_id?: string | null
  subject_id?: string
  action?: string
  from?: number
  to?: number
  /** Leaves out who blocked this moderator, and all of reports about them or a review of them. */
  reader?: string
}

export type AuditStore = {
  record(entry: AuditEntry): Promise<void>
  /**
   * Replaces the metadata of the newest entry of the same actor, action and subject that is not older than `since`, with what
   * `merge` makes of it, which is pure; records the entry where there is none.
   */
  fold(
    entry: AuditEntry,
    since: number,
    merge: (before: AuditEntry['metadata']) => AuditEntry['metadata'],
  ): Promise<void>
  /** Newest first. `after` is the last entry of the page before. */
  list(filter: AuditFilter, limit: number, after: { at: number; id: string } | null): Promise<AuditEntry[]>
}
