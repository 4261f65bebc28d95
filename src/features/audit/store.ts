export type AuditEntry = {
  id: string
  at: number
  actor_id: string | null
  action: string
  subject_id: string | null
  metadata: Record<string, unknown>
}

export type AuditFilter = {
  /** Null for actions of no account, such as the operator's. */
  actor_id?: string | null
  subject_id?: string
  action?: string
  from?: number
  to?: number
  /** Leaves out entries that would tell this moderator who blocked, reported or reviewed them. */
  reader?: string
}

export type AuditStore = {
  record(entry: AuditEntry): Promise<void>
  /**
   * Replaces the metadata of the newest entry of the same actor, action and subject that is not older than `since` by the
   * result of `merge`, a pure function. Records the entry if there is none.
   */
  fold(
    entry: AuditEntry,
    since: number,
    merge: (before: AuditEntry['metadata']) => AuditEntry['metadata'],
  ): Promise<void>
  /** Newest first. `after` is the last entry of the page before. */
  list(filter: AuditFilter, limit: number, after: { at: number; id: string } | null): Promise<AuditEntry[]>
}
