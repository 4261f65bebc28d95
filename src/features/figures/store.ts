import type { NoticeAction } from '../moderation/store.ts'
import type { ReportAction, ReportKind, ReportReason, ReportTarget } from '../safety/store.ts'

export const figureNames = ['registered', 'active', 'messages', 'chats', 'reports', 'decided', 'blocks'] as const
export type Figures = Record<(typeof figureNames)[number], number>

/** A day in UTC, by its first millisecond. */
export type DayOf = Figures & { day: number; counted_at: number }

/** From the first time, and before the second one. */
export type Period = { from: number; to: number }

/** How many, by one or two things that they have. */
export type NoticeCount = { reason: ReportReason; target: ReportTarget; count: number }
export type DecisionCount = NoticeCount & {
  action: ReportAction
  /** Who reported it: a person, or a rule. */
  by: 'person' | 'rule'
}

export type Transparency = {
  /** By people: what rules report is no notice. */
  notices: NoticeCount[]
  decisions: DecisionCount[]
  /** Measures that no report led to. */
  own: { action: NoticeAction; count: number }[]
  /**
   * Measures that no person decided: people hidden by reports, photos taken down as they are banned, and messages held by
   * rules. Overturned are those whose appeal was upheld, or whose report was dismissed or released.
   */
  automated: { total: number; overturned: number }
  appeals: { status: 'open' | 'upheld' | 'rejected'; count: number }[]
}

export type FiguresStore = {
  /** What is kept of these days, oldest first. */
  kept(period: Period): Promise<DayOf[]>
  /** Counts a period as things are now; `active` are those whose session was used last since its beginning. */
  count(period: Period): Promise<Figures>
  /** Keeps a day. What it keeps of `active` is never less than before. */
  keep(day: DayOf): Promise<void>
  /**
   * Milliseconds from report to decision, of decisions of the period, about all reports or those by people alone: those at these
   * fractions. Null if there are none.
   */
  timesToAction(period: Period, fractions: readonly number[], of: 'all' | 'people'): Promise<(number | null)[]>
  /** Open reports that do not concern the reader; of those the ones whose time is over, and the ones of held messages. */
  open(reader: string, now: number): Promise<{ open: number; overdue: number; held: number }>
  /** Reports that were filed in the period. */
  reportsByKind(period: Period): Promise<Partial<Record<ReportKind, number>>>
  transparency(period: Period): Promise<Transparency>
}
