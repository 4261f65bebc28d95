import { and, asc, desc, eq, gt, gte, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Range } from '../../features/people/rules.ts'
import {
  type PeopleFilter,
  type PeopleStore,
  personCounts,
  type PersonInList,
  type PersonRecord,
  type PlaceInList,
} from '../../features/people/store.ts'
import { recordOf } from '../../lib/record.ts'
import { recordAudit } from './audit.ts'
import { type Builders, type Engine, first, queryOne, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { isAboutForgottenReview, noticesOf } from './notices.ts'
import { endSessions } from './sessions.ts'

const mostCounted = 1000
const mostMessages = 10_000
const mostDecisions = 50

type Found = PersonInList & { place: PlaceInList }

export function peopleStore(engine: Engine): PeopleStore {
  const { read, write, byBytes } = engine
  const { notices, preferences, users } = engine.tables
  const { id, name, email, phone, role, suspended_until, created_at } = users
  const columns = { id, name, email, phone, role, suspended_until, created_at }
  const isLiving = isNull(users.deleted_at)
  // The expressions of the indexes.
  const keys: Record<Range['by'], SQL> = {
    id: sql`${id}`,
    email: sql`${email}`,
    phone: sql`${phone}`,
    name: sql`lower(${byBytes(name)})`,
  }
  const isIn = ({ by, from, to }: Range) => and(gte(keys[by], from), lt(keys[by], to))
  /** Unlike `not(isIn)`, true for people without such a key. */
  const isNotIn = (range: Range) => sql`coalesce(${isIn(range)}, false) = false`

  function filtered({ standing, role: wanted, now }: PeopleFilter): SQL | undefined {
    return and(
      isLiving,
      standing === 'suspended' ? gt(suspended_until, now) : undefined,
      standing === 'active' ? or(isNull(suspended_until), sql`${suspended_until} <= ${now}`) : undefined,
      wanted === undefined ? undefined : eq(role, wanted),
      // The condition of the partial index.
      wanted === undefined || wanted === 'user' ? undefined : sql`${role} <> 'user'`,
    )
  }

  /** The same as `isIn`, written so that no index is used: these few people are read in the order of their ids. */
  const isAmongFew = ({ by, from, to }: Range) =>
    and(sql`(${keys[by]} || '') >= ${from}`, sql`(${keys[by]} || '') < ${to}`)

  /** Newest first: by id, because ids are ordered by time. */
  function* newestFirst(db: Builders, filter: PeopleFilter, limit: number, after: PlaceInList | null): Work<Found[]> {
    const anywhere = filter.ranges.length === 0 ? undefined : or(...filter.ranges.map(isAmongFew))
    const isNext = after === null ? undefined : lt(id, after.id)
    const found = yield* rows(
      db
        .select(columns)
        .from(users)
        .where(and(filtered(filter), anywhere, isNext))
        .orderBy(desc(id))
        .limit(limit),
    )
    return found.map((person) => ({ ...person, place: { range: 0, key: '', id: person.id } }))
  }

  /** Each range in the order of its index, from a place on. */
  function* rangeByRange(db: Builders, filter: PeopleFilter, limit: number, after: PlaceInList | null): Work<Found[]> {
    const found: Found[] = []
    for (const [i, range] of filter.ranges.entries()) {
      if (found.length >= limit) break
      if (after !== null && i < after.range) continue
      const key = keys[range.by]
      const { from, last } =
        after !== null && i === after.range ? { from: after.key, last: after.id } : { from: range.from, last: null }
      const people = yield* rows(
        db
          .select({ ...columns, key: sql<string>`${key}`.as('key') })
          .from(users)
          .where(
            and(
              gte(key, from),
              lt(key, range.to),
              last === null ? undefined : or(gt(key, from), gt(id, last)),
              filtered(filter),
              ...filter.ranges.slice(0, i).map(isNotIn),
            ),
          )
          .orderBy(asc(key), asc(id))
          .limit(limit - found.length),
      )
      for (const { key, ...person } of people) found.push({ ...person, place: { range: i, key, id: person.id } })
    }
    return found
  }

  return {
    search: (filter, limit, after) =>
      read((db) => {
        const isFew = filter.standing === 'suspended' || (filter.role !== undefined && filter.role !== 'user')
        const list = isFew || filter.ranges.length === 0 ? newestFirst : rangeByRange
        return list(db, filter, limit, after)
      }),

    record: (userId, reader, strikesSince) =>
      read(function* (db) {
        const { email_verified_at, suspended_reason, suspension_id, hidden } = users
        const person = yield* first(
          db
            .select({
              ...columns,
              email_verified_at,
              suspended_reason,
              suspension_id,
              hidden,
              language: sql<string>`coalesce(${preferences.language}, 'en')`,
            })
            .from(users)
            .leftJoin(preferences, eq(preferences.user_id, id))
            .where(and(eq(id, userId), isLiving)),
        )
        if (person === null) return null
        const isHidden = reader === null ? sql`false` : isAboutReviewOf(engine, reader)
        const ofUser = and(eq(notices.user_id, userId), sql`coalesce(${isHidden}, false) = false`)
        const decisions = yield* rows(
          noticesOf(engine, db).where(ofUser).orderBy(desc(notices.created_at), desc(notices.id)).limit(mostDecisions),
        )
        const suspension = eq(notices.id, person.suspension_id ?? '')
        const isReasonHidden = (yield* first(noticesOf(engine, db).where(and(suspension, isHidden)))) !== null
        const strikes = yield* strikesOf(userId, strikesSince, reader)
        const { suspension_id: _, ...shown } = person
        return {
          ...shown,
          ...(isReasonHidden && { suspended_reason: null }),
          counts: yield* countsOf(userId, reader),
          strikes,
          decisions,
        }
      }),

    endSessions: (userId, entry) =>
      write(
        function* (db) {
          if (!(yield* holdLiving(engine, db, [userId])).has(userId)) return null
          const ended = yield* endSessions(engine, db, userId, entry.at)
          yield* recordAudit(engine, db, { ...entry, metadata: { ...entry.metadata, count: ended.length } })
          return ended
        },
        { keepsProfileCache: true },
      ),
  }
}

/**
 * Whether a row of `notices`, with its report joined, is about a review of the reader, who must not learn who wrote it. Without
 * the evidence, nobody knows any longer whom a review was about. The notice of an appeal's outcome has the time of that outcome.
 */
function isAboutReviewOf(engine: Engine, reader: string): SQL | undefined {
  const isOutcomeForOthers = sql`(notices.action IN ('appeal_upheld', 'appeal_rejected') AND NOT EXISTS (
    SELECT 1 FROM appeals a JOIN notices n ON n.id = a.notice_id LEFT JOIN reports r ON r.id = n.report_id
    WHERE a.user_id = notices.user_id AND a.resolved_at = notices.created_at
      AND r.reviewed_id IS DISTINCT FROM ${reader}))`
  return or(eq(engine.tables.reports.reviewed_id, reader), isAboutForgottenReview(engine), isOutcomeForOthers)
}

/**
 * Strikes of decisions since then that no appeal has overturned. Omits decisions on reviews of the reader, who must not learn
 * who wrote them.
 */
export function* strikesOf(userId: string, since: number, reader: string | null): Work<number> {
  const sum = yield* queryOne<{ strikes: number | string }>(sql`SELECT coalesce(sum(n.strikes), 0) AS strikes
    FROM notices n LEFT JOIN appeals a ON a.notice_id = n.id LEFT JOIN reports r ON r.id = n.report_id
    WHERE n.user_id = ${userId} AND n.created_at > ${since} AND n.strikes > 0 AND coalesce(a.status, '') <> 'upheld'
      AND ${reader === null ? sql`1 = 1` : sql`r.reviewed_id IS DISTINCT FROM ${reader}`}`)
  return Number(sum.strikes)
}

type Counts = PersonRecord['counts']

/** Counts with bounded work. Messages have no index by sender, so only `mostMessages` of the person's chats are read. */
function* countsOf(userId: string, reader: string | null): Work<Counts> {
  const counted = (from: SQL) =>
    sql`(SELECT count(*) FROM (SELECT 1 AS one FROM ${from} LIMIT ${mostCounted}) AS counted)`
  // Reports of reviews of the reader are omitted: the reader could report a review, and see whose count rises.
  const reports = sql`reports WHERE subject_id = ${userId}
    AND ${reader === null ? sql`1 = 1` : sql`reviewed_id IS DISTINCT FROM ${reader}`}`
  const counts = yield* queryOne<Record<keyof Counts, number | string>>(sql`SELECT
    ${counted(reports)} AS reports,
    ${counted(sql`${reports} AND status = 'open'`)} AS open_reports,
    ${counted(sql`${reports} AND target = 'review'`)} AS review_reports,
    ${counted(sql`${reports} AND target = 'review' AND status = 'open'`)} AS open_review_reports,
    ${counted(sql`blocks WHERE blocked_id = ${userId}`)} AS blocks,
    (SELECT count(*) FROM (
      SELECT sender_id FROM (
        SELECT id FROM chats WHERE user_a = ${userId} UNION ALL SELECT id FROM chats WHERE user_b = ${userId}
      ) AS own CROSS JOIN messages WHERE messages.chat_id = own.id LIMIT ${mostMessages}
    ) AS written WHERE sender_id = ${userId}) AS messages`)
  return recordOf(personCounts, (name) => Number(counts[name]))
}
