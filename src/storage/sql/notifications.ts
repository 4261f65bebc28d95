import { and, asc, eq, gt, isNull, lt, ne, sql } from 'drizzle-orm'
import { defaultPreferences, type NotificationPreferences, slotOf, tagOf } from '../../features/notifications/rules.ts'
import type {
  Account,
  Asked,
  Channel,
  ChatState,
  DigestCandidate,
  Lasting,
  NotificationStore,
} from '../../features/notifications/store.ts'
import { type Builders, changed, type Engine, first, query, rows, type Work } from './engine.ts'
import { isBlockedPair } from './chats.ts'
import { holdLiving } from './living.ts'
import { enqueue, onTakenSlot } from './outbox.ts'

/**
 * Puts a notification into the outbox if its user has a channel. Values: id, user, payload, time, due time, slot. It is text,
 * as each engine prepares it: every message runs it.
 */
export const insertAsked = (value: (n: number) => string) => `
  INSERT INTO outbox (id, kind, user_id, payload, created_at, due_at, slot)
  SELECT ${value(1)}, 'notification', ${value(2)}, ${value(3)}, ${value(4)}, ${value(5)}, ${value(6)}
  WHERE (SELECT 1 FROM channels WHERE user_id = ${value(2)} LIMIT 1) IS NOT NULL ${onTakenSlot}`

/** The same if a device of the user shows something with that tag. One value more: the tag. */
export const insertTakeBack = (value: (n: number) => string) => `
  INSERT INTO outbox (id, kind, user_id, payload, created_at, due_at, slot)
  SELECT ${value(1)}, 'notification', ${value(2)}, ${value(3)}, ${value(4)}, ${value(5)}, ${value(6)}
  WHERE (SELECT 1 FROM shown_notifications WHERE user_id = ${value(2)} AND tag = ${value(7)} LIMIT 1) IS NOT NULL
  ${onTakenSlot}`

/** The parcel that looks at what a user's devices show of a chat, now. */
export const takeBackOf = (id: string, user_id: string, chat_id: string, now: number): Asked => ({
  ...{ id, user_id, at: now, due_at: now },
  occasion: { about: 'message', chat_id },
})

/** The parcel that tells of a new message, with its id. */
export const askedOfMessage = (
  { id, chat_id, created_at }: { id: string; chat_id: string; created_at: number },
  user_id: string,
  due_at: number,
): Asked => ({ id, user_id, occasion: { about: 'message', chat_id }, at: created_at, due_at })

/** The values of `insertAsked`. */
export const askedValues = ({ id, user_id, occasion, at, due_at }: Asked) =>
  [id, user_id, JSON.stringify(occasion), at, due_at, slotOf(user_id, occasion)] as const

/** Puts notifications into the outbox for those who have a channel, inside the unit of work that causes them. */
export function* askNotifications(engine: Engine, db: Builders, asked: readonly Asked[]): Work<void> {
  if (asked.length === 0) return
  const { channels } = engine.tables
  const users = asked.map(({ user_id }) => user_id)
  const found = yield* rows(
    db.selectDistinct({ user_id: channels.user_id }).from(channels).where(engine.isAmong(channels.user_id, users)),
  )
  const reachable = new Set(found.map(({ user_id }) => user_id))
  yield* enqueue(
    engine,
    db,
    asked
      .filter(({ user_id }) => reachable.has(user_id))
      .map(({ id, user_id, occasion, at, due_at }) => ({
        ...{ id, kind: 'notification' as const, user_id, payload: occasion },
        ...{ created_at: at, due_at, slot: slotOf(user_id, occasion) },
      })),
  )
}

/** Has what a user's devices show looked at again, if they show anything of it. */
export function* askToTakeBack(engine: Engine, db: Builders, asked: Asked): Work<void> {
  const { shownNotifications } = engine.tables
  const isIt = and(eq(shownNotifications.user_id, asked.user_id), eq(shownNotifications.tag, tagOf(asked.occasion)))
  const { channel_id } = shownNotifications
  if ((yield* first(db.select({ channel_id }).from(shownNotifications).where(isIt).limit(1))) !== null)
    yield* askNotifications(engine, db, [asked])
}

