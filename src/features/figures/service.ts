import { csv } from '../../lib/csv.ts'
import { invalid } from '../../lib/refusal.ts'
import { days, iso, seconds } from '../../lib/time.ts'
import type { Moderator } from '../moderation/moderators.ts'
import type { ReportReason } from '../safety/store.ts'
import { dayOf, daysOf, dsaCategories } from './rules.ts'
import {
  type DayOf,
  type DecisionCount,
  figureNames,
  type FiguresStore,
  type NoticeCount,
  type Period,
  type Transparency,
} from './store.ts'
import { recordOf } from '../../lib/record.ts'

export type Figuring = ReturnType<typeof figuresService>

type PeriodQuery = { from?: string; to?: string }

type Deps = {
  store: FiguresStore
  /** The target for deciding a report. */
  targetMs: number
  now: () => number
}

const mostDays = 92
const usualDays = 30
const longestReport = 366 * days
// The most past days that one run of the job counts, after an upgrade or a long stop.
const daysAtOnce = 10

/** Figures about the community, which name nobody. */
export function figuresService({ store, targetMs, now }: Deps) {
  function periodOf({ from, to }: PeriodQuery, usual: number, longest: number): Period {
    const end = to === undefined ? now() + 1 : Date.parse(to)
    const start = from === undefined ? end - usual : Date.parse(from)
    if (start >= end) throw invalid('/from', 'Expected a time before the end of the period', 'out_of_range')
    if (end - start > longest)
      throw invalid('/from', `Expected a period of ${Math.floor(longest / days)} days at most`, 'out_of_range')
    return { from: start, to: end }
  }

  const countDay = async (day: number): Promise<DayOf> => ({
    day,
    ...(await store.count({ from: day, to: day + days })),
    counted_at: now(),
  })

  const isOver = ({ day, counted_at }: DayOf) => counted_at >= day + days

  async function timesOf(period: Period, of: 'all' | 'people') {
    const [p50, p95] = await store.timesToAction(period, [0.5, 0.95], of)
    const inSeconds = (ms: number | null | undefined) => (ms == null ? null : Math.round(ms / seconds))
    return { p50_s: inSeconds(p50), p95_s: inSeconds(p95) }
  }

  async function transparency(query: PeriodQuery) {
    const period = periodOf(query, 365 * days, longestReport)
    const found = await store.transparency(period)
    return { period, found, times: await timesOf(period, 'people') }
  }

  return {
    /**
     * Figures of each day in UTC, and of the queue as this moderator sees it now, without reports about themselves. Past days
     * are counted once and kept.
     */
    async stats(moderator: Moderator, query: PeriodQuery) {
      const period = periodOf(query, usualDays * days, mostDays * days)
      const kept = new Map((await store.kept({ from: dayOf(period.from), to: period.to })).map((row) => [row.day, row]))
      const shown = []
      for (const day of daysOf(period)) {
        const known = kept.get(day)
        const row = known && isOver(known) ? known : await countDay(day)
        const active = Math.max(row.active, known?.active ?? 0)
        const figures = recordOf(figureNames, (name) => row[name])
        shown.push({ date: iso(day).slice(0, 10), ...figures, active })
      }
      const { open, overdue, held } = await store.open(moderator.id, now())
      return {
        days: shown,
        reports_by_kind: await store.reportsByKind(period),
        time_to_action: await timesOf(period, 'all'),
        target_s: targetMs / seconds,
        ...{ open, overdue, held },
      }
    },

    /** What was reported, decided and appealed in a period. It names nobody. */
    async transparency(query: PeriodQuery) {
      const { period, found, times } = await transparency(query)
      const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0)
      const by = <Row extends { count: number }>(rows: readonly Row[], key: (row: Row) => string) => {
        const counts: Record<string, number> = {}
        for (const row of rows) counts[key(row)] = (counts[key(row)] ?? 0) + row.count
        return counts
      }
      const measures = found.decisions.filter(isMeasure)
      const ofAppeals = by(found.appeals, ({ status }) => status)
      return {
        from: iso(period.from),
        to: iso(period.to),
        notices: {
          total: sum(found.notices),
          by_reason: by(found.notices, ({ reason }) => reason),
          by_kind: by(found.notices, ({ target }) => target),
        },
        decisions: {
          total: sum(found.decisions),
          by_action: by(found.decisions, ({ action }) => action),
          by_ground: by(measures, ({ reason }) => reason),
          by_kind: by(found.decisions, ({ target }) => target),
          own_initiative: by(found.own, ({ action }) => action),
        },
        automated: found.automated,
        time_to_action: times,
        appeals: {
          total: sum(found.appeals),
          open: ofAppeals.open ?? 0,
          upheld: ofAppeals.upheld ?? 0,
          rejected: ofAppeals.rejected ?? 0,
        },
      }
    },

    /** The same figures in the rows and categories of the DSA's templates. */
    async transparencyCsv(query: PeriodQuery): Promise<string> {
      const { period, found, times } = await transparency(query)
      const head = ['section', 'indicator', 'category', 'reason', 'kind', 'action', 'value']
      return csv([
        head,
        row('1_identification', 'period_from', iso(period.from)),
        row('1_identification', 'period_to', iso(period.to)),
        ...rowsOf(found),
        row('4_notices', 'median_time_to_action_s', times.p50_s),
        row('4_notices', 'p95_time_to_action_s', times.p95_s),
      ])
    },

    /** Stores the figures of past days, and how many users have been active today so far. Returns how many past days. */
    async keepDays(): Promise<number> {
      const today = dayOf(now())
      const period = { from: today - mostDays * days, to: today + 1 }
      const kept = new Map((await store.kept(period)).map((row) => [row.day, row]))
      const missing = daysOf({ ...period, to: today }).filter((day) => {
        const row = kept.get(day)
        return row === undefined || !isOver(row)
      })
      const counted = [today, ...missing.toReversed().slice(0, daysAtOnce)]
      for (const day of counted) await store.keep(await countDay(day))
      return counted.length - 1
    },
  }
}

