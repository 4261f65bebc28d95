import type { Review, ReviewStore } from '../../features/reviews/store.ts'
import type { Database } from './database.ts'
import type { Queries } from './queries.ts'
import { recordEvents } from './events.ts'
import { holdLiving } from './living.ts'

export const reviewColumns = 'id, chat_id, reviewer_id, reviewed_id, rating, anonymous, text, created_at'

const day = 86_400_000

const insert = `
  INSERT INTO reviews (${reviewColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (chat_id) DO NOTHING RETURNING id`
const lockStats = `
  INSERT INTO user_stats (user_id) VALUES ($1) ON CONFLICT (user_id) DO UPDATE SET count = user_stats.count`
const ratings = 'SELECT count(*) AS count, sum(rating) AS sum FROM reviews WHERE reviewed_id = $1'
const saveStats = 'UPDATE user_stats SET rating_avg = $2, count = $3 WHERE user_id = $1'

/**
 * Counts a user's stats anew from the rows. Call it inside every write that adds or removes a review of theirs, after
 * that, and while the account is held. Whoever counts locks the stats first, so that the last to do so has seen all reviews.
 */
export async function recount(tx: Queries, userId: string): Promise<void> {
  const [, row] = await Promise.all([
    tx.run(lockStats, [userId]),
    tx.get<{ count: number; sum: number | null }>(ratings, [userId]),
  ])
  const { count, sum } = row!
  // Hundredths in whole numbers, half up: what has two decimals is not left to binary fractions.
  const average = sum === null ? null : Math.floor((200 * sum + count) / (2 * count)) / 100
  await tx.run(saveStats, [userId, average, count])
}

export function reviewStore(db: Database): ReviewStore {
  return {
    members: async (chatId) => {
      const chat = await db.read((q) =>
        q.get<{ user_a: string; user_b: string }>('SELECT user_a, user_b FROM chats WHERE id = $1', [chatId]),
      )
      return chat && [chat.user_a, chat.user_b]
    },

    // An author who has just been erased leaves no review behind either.
    add: (review, eventAt) =>
      db.write(async (tx) => {
        const { id, chat_id, reviewer_id, reviewed_id, rating, anonymous, text, created_at } = review
        const living = await holdLiving(tx, [reviewer_id, reviewed_id])
        if (!living.has(reviewer_id) || !living.has(reviewed_id))
          return (await tx.get('SELECT id FROM reviews WHERE chat_id = $1', [chat_id])) ? 'exists' : 'gone'
        const values = [id, chat_id, reviewer_id, reviewed_id, rating, anonymous, text, created_at]
        if (!(await tx.get(insert, values))) return 'exists'
        await recount(tx, reviewed_id)
        const [event] = await recordEvents(tx, [reviewed_id], 'review', eventAt, { ref: id })
        return { seq: event!.seq }
      }),

    ofUser: (userId, limit, after) =>
      db.read((q) =>
        q.all<Review>(
          `SELECT ${reviewColumns} FROM reviews
           WHERE reviewed_id = $1 AND (created_at - created_at % ${day}, id) < ($2, $3)
           ORDER BY created_at - created_at % ${day} DESC, id DESC LIMIT $4`,
          [userId, after === null ? Number.MAX_SAFE_INTEGER : after.day * day, after?.id ?? '', limit],
        ),
      ),

    byIds: (ids) =>
      db.read((q) => q.all<Review>(`SELECT ${reviewColumns} FROM reviews WHERE id = ANY($1::text[])`, [ids])),

    stats: (userId) =>
      db.read((q) =>
        q.get<{ rating_avg: number | null; count: number }>(
          `SELECT s.rating_avg, coalesce(s.count, 0) AS count FROM users u LEFT JOIN user_stats s ON s.user_id = u.id
           WHERE u.id = $1 AND u.deleted_at IS NULL`,
          [userId],
        ),
      ),
  }
}