/** A member of a chat, whose devices may show something of it. */
export type Seer = { chat_id: string; user_id: string }

/** The parcels that look again at what devices show of chats, for those members whose devices show something of them. */
export function* takeBacks(
  { tables: { shownNotifications } }: Engine,
  db: Builders,
  seers: readonly Seer[],
  at: number,
  newId: () => string,
): Work<Asked[]> {
  const asked: Asked[] = []
  const { channel_id, user_id, tag } = shownNotifications
  for (const seer of seers) {
    const parcel = takeBackOf(newId(), seer.user_id, seer.chat_id, at)
    const isIt = and(eq(user_id, seer.user_id), eq(tag, tagOf(parcel.occasion)))
    const shown = db.select({ channel_id }).from(shownNotifications).where(isIt).limit(1)
    if ((yield* first(shown)) !== null) asked.push(parcel)
  }
  return asked
}

/** Whose devices show something of a chat with somebody, both of them. */
export const seersOfChatsWith = (userId: string): Work<Seer[]> =>
  query(sql`
    SELECT DISTINCT c.id AS chat_id, s.user_id
    FROM (SELECT id, user_a, user_b FROM chats WHERE user_a = ${userId}
          UNION ALL SELECT id, user_a, user_b FROM chats WHERE user_b = ${userId}) AS c
      JOIN shown_notifications s ON s.user_id IN (c.user_a, c.user_b) AND s.tag = 'chat_' || c.id`)

/** Removes the channels of sessions that have ended. */
export function* dropChannelsOf(engine: Engine, db: Builders, sessionIds: readonly string[]): Work<void> {
  if (sessionIds.length === 0) return
  const { channels } = engine.tables
  yield* changed(db.delete(channels).where(engine.isAmong(channels.session_id, sessionIds)))
}

/** Removes what an erased account had chosen, and where it was reached. Returns how many rows. */
export function* dropNotifications({ tables }: Engine, db: Builders, userId: string): Work<number> {
  const { channels, notificationPreferences } = tables
  const count = yield* changed(db.delete(channels).where(eq(channels.user_id, userId)))
  return count + (yield* changed(db.delete(notificationPreferences).where(eq(notificationPreferences.user_id, userId))))
}

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
  message_kind: 'text' | 'photo'
  message_text: string | null
}

