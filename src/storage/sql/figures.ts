import { and, asc, gte, lt, type SQL, sql } from 'drizzle-orm'
import { rankOf } from '../../features/figures/rules.ts'
import {
  type Figures,
  type FiguresStore,
  figureNames,
  type Period,
  type Transparency,
} from '../../features/figures/store.ts'
import type { ReportKind } from '../../features/safety/store.ts'
import { isWithoutReport } from './notices.ts'
import { isAutomatedHold, isAutomatedNotice, isDecided, isOverturned, isReleased } from './automated.ts'
import { changed, type Engine, query, queryOne, rows } from './engine.ts'
import { recordOf } from '../../lib/record.ts'

// These writes change no profile.
const options = { keepsProfileCache: true }

/**
 * The smallest UUIDv7 of a time, without its last digits. It selects messages by time without an index, which every insert would
 * have to maintain.
 */
const idFrom = (time: number) => {
  const hex = Math.max(0, time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

export function figuresStore(engine: Engine): FiguresStore {
  const { read, write } = engine
  const { dailyFigures } = engine.tables
  const within = (column: string, { from, to }: Period) =>
    sql`${sql.raw(column)} >= ${from} AND ${sql.raw(column)} < ${to}`
  const decidedWithin = (period: Period) => sql`${within('resolved_at', period)} AND ${isDecided}`
  const counted = (table: string, condition: SQL) => sql`(SELECT count(*) FROM ${sql.raw(table)} WHERE ${condition})`

  return {
    kept: ({ from, to }) =>
      read((db) =>
        rows(
          db
            .select()
            .from(dailyFigures)
            .where(and(gte(dailyFigures.day, from), lt(dailyFigures.day, to)))
            .orderBy(asc(dailyFigures.day)),
        ),
      ),

    count: (period) =>
      read(function* () {
        const found = yield* queryOne<Record<keyof Figures, number | string>>(sql`SELECT
          ${counted('users', within('created_at', period))} AS registered,
          (SELECT count(DISTINCT user_id) FROM sessions
            WHERE ended_at IS NULL AND ${within('last_used_at', period)}) AS active,
          ${counted('messages', sql`id >= ${idFrom(period.from)} AND id < ${idFrom(period.to)}`)} AS messages,
          ${counted('chats', within('created_at', period))} AS chats,
          ${counted('reports', within('created_at', period))} AS reports,
          ${counted('reports', decidedWithin(period))} AS decided,
          ${counted('blocks', within('created_at', period))} AS blocks`)
        return recordOf(figureNames, (name) => Number(found[name]))
      }),

    keep: (row) =>
      write(
        (db) =>
          changed(
            db
              .insert(dailyFigures)
              .values(row)
              .onConflictDoUpdate({
                target: dailyFigures.day,
                set: {
                  ...row,
                  active: sql`CASE WHEN daily_figures.active > excluded.active THEN daily_figures.active ELSE excluded.active END`,
                },
              }),
          ),
        options,
      ).then(() => {}),

    timesToAction: (period, fractions, of) =>
      read(function* () {
        const decided = sql`${decidedWithin(period)} ${of === 'people' ? sql`AND kind IS NULL` : sql``}`
        const all = yield* queryOne<{ count: number | string }>(
          sql`SELECT count(*) AS count FROM reports WHERE ${decided}`,
        )
        const found: (number | null)[] = []
        for (const fraction of fractions) {
          const rank = rankOf(Number(all.count), fraction)
          const [time] =
            rank === null
              ? []
              : yield* query<{ ms: number | string }>(sql`SELECT resolved_at - created_at AS ms FROM reports
                  WHERE ${decided} ORDER BY 1 LIMIT 1 OFFSET ${rank}`)
          found.push(time === undefined ? null : Number(time.ms))
        }
        return found
      }),

    open: (reader, now) =>
      read(function* () {
        const isOpen = sql`status = 'open' AND subject_id IS DISTINCT FROM ${reader} AND reviewed_id IS DISTINCT FROM ${reader}`
        const found = yield* queryOne<Record<'open' | 'overdue' | 'held', number | string>>(sql`SELECT
          ${counted('reports', isOpen)} AS open,
          ${counted('reports', sql`${isOpen} AND coalesce(due_at, created_at + 86400000) < ${now}`)} AS overdue,
          ${counted('reports', sql`${isOpen} AND kind = 'held'`)} AS held`)
        return { open: Number(found.open), overdue: Number(found.overdue), held: Number(found.held) }
      }),

    reportsByKind: (period) =>
      read(function* () {
        const found = yield* query<{ of: ReportKind; count: number | string }>(sql`SELECT
          coalesce(kind, target) AS "of", count(*) AS count
          FROM reports WHERE ${within('created_at', period)} GROUP BY coalesce(kind, target)`)
        return Object.fromEntries(found.map(({ of, count }) => [of, Number(count)]))
      }),

    transparency: (period) =>
      read(function* () {
        type Counted<Of extends 'notices' | 'decisions' | 'own' | 'appeals'> = Omit<
          Transparency[Of][number],
          'count'
        > & {
          count: number | string
        }
        const numbers = <Row extends { count: number | string }>(found: Row[]) =>
          found.map((row) => ({ ...row, count: Number(row.count) }))
        const notices = yield* query<Counted<'notices'>>(sql`SELECT reason, target, count(*) AS count
          FROM reports WHERE ${within('created_at', period)} AND kind IS NULL
          GROUP BY reason, target ORDER BY reason, target`)
        const decisions = yield* query<Counted<'decisions'>>(sql`SELECT reason, target, action,
            reported_by AS "by", count(*) AS count
          FROM (
            -- The SQL form of actionOf.
            SELECT reason, target, CASE WHEN kind IS NULL THEN 'person' ELSE 'rule' END AS reported_by,
              CASE WHEN kind = 'held' AND action = 'dismiss' THEN 'release' ELSE action END AS action
            FROM reports WHERE ${decidedWithin(period)}
          ) AS decided GROUP BY reason, target, action, reported_by ORDER BY reason, target, action, reported_by`)
        const own = yield* query<Counted<'own'>>(sql`SELECT action, count(*) AS count FROM notices
          WHERE ${within('created_at', period)} AND ${isWithoutReport(engine)}
          GROUP BY action ORDER BY action`)
        const appeals = yield* query<Counted<'appeals'>>(sql`SELECT status, count(*) AS count FROM appeals
          WHERE ${within('created_at', period)} GROUP BY status ORDER BY status`)
        const automated = yield* queryOne<Record<'total' | 'overturned', number | string>>(sql`SELECT
            count(*) AS total, coalesce(sum(overturned), 0) AS overturned
          FROM (
            SELECT CASE WHEN ${isOverturned} THEN 1 ELSE 0 END AS overturned
            FROM notices LEFT JOIN appeals ON appeals.notice_id = notices.id
              LEFT JOIN reports ON reports.id = notices.report_id
            WHERE ${within('notices.created_at', period)} AND ${isAutomatedNotice}
            UNION ALL
            SELECT CASE WHEN ${isReleased} THEN 1 ELSE 0 END FROM reports
            WHERE ${within('created_at', period)} AND ${isAutomatedHold}
          ) AS automated`)
        return {
          automated: { total: Number(automated.total), overturned: Number(automated.overturned) },
          notices: numbers(notices),
          decisions: numbers(decisions),
          own: numbers(own),
          appeals: numbers(appeals),
        }
      }),
  }
}
