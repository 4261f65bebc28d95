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

/** Records who did what to whom. Never give it a secret or a position: what stands here is kept and shown to moderators. */
export function auditService({ store, ids, now, failed }: Deps) {
  /** An entry for who writes it together with what it tells of. `metadata` is stored as given. */
  const entry = (
    action: string,
    actorId: string | null,
    subjectId: string | null = null,
    metadata: Record<string, unknown> = {},
  ): AuditEntry => ({ id: ids.next(), at: now(), actor_id: actorId, action, subject_id: subjectId, metadata })

  /** A failed audit entry must not fail an action that has been done. */
  const tried = (written: Promise<void>, told: AuditEntry) => written.catch((error) => failed(error, told))

  return {
    entry,

    /** For what may only happen once it stands there. Throws if it cannot be written. */
    record: (...told: Parameters<typeof entry>) => store.record(entry(...told)),

    /** For what is done and stored. */
    async note(...told: Parameters<typeof entry>) {
      const noted = entry(...told)
      await tried(store.record(noted), noted)
    },

    /**
     * The same for what one may do without end: repetitions within an hour share one entry, which counts them and shows the
     * last one.
     */
    async fold(...told: Parameters<typeof entry>) {
      const noted = entry(...told)
      await tried(
        store.fold(noted, noted.at - foldedWithin, (before) => foldedMetadata(before, noted)),
        noted,
      )
    },
  }
}
