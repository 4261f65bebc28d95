import { hours } from '../../lib/time.ts'
import type { ReportTarget } from '../safety/store.ts'

/** An account that is opened this soon before or after a report may have been opened because of it, in milliseconds. */
export const openedWithin = hours

/**
 * Which fields of a report outlive its evidence. Texts by or about an erased account are removed. A report about a review keeps
 * none of the fields: only the evidence may name the review's author, and without it these fields could not be removed when the
 * author is erased.
 */
export function fieldsKeptWithoutEvidence({
  target,
  isReporterLiving,
  isSubjectErased,
}: {
  target: ReportTarget
  isReporterLiving: boolean
  isSubjectErased: boolean
}): { subject_id: boolean; details: boolean; note: boolean } {
  if (target === 'review') return { subject_id: false, details: false, note: false }
  return { subject_id: true, details: isReporterLiving && !isSubjectErased, note: !isSubjectErased }
}
