import type { ReportTarget } from '../safety/store.ts'

/**
 * Which fields of a report outlive its evidence. What was said by or about an erased account goes. A report of a review
 * keeps none of them: only the evidence may say who wrote the review, and without it these fields could no longer follow
 * the author's erasure.
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
