import { days } from '../../lib/time.ts'
import type { ReportReason } from '../safety/store.ts'
import type { Period } from './store.ts'

export const dayOf = (time: number): number => Math.floor(time / days) * days

/** The days of a period, each by its first millisecond. */
export function daysOf({ from, to }: Period): number[] {
  const found: number[] = []
  for (let day = dayOf(from); day < to; day += days) found.push(day)
  return found
}

/** The index of a quantile among `count` sorted values, by the nearest rank; null if there are none. */
export const rankOf = (count: number, fraction: number): number | null =>
  count === 0 ? null : Math.max(0, Math.ceil(count * fraction) - 1)

/** A category of the DSA's templates for transparency reports, for a reason of a report. */
export const dsaCategories: Record<ReportReason, string> = {
  spam: 'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
  harassment: 'STATEMENT_CATEGORY_CYBER_VIOLENCE',
  nudity: 'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
  hate: 'STATEMENT_CATEGORY_ILLEGAL_OR_HARMFUL_SPEECH',
  scam: 'STATEMENT_CATEGORY_SCAMS_AND_FRAUD',
  underage: 'STATEMENT_CATEGORY_PROTECTION_OF_MINORS',
  impersonation: 'STATEMENT_CATEGORY_SCAMS_AND_FRAUD',
  danger: 'STATEMENT_CATEGORY_VIOLENCE',
  other: 'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
}
