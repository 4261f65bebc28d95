import { and, eq, sql } from 'drizzle-orm'
import type { DigestCandidate, NotificationStore } from '../../features/notifications/store.ts'
import { type Builders, changed, type Engine, first, query, type Work } from './engine.ts'
import { isBlockedPair } from './chats.ts'
import { holdLiving } from './living.ts'
import { enqueue } from './outbox.ts'
import { digestAddress, type DigestState, isDigestDue } from '../../features/notifications/rules.ts'

/**
 * When a message `m` arrived: one that was held keeps its own time, but arrived when its report was resolved. The report is found
 * by the index of those about its sender.
 */
const arrivedAt = `coalesce((SELECT max(r.resolved_at) FROM reports r
  WHERE r.subject_id = m.sender_id AND r.target_id = m.id AND r.kind = 'held'), m.created_at)`

/** Mails about unread messages. */
export function digestStore(engine: Engine): Pick<NotificationStore, 'endDigest' | 'digests' | 'sendDigest'> {
  const { read, write, locked } = engine
  const { notificationPreferences } = engine.tables
  const options = { keepsProfileCache: true }

  return {
    endDigest: (userId) =>
      write(function* (db) {
        // Locked as by every change of the preferences, which must not bring the digest back.
        if (!(yield* holdLiving(engine, db, [], [userId])).has(userId)) return
        yield* changed(
          db.update(notificationPreferences).set({ digest: 'off' }).where(eq(notificationPreferences.user_id, userId)),
        )
        yield* dropDigests(engine, db, userId)
      }, options),

    digests: (when, after, limit) =>
      read(function* () {
        const { now, unreadBefore, lastBefore } = when
        // The same condition as `isDigestDue`, served by the index of users who want digests.
        const wanted = yield* query<{ user_id: string }>(sql`
          SELECT user_id FROM notification_preferences
          WHERE digest = 'daily' AND user_id > ${after} AND coalesce(digest_at, 0) <= ${lastBefore} ORDER BY user_id LIMIT ${limit}`)
        const candidates: DigestCandidate[] = []
        for (const { user_id } of wanted) {
          const side = (mine: string, other: string) => sql`
            SELECT c.id, c.user_${sql.raw(mine)} AS user_id, c.user_${sql.raw(other)} AS other_id, c.read_to_${sql.raw(mine)} AS read_to FROM chats c
            WHERE c.user_${sql.raw(mine)} = ${user_id} AND c.unread_${sql.raw(mine)} > 0
              AND coalesce(c.muted_${sql.raw(mine)}, 0) <= ${now}`
          const [found] = yield* query<DigestState & Omit<DigestCandidate, 'email'>>(sql`
            SELECT u.id AS user_id, u.email, u.email_verified_at, u.deleted_at, u.suspended_until,
              coalesce(l.language, 'en') AS language, p.digest, p.digest_at, x.messages, x.chats, x.newest
            FROM notification_preferences p JOIN users u ON u.id = p.user_id
              LEFT JOIN preferences l ON l.user_id = u.id
              CROSS JOIN (
                SELECT count(*) AS messages, count(DISTINCT chat_id) AS chats, max(arrived_at) AS newest
                FROM (
                  SELECT m.chat_id, ${sql.raw(arrivedAt)} AS arrived_at
                  FROM (${side('a', 'b')} UNION ALL ${side('b', 'a')}) AS t
                    JOIN users o ON o.id = t.other_id AND o.deleted_at IS NULL AND coalesce(o.suspended_until, 0) <= ${now}
                    JOIN messages m ON m.chat_id = t.id AND m.seq > t.read_to AND m.sender_id = t.other_id
                      AND m.read_at IS NULL AND m.deleted_at IS NULL AND m.created_at <= ${unreadBefore}
                  WHERE NOT ${sql.raw(isBlockedPair('t.other_id', 't.user_id'))}) AS unread
                WHERE arrived_at <= ${unreadBefore}) AS x
            WHERE p.user_id = ${user_id}`)
          const email = found ? digestAddress(found, when) : null
          if (!found || email === null) continue
          const { language, messages, chats } = found
          candidates.push({ user_id, email, language, messages, chats })
        }
        return { candidates, last: wanted.length < limit ? null : (wanted.at(-1)?.user_id ?? null) }
      }),

    sendDigest: (userId, now, lastBefore, mail) =>
      write(function* (db) {
        const { digest, digest_at, user_id } = notificationPreferences
        const own = db.select({ digest, digest_at }).from(notificationPreferences).where(eq(user_id, userId))
        const before = yield* first(locked(own, 'update'))
        if (before === null || !isDigestDue(before, lastBefore)) return false
        yield* changed(db.update(notificationPreferences).set({ digest_at: now }).where(eq(user_id, userId)))
        yield* enqueue(engine, db, [mail])
        return true
      }, options),
  }
}

/** Removes the queued digests of a user who wants none any more. */
export function* dropDigests({ tables: { outbox }, jsonText }: Engine, db: Builders, userId: string): Work<void> {
  const isDigest = eq(jsonText(outbox.payload, 'about'), 'digest')
  yield* changed(db.delete(outbox).where(and(eq(outbox.user_id, userId), eq(outbox.kind, 'mail'), isDigest)))
}
