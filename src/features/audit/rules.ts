import { hours, iso } from '../../lib/time.ts'
import type { AuditEntry } from './store.ts'

/** Repetitions of an action within this time of the first one share its entry. */
export const foldedWithin = hours

/** The metadata of an entry after a repetition: the latest values, all fields named so far, the count and the last time. */
export function foldedMetadata(before: AuditEntry['metadata'], { at, metadata }: Pick<AuditEntry, 'at' | 'metadata'>) {
  const times = typeof before.times === 'number' ? before.times : 1
  const fields = [before.fields, metadata.fields].flatMap((list) => (Array.isArray(list) ? list : []))
  return {
    ...before,
    ...metadata,
    ...(fields.length > 0 && { fields: [...new Set(fields)] }),
    times: times + 1,
    last_at: iso(at),
  }
}
