import type { Ids } from '../../lib/ids.ts'
import { foldedMetadata, foldedWithin } from './rules.ts'
import type { AuditEntry, AuditStore } from './store.ts'

export type Audit = ReturnType<typeof auditService>

type Deps = {
  store: AuditStore
  ids: Ids
  now: () => number
  /** Called when an entry cannot be written. */
  failed(error: unknown, entry: AuditEntry): void
}

/** Records who did what to whom. Never give it a secret or a position: entries are kept and shown to moderators. */
export function auditService({ store, ids, now, failed }: Deps) {
  /** An entry to store in the same transaction as the action. `metadata` is stored as given. */
  const entry = (
    action: string,
    actorId: string | null,
    subjectId: string | null = null,
    metadata: Record<string, unknown> = {},
  ): AuditEntry => ({ id: ids.next(), at: now(), actor_id: actorId, action, subject_id: subjectId, metadata })

  /** A failed audit entry must not fail an action that has been done. */
  const reportFailure = (written: Promise<void>, noted: AuditEntry) => written.catch((error) => failed(error, noted))

  return {
    entry,

    /** For actions that must be recorded before they happen. Throws if the entry cannot be written. */
    record: (...args: Parameters<typeof entry>) => store.record(entry(...args)),

    /** For actions that are done and stored already. */
    async note(...args: Parameters<typeof entry>) {
      const noted = entry(...args)
      await reportFailure(store.record(noted), noted)
    },

    /**
     * The same for actions that can be repeated without end: repetitions within an hour share one entry, which counts them
     * and shows the last one.
     */
    async fold(...args: Parameters<typeof entry>) {
      const noted = entry(...args)
      await reportFailure(
        store.fold(noted, noted.at - foldedWithin, (before) => foldedMetadata(before, noted)),
        noted,
      )
    },
  }
}
