import type { NoticeAction } from '../moderation/store.ts'
import type { ReportAction, ReportKind, ReportReason, ReportTarget } from '../safety/store.ts'

export const figureNames = ['registered', 'active', 'messages', 'chats', 'reports', 'decided', 'blocks'] as const
export type Figures = Record<(typeof figureNames)[number], number>

/** A day in UTC, by its first millisecond. */
export type DayOf = Figures & { day: number; counted_at: number }

/** From `from` to before `to`. */
export type Period = { from: number; to: number }

export type NoticeCount = { reason: ReportReason; target: ReportTarget; count: number }
export type DecisionCount = NoticeCount & {
  action: ReportAction
  /** Who reported it: a person, or a rule. */
  by: 'person' | 'rule'
}

export type Transparency = {
  /** Reports by people; those by rules are not notices. */
  notices: NoticeCount[]
  /** By people: the image check releases messages that were held for it. */
  decisions: DecisionCount[]
  /** Measures without a report. */
  own: { action: NoticeAction; count: number }[]
  /**
   * Measures that no person decided: people hidden by reports, banned photos that were taken down, and messages held by
   * rules, except until their image was checked. Overturned are those whose appeal was upheld, or whose report a person
   * dismissed or released.
   */
  automated: { total: number; overturned: number }
  appeals: { status: 'open' | 'upheld' | 'rejected'; count: number }[]
}

export type FiguresStore = {
  /** The stored figures of these days, oldest first. */
  kept(period: Period): Promise<DayOf[]>
  /** Counts a period from the present data. `active` counts users whose session was last used after its beginning. */
  count(period: Period): Promise<Figures>
  /** Stores a day. Its stored `active` never decreases. */
  keep(day: DayOf): Promise<void>
  /**
   * Quantiles of the milliseconds from report to decision, for the decisions of the period about all reports or only those by
   * people. Null if there are none.
   */
  timesToAction(period: Period, fractions: readonly number[], of: 'all' | 'people'): Promise<(number | null)[]>
  /** Counts open reports that do not concern the reader; of those, the overdue ones and those of held messages. */
  open(reader: string, now: number): Promise<{ open: number; overdue: number; held: number }>
  /** Reports that were filed in the period. */
  reportsByKind(period: Period): Promise<Partial<Record<ReportKind, number>>>
  transparency(period: Period): Promise<Transparency>
}
