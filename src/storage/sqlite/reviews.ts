import type { Review, ReviewStore } from '../../features/reviews/store.ts'
import type { Db } from './database.ts'
import { eventRecorder } from './events.ts'
import type { Writer } from './writer.ts'

type Row = Omit<Review, 'anonymous'> & { anonymous: number }

const columns = 'id, chat_id, reviewer_id, reviewed_id, rating, anonymous, text, created_at'

export const reviewOf = (row: Row): Review => ({ ...row, anonymous: row.anonymous === 1 })

/** Reads one review as it is stored. */
export function reviewReader(db: Db) {
  const byId = db.$client.prepare<Row, [string]>(`SELECT ${columns} FROM reviews WHERE id = ?`)
  return (id: string): Review | null => {
    const row = byId.get(id)
    return row && reviewOf(row)
  }
}

/** Counts a user's stats anew from the rows. Call it inside every write that adds or removes a review of theirs. */
export function statsCounter(db: Db) {
  const count = db.$client.prepare<null, [string]>(`
    INSERT INTO user_stats (user_id, rating_avg, count)
    -- Hundredths in whole numbers, half up: what has two decimals is not left to binary fractions. Null of no rows.
    SELECT ?1, (200 * sum(rating) + count(*)) / (2 * count(*)) / 100.0, count(*) FROM reviews WHERE reviewed_id = ?1
    ON CONFLICT (user_id) DO UPDATE SET rating_avg = excluded.rating_avg, count = excluded.count`)
  return (userId: string) => {
    count.run(userId)
  }
}

export function reviewStore(db: Db, writer: Writer): ReviewStore {
  const client = db.$client
  const record = eventRecorder(db)
  const recount = statsCounter(db)

  const members = client.prepare<{ user_a: string; user_b: string }, [string]>(
    'SELECT user_a, user_b FROM chats WHERE id = ?',
  )
  const insert = client.prepare<{ id: string }, Record<string, string | number | null>[]>(`
    INSERT INTO reviews (${columns})
    SELECT $id, $chat_id, $reviewer_id, $reviewed_id, $rating, $anonymous, $text, $created_at
    FROM users WHERE id = $reviewed_id AND deleted_at IS NULL
    ON CONFLICT (chat_id) DO NOTHING RETURNING id`)
  const ofChat = client.prepare<{ id: string }, [string]>('SELECT id FROM reviews WHERE chat_id = ?')
  const ofUser = client.prepare<Row, [string, number, string, number]>(`
    SELECT ${columns} FROM reviews
    WHERE reviewed_id = ? AND (created_at / 86400000, id) < (?, ?)
    ORDER BY created_at / 86400000 DESC, id DESC LIMIT ?`)
  const byIds = client.prepare<Row, [string]>(
    `SELECT ${columns} FROM reviews WHERE id IN (SELECT value FROM json_each(?))`,
  )
  const stats = client.prepare<{ rating_avg: number | null; count: number }, [string]>(`
    SELECT s.rating_avg, coalesce(s.count, 0) AS count FROM users u LEFT JOIN user_stats s ON s.user_id = u.id
    WHERE u.id = ? AND u.deleted_at IS NULL`)

  return {
    members: async (chatId) => {
      const chat = members.get(chatId)
      return chat && [chat.user_a, chat.user_b]
    },

    add: (review, eventAt) =>
      writer.write(() => {
        if (!insert.get({ ...review, anonymous: review.anonymous ? 1 : 0 }))
          return ofChat.get(review.chat_id) ? 'exists' : 'gone'
        recount(review.reviewed_id)
        return { seq: record(review.reviewed_id, 'review', eventAt, { ref: review.id }) }
      }),

    ofUser: async (userId, limit, after) =>
      ofUser.all(userId, after?.day ?? Number.MAX_SAFE_INTEGER, after?.id ?? '', limit).map(reviewOf),

    byIds: async (ids) => byIds.all(JSON.stringify(ids)).map(reviewOf),
    stats: async (userId) => stats.get(userId),
  }
}
