import type { Ids } from '../../ids.ts'
import type { AuditEntry, AuditStore } from './store.ts'

export type Audit = ReturnType<typeof auditService>

type Deps = {
  store: AuditStore
  ids: Ids
  now: () => number
  /** Told of an entry that could not be written. */
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

  return {
    entry,

    /** For what may only happen once it stands there. Throws where it cannot be written. */
    record: (...told: Parameters<typeof entry>) => store.record(entry(...told)),

    /** For what is done and stored: whoever did it is not told that it was not, because this could not be written. */
    async note(...told: Parameters<typeof entry>) {
      const noted = entry(...told)
      await store.record(noted).catch((error) => failed(error, noted))
    },
  }
}
