import { and, asc, gte, lt, type SQL, sql } from 'drizzle-orm'
import { rankOf } from '../../features/figures/rules.ts'
import type { Figures, FiguresStore, Period, Transparency } from '../../features/figures/store.ts'
import { changed, type Engine, query, rows } from './engine.ts'

// Numbers name nobody.
const options = { keepsProfileCache: true }

/** The least UUIDv7 of a time, but for its last digits. There is no index of messages by time: each message would pay for it. */
const idFrom = (time: number) => {
  const hex = Math.max(0, time).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

export function figuresStore(engine: Engine): FiguresStore {
  const { read, write } = engine
  const { dailyFigures } = engine.tables
  const within = (column: string, { from, to }: Period) =>
    sql`${sql.raw(column)} >= ${from} AND ${sql.raw(column)} < ${to}`
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
        const [found] = yield* query<Record<keyof Figures, number | string>>(sql`SELECT
          ${counted('users', within('created_at', period))} AS registered,
          (SELECT count(DISTINCT user_id) FROM sessions
            WHERE ended_at IS NULL AND ${within('last_used_at', period)}) AS active,
          ${counted('messages', sql`id >= ${idFrom(period.from)} AND id < ${idFrom(period.to)}`)} AS messages,
          ${counted('chats', within('created_at', period))} AS chats,
          ${counted('reports', within('created_at', period))} AS reports,
          ${counted('reports', within('resolved_at', period))} AS decided,
          ${counted('blocks', within('created_at', period))} AS blocks`)
        return Object.fromEntries(Object.entries(found!).map(([name, count]) => [name, Number(count)])) as Figures
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

    timesToAction: (period, fractions) =>
      read(function* () {
        const [all] = yield* query<{ count: number | string }>(
          sql`SELECT count(*) AS count FROM reports WHERE ${within('resolved_at', period)}`,
        )
        const found: (number | null)[] = []
        for (const fraction of fractions) {
          const rank = rankOf(Number(all!.count), fraction)
          const [time] =
            rank === null
              ? []
              : yield* query<{ ms: number | string }>(sql`SELECT resolved_at - created_at AS ms FROM reports
                  WHERE ${within('resolved_at', period)} ORDER BY 1 LIMIT 1 OFFSET ${rank}`)
          found.push(time === undefined ? null : Number(time.ms))
        }
        return found
      }),

    open: (now) =>
      read(function* () {
        const [found] = yield* query<{ open: number | string; overdue: number | string }>(sql`SELECT
          ${counted('reports', sql`status = 'open'`)} AS open,
          ${counted('reports', sql`status = 'open' AND coalesce(due_at, created_at + 86400000) < ${now}`)} AS overdue`)
        return { open: Number(found!.open), overdue: Number(found!.overdue) }
      }),

    transparency: (period) =>
      read(function* () {
        type Counted<Row> = (Omit<Row, 'count'> & { count: number | string })[]
        const numbers = <Row extends { count: number }>(found: Counted<Row>) =>
          found.map((row) => ({ ...row, count: Number(row.count) })) as unknown as Row[]
        const notices = yield* query<Transparency['notices'][number]>(sql`SELECT reason, target, count(*) AS count
          FROM reports WHERE ${within('created_at', period)} GROUP BY reason, target ORDER BY reason, target`)
        const decisions = yield* query<Transparency['decisions'][number]>(sql`SELECT reason, target, action,
            count(*) AS count
          FROM reports WHERE ${within('resolved_at', period)} GROUP BY reason, target, action
          ORDER BY reason, target, action`)
        const own = yield* query<Transparency['own'][number]>(sql`SELECT action, count(*) AS count FROM notices
          WHERE ${within('created_at', period)} AND report_id IS NULL AND action IN ('warn', 'remove_content', 'suspend')
          GROUP BY action ORDER BY action`)
        const appeals = yield* query<Transparency['appeals'][number]>(sql`SELECT status, count(*) AS count FROM appeals
          WHERE ${within('created_at', period)} GROUP BY status ORDER BY status`)
        return {
          notices: numbers(notices),
          decisions: numbers(decisions),
          own: numbers(own),
          appeals: numbers(appeals),
        }
      }),
  }
}