const isMeasure = ({ action }: Pick<DecisionCount, 'action'>) => action !== 'dismiss' && action !== 'release'

type Row = (string | number | null)[]

/** A row of the CSV file. Its category follows from the reason. */
function row(
  section: string,
  indicator: string,
  value: string | number | null,
  { reason, target, action }: { reason?: ReportReason; target?: string; action?: string } = {},
): Row {
  const category = reason === undefined ? null : dsaCategories[reason]
  return [section, indicator, category, reason ?? null, target ?? null, action ?? null, value]
}

function rowsOf({ notices, decisions, own, automated, appeals }: Transparency): Row[] {
  const onNotices = decisions.filter(({ by }) => by === 'person')
  const onDetections = decisions.filter(({ by }) => by === 'rule')
  const byPeople = [...decisions.filter(isMeasure), ...own].reduce((total, { count }) => total + count, 0)
  const rows = (section: string, indicator: string, counts: readonly (NoticeCount & { action?: string })[]) =>
    counts.map((one) => row(section, indicator, one.count, one))
  return [
    ...rows('4_notices', 'notices_received', notices),
    ...rows('4_notices', 'notices_decided', onNotices),
    ...rows('4_notices', 'actions_taken', onNotices.filter(isMeasure)),
    ...rows('6_own_initiative_TC', 'detections_by_rules_decided', onDetections),
    ...rows('6_own_initiative_TC', 'measures_after_detection_by_rules', onDetections.filter(isMeasure)),
    ...own.map(({ action, count }) => [
      '6_own_initiative_TC',
      'measures',
      'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
      null,
      null,
      action,
      count,
    ]),
    ...appeals.map(({ status, count }) => row('7_appeals_and_recidivism', `complaints_${status}`, count)),
    row('8_automated_means', 'measures_solely_automated', automated.total),
    row('8_automated_means', 'measures_solely_automated_overturned', automated.overturned),
    row('8_automated_means', 'measures_not_automated', byPeople),
  ]
}
