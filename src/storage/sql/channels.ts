import { and, asc, eq, gt, isNull, lt, ne, sql } from 'drizzle-orm'
import type { Channel, Lasting, NotificationStore } from '../../features/notifications/store.ts'
import { type Builders, changed, type Engine, first, one, query, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { hasRoomForChannel } from '../../features/notifications/rules.ts'

/** Where a user's notifications go: devices, each with the session that added it. */
export function channelStore(
  engine: Engine,
): Pick<
  NotificationStore,
  'channelsStored' | 'channels' | 'channel' | 'addChannel' | 'removeChannel' | 'removeOld' | 'failing'
> {
  const { read, write, isAmong, locked } = engine
  const { channels, sessions, shownNotifications } = engine.tables
  const options = { keepsProfileCache: true }

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
    channelsStored: (userId) =>
      read(function* (db) {
        const stored = yield* rows(db.select().from(channels).where(eq(channels.user_id, userId)))
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
        // Under the account's lock, so that concurrent calls cannot exceed the limit.
        if (!(yield* holdLiving(engine, db, [], [user_id])).has(user_id)) return 'no_session'
        const own = db.select({ id: sessions.id }).from(sessions)
        const isOwn = and(eq(sessions.id, session_id), eq(sessions.user_id, user_id), isLasting(lasting))
        if ((yield* first(locked(own.where(isOwn), 'share'))) === null) return 'no_session'
        const others = yield* channelsOf(
          db,
          lasting,
          and(eq(channels.user_id, user_id), ne(channels.target_hash, target_hash)),
        )
        if (!hasRoomForChannel({ others: others.length, limit })) return 'too_many'
        // The previous user of the device must not be notified on it.
        yield* changed(
          db.delete(channels).where(and(eq(channels.target_hash, target_hash), ne(channels.user_id, user_id))),
        )
        const { id: _, created_at: __, ...renewed } = channel
        const stored = yield* one(
          db
            .insert(channels)
            .values(channel)
            .onConflictDoUpdate({ target: channels.target_hash, set: { ...renewed, failing_since: null } })
            .returning(),
        )
        return { channel: stored, created: stored.id === channel.id }
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

    failing: (channelId, at) =>
      write(function* (db) {
        const isFirst = and(eq(channels.id, channelId), isNull(channels.failing_since))
        yield* changed(db.update(channels).set({ failing_since: at }).where(isFirst))
      }, options),
  }
}
