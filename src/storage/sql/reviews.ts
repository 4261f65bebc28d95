import { and, asc, count, desc, eq, isNull, lte, sql } from 'drizzle-orm'
import { averageRating, reviewVerdict, shownUnit } from '../../features/reviews/rules.ts'
import type { Review, ReviewStore } from '../../features/reviews/store.ts'
import { recordAudit } from './audit.ts'
import { isBlockedPair } from './blocks.ts'
import { type Builders, changed, type Engine, first, one, recordEvent, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { askNotifications } from './asked-notifications.ts'

/**
 * Recounts a user's stats after a review of them was added or removed. Call it in the same unit of work, with the account
 * locked.
 */
export function* recountStats({ tables: { reviews, userStats } }: Engine, db: Builders, userId: string): Work<void> {
  // This locks the row, so that the last of concurrent counts sees all reviews.
  yield* changed(
    db
      .insert(userStats)
      .values({ user_id: userId })
      .onConflictDoUpdate({ target: userStats.user_id, set: { count: sql`${userStats.count}` } }),
  )
  const sum = sql`coalesce(sum(${reviews.rating}), 0)`.mapWith(Number)
  const found = yield* one(db.select({ count: count(), sum }).from(reviews).where(eq(reviews.reviewed_id, userId)))
  const { count: reviewCount, sum: ratings } = found
  yield* changed(
    db
      .update(userStats)
      .set({ rating_avg: averageRating(ratings, reviewCount), count: reviewCount })
      .where(eq(userStats.user_id, userId)),
  )
}

export function reviewStore(engine: Engine): ReviewStore {
  const { chats, pendingReviews, reviews, users, userStats } = engine.tables
  // The expression of the index `reviews_of_user`.
  const startOfDay = sql`${reviews.created_at} - ${reviews.created_at} % ${sql.raw(String(shownUnit))}`

  /** Blocks and messages take this lock too, so what is read under it does not change until the commit. */
  const lockChat = (db: Builders, id: string) =>
    first(engine.locked(db.select().from(chats).where(eq(chats.id, id)), 'no key update'))

  function* hasReview(db: Builders, chatId: string): Work<boolean> {
    const shown = yield* first(db.select({ id: reviews.id }).from(reviews).where(eq(reviews.chat_id, chatId)))
    const ofChat = eq(pendingReviews.chat_id, chatId)
    return (shown ?? (yield* first(db.select({ id: pendingReviews.id }).from(pendingReviews).where(ofChat)))) !== null
  }

  /** Stores a review. Null if the chat has one already. */
  function* publish(
    db: Builders,
    review: Review,
    { eventAt, notifyAt = null }: { eventAt: number; notifyAt?: number | null },
  ): Work<{ seq: number } | null> {
    const stored = yield* first(
      db.insert(reviews).values(review).onConflictDoNothing({ target: reviews.chat_id }).returning({ id: reviews.id }),
    )
    if (stored === null) return null
    yield* recountStats(engine, db, review.reviewed_id)
    const seq = yield* recordEvent(engine, db, review.reviewed_id, 'review', eventAt, { ref: review.id })
    const { id, reviewed_id: user_id } = review
    const occasion = { about: 'review' as const, review_id: id }
    if (notifyAt !== null)
      yield* askNotifications(engine, db, [{ id, user_id, occasion, at: eventAt, due_at: notifyAt }])
    return { seq }
  }

  return {
    members: (chatId) =>
      engine.read(function* (db) {
        const { user_a, user_b } = chats
        const chat = yield* first(db.select({ user_a, user_b }).from(chats).where(eq(chats.id, chatId)))
        return chat && [chat.user_a, chat.user_b]
      }),

    add: (review, { eventAt, appearsAt, notifyAt }) =>
      engine.write(function* (db) {
        const { chat_id, reviewer_id, reviewed_id } = review
        const living = yield* holdLiving(engine, db, [reviewer_id, reviewed_id])
        const chat = yield* lockChat(db, chat_id)
        if (chat === null) throw new Error('a review in a chat that does not exist')
        const refused = reviewVerdict({
          blocked: yield* isBlockedPair(engine, db, chat.user_a, chat.user_b),
          hasReview: yield* hasReview(db, chat_id),
          bothLiving: living.has(reviewer_id) && living.has(reviewed_id),
          bothWrote: chat.wrote_a && chat.wrote_b,
        })
        if (refused) return refused
        if (appearsAt !== null) {
          yield* changed(db.insert(pendingReviews).values({ ...review, appears_at: appearsAt }))
          return { seq: null }
        }
        // A node of the previous release does not lock the chat.
        return (yield* publish(db, review, { eventAt, notifyAt })) ?? 'review_exists'
      }),

    due: (now, limit) =>
      engine.read(function* (db) {
        const { id, appears_at } = pendingReviews
        const due = db.select({ id }).from(pendingReviews).where(lte(appears_at, now)).orderBy(asc(appears_at))
        return (yield* rows(due.limit(limit))).map((review) => review.id)
      }),

    appear: (id, { at, eventAt, notifyAt }, entry) =>
      engine.write(function* (db) {
        const ofId = eq(pendingReviews.id, id)
        const found = yield* first(db.select().from(pendingReviews).where(ofId))
        if (found === null) return null
        const living = yield* holdLiving(engine, db, [found.reviewer_id, found.reviewed_id])
        yield* lockChat(db, found.chat_id)
        const kept = yield* first(db.delete(pendingReviews).where(ofId).returning())
        if (kept === null || !living.has(kept.reviewed_id)) return null
        const { appears_at: _, ...rest } = kept
        const reviewer_id = kept.reviewer_id !== null && living.has(kept.reviewer_id) ? kept.reviewer_id : null
        const review: Review = { ...rest, reviewer_id, anonymous: true, created_at: at }
        // Null if a node of the previous release has stored another review of this chat.
        const published = yield* publish(db, review, { eventAt, notifyAt })
        if (published === null) return null
        yield* recordAudit(engine, db, entry)
        return { review, written_at: kept.created_at, ...published }
      }),

    ofUser: (userId, limit, after) =>
      engine.read((db) => {
        const beforeKey = after && sql`(${startOfDay}, ${reviews.id}) < (${after.day * shownUnit}, ${after.id})`
        return rows(
          db
            .select()
            .from(reviews)
            .where(and(eq(reviews.reviewed_id, userId), beforeKey ?? undefined))
            .orderBy(desc(startOfDay), desc(reviews.id))
            .limit(limit),
        )
      }),

    byIds: (ids) => engine.read((db) => rows(db.select().from(reviews).where(engine.isAmong(reviews.id, ids)))),

    stats: (userId) =>
      engine.read((db) =>
        first(
          db
            .select({ rating_avg: userStats.rating_avg, count: sql`coalesce(${userStats.count}, 0)`.mapWith(Number) })
            .from(users)
            .leftJoin(userStats, eq(userStats.user_id, users.id))
            .where(and(eq(users.id, userId), isNull(users.deleted_at))),
        ),
      ),
  }
}
