import { csv } from '../../lib/csv.ts'
import { invalid } from '../../lib/refusal.ts'
import { days, iso, seconds } from '../../lib/time.ts'
import type { Moderator } from '../moderation/moderators.ts'
import { dayOf, daysOf, dsaCategories } from './rules.ts'
import {
  type DayOf,
  type DecisionCount,
  figureNames,
  type FiguresStore,
  type Period,
  type Transparency,
} from './store.ts'
import { recordOf } from '../../lib/record.ts'

export type Figuring = ReturnType<typeof figuresService>

export type PeriodQuery = { from?: string; to?: string }

type Deps = {
  store: FiguresStore
  /** Within what time reports are to be decided. */
  targetMs: number
  now: () => number
}

const mostDays = 92
const usualDays = 30
const longestReport = 366 * days
// Days that a run of the job counts besides today, after an upgrade or a long stop.
const daysAtOnce = 10

/** Numbers of the service, which name nobody. */
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
     * Numbers of each day in UTC, and of the queue as this moderator sees it now: nobody learns here that somebody has
     * reported them. Days that are over are counted once and kept.
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
        ['1_identification', 'period_from', null, null, null, null, iso(period.from)],
        ['1_identification', 'period_to', null, null, null, null, iso(period.to)],
        ...rowsOf(found),
        ['4_notices', 'median_time_to_action_s', null, null, null, null, times.p50_s],
        ['4_notices', 'p95_time_to_action_s', null, null, null, null, times.p95_s],
      ])
    },

    /** Keeps the numbers of days that are over, and how many have been active today so far. */
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

function rowsOf({ notices, decisions, own, automated, appeals }: Transparency) {
  const onNotices = decisions.filter(({ by }) => by === 'person')
  const measures = decisions.filter(isMeasure)
  const byPeople = [...measures, ...own].reduce((total, { count }) => total + count, 0)
  return [
    ...notices.map(
      ({ reason, target, count }) =>
        ['4_notices', 'notices_received', dsaCategories[reason], reason, target, null, count] as const,
    ),
    ...onNotices.map(
      ({ reason, target, action, count }) =>
        ['4_notices', 'notices_decided', dsaCategories[reason], reason, target, action, count] as const,
    ),
    ...onNotices
      .filter(isMeasure)
      .map(
        ({ reason, target, action, count }) =>
          ['4_notices', 'actions_taken', dsaCategories[reason], reason, target, action, count] as const,
      ),
    ...decisions
      .filter(({ by }) => by === 'rule')
      .map(
        ({ reason, target, action, count }) =>
          [
            '6_own_initiative_TC',
            'detections_by_rules_decided',
            dsaCategories[reason],
            reason,
            target,
            action,
            count,
          ] as const,
      ),
    ...measures
      .filter(({ by }) => by === 'rule')
      .map(
        ({ reason, target, action, count }) =>
          [
            '6_own_initiative_TC',
            'measures_after_detection_by_rules',
            dsaCategories[reason],
            reason,
            target,
            action,
            count,
          ] as const,
      ),
    ...own.map(
      ({ action, count }) =>
        [
          '6_own_initiative_TC',
          'measures',
          'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
          null,
          null,
          action,
          count,
        ] as const,
    ),
    ...appeals.map(
      ({ status, count }) =>
        ['7_appeals_and_recidivism', `complaints_${status}`, null, null, null, null, count] as const,
    ),
    ['8_automated_means', 'measures_solely_automated', null, null, null, null, automated.total] as const,
    [
      '8_automated_means',
      'measures_solely_automated_overturned',
      null,
      null,
      null,
      null,
      automated.overturned,
    ] as const,
    ['8_automated_means', 'measures_not_automated', null, null, null, null, byPeople] as const,
  ]
}
