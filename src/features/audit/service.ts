import type { Ids } from '../../ids.ts'
import type { AuditStore } from './store.ts'

export type Audit = ReturnType<typeof auditService>

/** Records who did what to whom. Never give it a secret or a position: what stands here is kept and shown to moderators. */
export function auditService({ store, ids, now }: { store: AuditStore; ids: Ids; now: () => number }) {
  return {
    /** `metadata` is stored as given. */
    record(
      action: string,
      actorId: string | null,
      subjectId: string | null = null,
      metadata: Record<string, unknown> = {},
    ) {
      return store.record({ id: ids.next(), at: now(), actor_id: actorId, action, subject_id: subjectId, metadata })
    },
  }
}
