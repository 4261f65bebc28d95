import { and, asc, count, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { HoldingsStore } from '../../features/account/store.ts'
import type { Session } from '../../features/auth/store.ts'
import { isTheirs } from '../image-use.ts'
import { type Column, type Engine, one, query, rows } from './engine.ts'

export function holdingsStore({ tables, read, isAmong, byBytes }: Engine): HoldingsStore {
  const { consentLog, locationCells, media, messageVersions, pendingReviews, reviews } = tables
  const isAfter = (columns: (Column | SQL)[], after: (string | number)[] | null) =>
    after === null
      ? undefined
      : sql`(${sql.join(columns, sql`, `)}) > (${sql.join(
          after.map((value) => sql`${value}`),
          sql`, `,
        )})`

  return {
    consents: (userId, limit, after) =>
      read((db) => {
        const { id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address } = consentLog
        const order = [byBytes(kind), asc(recorded_at), asc(id)]
        const isNext = isAfter([byBytes(kind), recorded_at, id], after && [after.kind, after.recorded_at, after.id])
        return rows(
          db
            .select({ id, user_id, kind, accepted, version, text_hash, recorded_at, user_agent, address })
            .from(consentLog)
            .where(and(eq(user_id, userId), isNext))
            .orderBy(...order)
            .limit(limit),
        )
      }),

    sessions: (userId, limit, after) => {
      // Two statements, because there are two partial indexes.
      const sessionsWhere = (ended: SQL) => sql`SELECT * FROM (
        SELECT id, user_id, generation, rotated_at, created_at, last_used_at, user_agent, ended_at, passkey_at
        FROM sessions
        WHERE user_id = ${userId} AND ended_at IS ${ended}
          AND (created_at, id) > (${after?.created_at ?? Number.MIN_SAFE_INTEGER}, ${after?.id ?? ''})
        ORDER BY created_at, id LIMIT ${limit}) AS s`
      return read(() =>
        query<Session>(
          sql`${sessionsWhere(sql`NULL`)} UNION ALL ${sessionsWhere(sql`NOT NULL`)} ORDER BY created_at, id LIMIT ${limit}`,
        ),
      )
    },

    images: (userId, limit, after) =>
      read((db) => {
        const { id, width, height, bytes, hashes, created_at } = media
        const isNext = isAfter([created_at, id], after && [after.created_at, after.id])
        return rows(
          db
            .select({ id, width, height, bytes, hashes, created_at })
            .from(media)
            .where(and(eq(media.owner_id, userId), isNext, sql.raw(isTheirs)))
            .orderBy(asc(created_at), asc(id))
            .limit(limit),
        )
      }),

    reviewsBy: (userId) =>
      read(function* (db) {
        const { appears_at: _, ...columns } = getTableColumns(pendingReviews)
        const shown = yield* rows(db.select().from(reviews).where(eq(reviews.reviewer_id, userId)))
        const pending = yield* rows(
          db.select(columns).from(pendingReviews).where(eq(pendingReviews.reviewer_id, userId)),
        )
        return [...shown, ...pending.map((review) => ({ ...review, anonymous: true }))]
      }),

    chats: (userId) =>
      read(() =>
        query(
          sql`SELECT id, user_b AS other_id, created_at FROM chats WHERE user_a = ${userId}
              UNION ALL SELECT id, user_a, created_at FROM chats WHERE user_b = ${userId} ORDER BY id`,
        ),
      ),

    versions: (messageIds) =>
      read((db) => {
        const { message_id, text, at } = messageVersions
        const ofThese = db.select({ message_id, text, at }).from(messageVersions).where(isAmong(message_id, messageIds))
        return rows(ofThese.orderBy(asc(message_id), asc(at)))
      }),

    places: (userId) =>
      read(function* (db) {
        const cells = db.select({ n: count() }).from(locationCells).where(eq(locationCells.user_id, userId))
        return (yield* one(cells)).n
      }),
  }
}
