import { and, eq, sql } from 'drizzle-orm'
import type { MessageKind } from '../../features/chats/content.ts'
import {
  changedPreferences,
  defaultPreferences,
  type NotificationPreferences,
  wantsDigest,
} from '../../features/notifications/rules.ts'
import type { Account, ChatState, NotificationStore } from '../../features/notifications/store.ts'
import { type Builders, changed, type Engine, first, one, query, rows, type Work } from './engine.ts'
import { isBlockedPair } from './chats.ts'
import { holdLiving } from './living.ts'
import { channelStore } from './channels.ts'
import { digestStore, dropDigests } from './digests.ts'

type AccountRow = {
  name: string | null
  deleted_at: number | null
  suspended_until: number | null
  email: string | null
  email_verified_at: number | null
  role: Account['role']
  language: string | null
  messenger_id: string | null
}

type ChatRow = {
  name: string | null
  deleted_at: number | null
  suspended_until: number | null
  blocked: boolean | 0 | 1
  muted: number | null
  last_seq: number
  unread: number
  message_id: string | null
  message_kind: MessageKind
  message_text: string | null
}

export function notificationStore(engine: Engine): NotificationStore {
  const { read, write } = engine
  const { channels, chats, notices, notificationPreferences, preferences, reports } = engine.tables
  const { reviews, shownNotifications, users } = engine.tables
  const options = { keepsProfileCache: true }

  function* preferencesOf(db: Builders, userId: string): Work<NotificationPreferences> {
    const found = yield* first(
      db.select().from(notificationPreferences).where(eq(notificationPreferences.user_id, userId)),
    )
    if (found === null) return defaultPreferences
    const { messages, chats, reviews, digest, preview, quiet_from: from, quiet_to: to, quiet_zone } = found
    const quiet = from === null || to === null || quiet_zone === null ? null : { from, to, time_zone: quiet_zone }
    return { messages, chats, reviews, digest, preview, quiet }
  }

  return {
    ...channelStore(engine),
    ...digestStore(engine),

    preferences: (userId) => read((db) => preferencesOf(db, userId)),

    savePreferences: (userId, change) =>
      write(function* (db) {
        // Locked, so that two changes at once are both kept.
        if (!(yield* holdLiving(engine, db, [], [userId])).has(userId)) return null
        const saved = changedPreferences(yield* preferencesOf(db, userId), change)
        const { quiet, ...chosen } = saved
        const set = {
          ...chosen,
          quiet_from: quiet?.from ?? null,
          quiet_to: quiet?.to ?? null,
          quiet_zone: quiet?.time_zone ?? null,
        }
        yield* changed(
          db
            .insert(notificationPreferences)
            .values({ user_id: userId, ...set })
            .onConflictDoUpdate({ target: notificationPreferences.user_id, set }),
        )
        if (!wantsDigest(saved)) yield* dropDigests(engine, db, userId)
        return saved
      }, options),

    mute: (chatId, userId, until) =>
      write(function* (db) {
        const ofChat = eq(chats.id, chatId)
        yield* changed(
          db
            .update(chats)
            .set({ muted_a: until })
            .where(and(ofChat, eq(chats.user_a, userId))),
        )
        yield* changed(
          db
            .update(chats)
            .set({ muted_b: until })
            .where(and(ofChat, eq(chats.user_b, userId))),
        )
      }, options),

    mutes: (userId) =>
      read(() =>
        query(sql`
          SELECT id AS chat_id, muted_a AS until FROM chats WHERE user_a = ${userId} AND muted_a IS NOT NULL
          UNION ALL SELECT id, muted_b FROM chats WHERE user_b = ${userId} AND muted_b IS NOT NULL`),
      ),

    account: (userId) =>
      read(function* (db) {
        const { name, deleted_at, suspended_until, email, email_verified_at, role, messenger_id } = users
        const found: AccountRow | null = yield* first(
          db
            .select({
              ...{ name, deleted_at, suspended_until, email, email_verified_at, role, messenger_id },
              language: preferences.language,
            })
            .from(users)
            .leftJoin(preferences, eq(preferences.user_id, users.id))
            .where(eq(users.id, userId)),
        )
        return (
          found && {
            name: found.name,
            erased: found.deleted_at !== null,
            suspended_until: found.suspended_until,
            has_unverified_email: found.email !== null && found.email_verified_at === null,
            role: found.role,
            language: found.language ?? 'en',
            messenger_id: found.messenger_id,
            preferences: yield* preferencesOf(db, userId),
          }
        )
      }),

    // One statement, and so one snapshot.
    chat: (chatId, userId) =>
      read(function* (): Work<ChatState | null> {
        const mine = (column: string) => sql.raw(`CASE WHEN c.me = c.user_a THEN ${column}_a ELSE ${column}_b END`)
        const [found] = yield* query<ChatRow>(sql`
          SELECT o.name, o.deleted_at, o.suspended_until, ${sql.raw(isBlockedPair('c.user_a', 'c.user_b'))} AS blocked,
            ${mine('c.muted')} AS muted, c.last_seq, ${mine('c.unread')} AS unread,
            m.id AS message_id, m.kind AS message_kind, m.text AS message_text
          FROM (SELECT chats.*, ${userId} AS me FROM chats
                WHERE id = ${chatId} AND (user_a = ${userId} OR user_b = ${userId})) AS c
          JOIN users o ON o.id = CASE WHEN c.me = c.user_a THEN c.user_b ELSE c.user_a END
          LEFT JOIN messages m ON m.chat_id = c.id AND m.seq = (
            SELECT n.seq FROM messages n WHERE n.chat_id = c.id AND n.sender_id = o.id AND n.seq > ${mine('c.read_to')}
              AND n.read_at IS NULL AND n.deleted_at IS NULL ORDER BY n.seq DESC LIMIT 1)`)
        if (found === undefined) return null
        const { name, deleted_at, suspended_until } = found
        return {
          other: { name, erased: deleted_at !== null, suspended_until },
          blocked: Boolean(found.blocked),
          muted_until: found.muted,
          newest:
            found.message_id === null || found.unread === 0
              ? null
              : { id: found.message_id, kind: found.message_kind, text: found.message_text },
          is_empty: found.last_seq === 0,
        }
      }),

    hasReview: (reviewId, userId) =>
      read(function* (db) {
        const isIt = and(eq(reviews.id, reviewId), eq(reviews.reviewed_id, userId))
        return (yield* first(db.select({ id: reviews.id }).from(reviews).where(isIt))) !== null
      }),

    hasNotice: (noticeId, userId) =>
      read(function* (db) {
        const isIt = and(eq(notices.id, noticeId), eq(notices.user_id, userId))
        return (yield* first(db.select({ id: notices.id }).from(notices).where(isIt))) !== null
      }),

    openReports: (moderatorId) =>
      read(function* (db) {
        const isNot = (column: typeof reports.subject_id | typeof reports.reviewed_id) =>
          sql`${column} IS DISTINCT FROM ${moderatorId}`
        const found = yield* one(
          db
            .select({ count: sql`count(*)`.mapWith(Number), oldest: sql<number | null>`min(${reports.created_at})` })
            .from(reports)
            .where(and(eq(reports.status, 'open'), isNot(reports.subject_id), isNot(reports.reviewed_id))),
        )
        return { count: found.count, oldest: found.oldest === null ? null : Number(found.oldest) }
      }),

    shown: (channelId, tag) =>
      read((db) =>
        first(
          db
            .select()
            .from(shownNotifications)
            .where(and(eq(shownNotifications.channel_id, channelId), eq(shownNotifications.tag, tag))),
        ),
      ),

    shownFor: (userId, tag) =>
      read((db) => {
        const { channel_id, at } = shownNotifications
        const isIt = and(eq(shownNotifications.user_id, userId), eq(shownNotifications.tag, tag))
        return rows(db.select({ channel_id, at }).from(shownNotifications).where(isIt))
      }),

    delivered: ({ id, user_id }, at, shown) =>
      write(function* (db) {
        const isIt = eq(channels.id, id)
        const there = db.update(channels).set({ last_delivered_at: at, failing_since: null }).where(isIt)
        // The channel may have been removed.
        if ((yield* changed(there)) === 0 || shown === null) return
        const { channel_id: _, tag: __, ...set } = shown
        yield* changed(
          db
            .insert(shownNotifications)
            .values({ ...shown, user_id })
            .onConflictDoUpdate({ target: [shownNotifications.channel_id, shownNotifications.tag], set }),
        )
      }, options),

    forgetShown: (channelId, tag) =>
      write(function* (db) {
        yield* changed(
          db
            .delete(shownNotifications)
            .where(and(eq(shownNotifications.channel_id, channelId), eq(shownNotifications.tag, tag))),
        )
      }, options),
  }
}
