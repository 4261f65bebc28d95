import type { Ids } from '../../ids.ts'
import type { AuditEntry, AuditStore } from './store.ts'

export type Audit = ReturnType<typeof auditService>

/** Records who did what to whom. Never give it a secret or a position: what stands here is kept and shown to moderators. */
export function auditService({ store, ids, now }: { store: AuditStore; ids: Ids; now: () => number }) {
  /** An entry for who writes it together with what it tells of. `metadata` is stored as given. */
  const entry = (
    action: string,
    actorId: string | null,
    subjectId: string | null = null,
    metadata: Record<string, unknown> = {},
  ): AuditEntry => ({ id: ids.next(), at: now(), actor_id: actorId, action, subject_id: subjectId, metadata })

  return { entry, record: (...told: Parameters<typeof entry>) => store.record(entry(...told)) }
}