export function notificationStore(engine: Engine): NotificationStore {
  const { read, write, isAmong, locked } = engine
  const { channels, chats, notices, notificationPreferences, preferences, reports } = engine.tables
  const { reviews, sessions, shownNotifications, users } = engine.tables
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

  const isLasting = ({ began, lastUsed }: Lasting) =>
    and(isNull(sessions.ended_at), gt(sessions.created_at, began), gt(sessions.last_used_at, lastUsed))

  const lastingChannels = (db: Builders, lasting: Lasting, of: Parameters<typeof and>[0]) =>
    db
      .select({ channel: channels })
      .from(channels)
      .innerJoin(sessions, and(eq(sessions.id, channels.session_id), eq(sessions.user_id, channels.user_id)))
      .where(and(of, isLasting(lasting)))
      .orderBy(asc(channels.created_at), asc(channels.id))

  function* channelsOf(db: Builders, lasting: Lasting, of: Parameters<typeof and>[0]): Work<Channel[]> {
    return (yield* rows(lastingChannels(db, lasting, of))).map(({ channel }) => channel)
  }

  return {
    preferences: (userId) => read((db) => preferencesOf(db, userId)),

    savePreferences: (userId, { quiet, ...chosen }) =>
      write(function* (db) {
        if ((yield* holdLiving(engine, db, [userId])).size === 0) return false
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
        if (chosen.digest === 'off') yield* dropDigests(engine, db, userId)
        return true
      }, options),

    endDigest: (userId) =>
      write(function* (db) {
        yield* changed(
          db.update(notificationPreferences).set({ digest: 'off' }).where(eq(notificationPreferences.user_id, userId)),
        )
        yield* dropDigests(engine, db, userId)
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

    channelsStored: (userId) =>
      read(function* (db) {
        const stored = yield* rows(db.select().from(channels).where(eq(channels.user_id, userId)))
        // A handful.
        return stored.toSorted((a, b) => a.created_at - b.created_at)
      }),

    channels: (userId, lasting) => read((db) => channelsOf(db, lasting, eq(channels.user_id, userId))),

    channel: (id, lasting) =>
      read(function* (db) {
        return (yield* channelsOf(db, lasting, eq(channels.id, id)))[0] ?? null
      }),

    addChannel: (channel, lasting, limit) =>
      write(function* (db) {
        const { user_id, session_id, target_hash } = channel
        // Under the lock of the account, so that of many at once no more than the limit are stored.
        if (!(yield* holdLiving(engine, db, [], [user_id])).has(user_id)) return 'no_session'
        const own = db.select({ id: sessions.id }).from(sessions)
        const isOwn = and(eq(sessions.id, session_id), eq(sessions.user_id, user_id), isLasting(lasting))
        if ((yield* first(locked(own.where(isOwn), 'share'))) === null) return 'no_session'
        const others = yield* channelsOf(
          db,
          lasting,
          and(eq(channels.user_id, user_id), ne(channels.target_hash, target_hash)),
        )
        if (others.length >= limit) return 'too_many'
        // Whoever used the device before is not to be told on it.
        yield* changed(
          db.delete(channels).where(and(eq(channels.target_hash, target_hash), ne(channels.user_id, user_id))),
        )
        const { id: _, created_at: __, ...renewed } = channel
        const stored = yield* first(
          db
            .insert(channels)
            .values(channel)
            .onConflictDoUpdate({ target: channels.target_hash, set: { ...renewed, failing_since: null } })
            .returning(),
        )
        return { channel: stored!, created: stored!.id === channel.id }
      }, options),

    removeChannel: (id, userId) =>
      write(function* (db) {
        const isIt = and(eq(channels.id, id), userId === undefined ? undefined : eq(channels.user_id, userId))
        return (yield* changed(db.delete(channels).where(isIt))) > 0
      }, options),

    removeOld: (lasting, shownBefore, limit) =>
      write(function* (db) {
        const over = yield* query<{ id: string }>(sql`
          SELECT id FROM channels c WHERE NOT EXISTS (
            SELECT 1 FROM sessions s WHERE s.id = c.session_id AND s.user_id = c.user_id AND s.ended_at IS NULL
              AND s.created_at > ${lasting.began} AND s.last_used_at > ${lasting.lastUsed}) LIMIT ${limit}`)
        const ids = over.map(({ id }) => id)
        const gone = ids.length === 0 ? 0 : yield* changed(db.delete(channels).where(isAmong(channels.id, ids)))
        const old = lt(shownNotifications.at, shownBefore)
        const { channel_id } = shownNotifications
        const some = yield* rows(db.select({ channel_id }).from(shownNotifications).where(old).limit(limit))
        if (some.length === 0) return gone
        const ofSome = isAmong(
          channel_id,
          some.map((shown) => shown.channel_id),
        )
        return gone + (yield* changed(db.delete(shownNotifications).where(and(ofSome, old))))
      }, options),

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

    // One statement, and so one moment.
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
        const found = yield* first(
          db
            .select({ count: sql`count(*)`.mapWith(Number), oldest: sql<number | null>`min(${reports.created_at})` })
            .from(reports)
            .where(and(eq(reports.status, 'open'), isNot(reports.subject_id), isNot(reports.reviewed_id))),
        )
        return { count: found!.count, oldest: found!.oldest === null ? null : Number(found!.oldest) }
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
        // The channel may have gone meanwhile.
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

    failing: (channelId, at) =>
      write(function* (db) {
        const isFirst = and(eq(channels.id, channelId), isNull(channels.failing_since))
        yield* changed(db.update(channels).set({ failing_since: at }).where(isFirst))
      }, options),

    digests: ({ now, unreadBefore, lastBefore }, after, limit) =>
      read(function* () {
        const wanted = yield* query<{ user_id: string }>(sql`
          SELECT user_id FROM notification_preferences
          WHERE digest = 'daily' AND user_id > ${after} AND coalesce(digest_at, 0) <= ${lastBefore} ORDER BY user_id LIMIT ${limit}`)
        const candidates: DigestCandidate[] = []
        for (const { user_id } of wanted) {
          const side = (mine: string, other: string) => sql`
            SELECT c.id, c.user_${sql.raw(mine)} AS user_id, c.user_${sql.raw(other)} AS other_id, c.read_to_${sql.raw(mine)} AS read_to FROM chats c
            WHERE c.user_${sql.raw(mine)} = ${user_id} AND c.unread_${sql.raw(mine)} > 0
              AND coalesce(c.muted_${sql.raw(mine)}, 0) <= ${now}`
          const [found] = yield* query<DigestCandidate & { newest: number | null; digest_at: number | null }>(sql`
            SELECT u.id AS user_id, u.email, coalesce(l.language, 'en') AS language, p.digest_at,
              x.messages, x.chats, x.newest
            FROM notification_preferences p JOIN users u ON u.id = p.user_id
              LEFT JOIN preferences l ON l.user_id = u.id
              CROSS JOIN (
                SELECT count(*) AS messages, count(DISTINCT m.chat_id) AS chats, max(m.created_at) AS newest
                FROM (${side('a', 'b')} UNION ALL ${side('b', 'a')}) AS t
                  JOIN users o ON o.id = t.other_id AND o.deleted_at IS NULL AND coalesce(o.suspended_until, 0) <= ${now}
                  JOIN messages m ON m.chat_id = t.id AND m.seq > t.read_to AND m.sender_id = t.other_id
                    AND m.read_at IS NULL AND m.deleted_at IS NULL AND m.created_at <= ${unreadBefore}
                WHERE NOT ${sql.raw(isBlockedPair('t.other_id', 't.user_id'))}) AS x
            WHERE p.user_id = ${user_id} AND p.digest = 'daily' AND coalesce(p.digest_at, 0) <= ${lastBefore}
              AND u.email IS NOT NULL AND u.email_verified_at IS NOT NULL AND u.deleted_at IS NULL
              AND coalesce(u.suspended_until, 0) <= ${now}`)
          if (found === undefined || found.newest === null) continue
          const { newest, digest_at, ...candidate } = found
          // What the last digest told of is not told again, but counted with what has come since.
          const toldTo = digest_at === null ? 0 : digest_at - (now - unreadBefore)
          if (newest > toldTo) candidates.push(candidate)
        }
        return { candidates, last: wanted.length < limit ? null : wanted.at(-1)!.user_id }
      }),

    sendDigest: (userId, now, lastBefore, mail) =>
      write(function* (db) {
        const isDue = sql`user_id = ${userId} AND digest = 'daily' AND coalesce(digest_at, 0) <= ${lastBefore}`
        const noted = yield* changed(db.update(notificationPreferences).set({ digest_at: now }).where(isDue))
        if (noted === 0) return false
        yield* enqueue(engine, db, [mail])
        return true
      }, options),
  }
}

/** Removes digests that wait, of somebody who wants none any more. */
function* dropDigests({ tables: { outbox }, jsonText }: Engine, db: Builders, userId: string): Work<void> {
  const isDigest = eq(jsonText(outbox.payload, 'about'), 'digest')
  yield* changed(db.delete(outbox).where(and(eq(outbox.user_id, userId), eq(outbox.kind, 'mail'), isDigest)))
}
