import { and, eq, sql } from 'drizzle-orm'
import { slotOf, tagOf } from '../../features/notifications/rules.ts'
import type { Asked } from '../../features/notifications/store.ts'
import { type Builders, changed, type Engine, first, query, rows, type Work } from './engine.ts'
import { enqueue, onTakenSlot } from './outbox.ts'

/**
 * Puts a notification into the outbox if its user has a channel. Values: id, user, payload, time, due time, slot. Plain text,
 * which each engine prepares, because every message runs it.
 */
export const insertAsked = (value: (n: number) => string) => `
  INSERT INTO outbox (id, kind, user_id, payload, created_at, due_at, slot)
  SELECT ${value(1)}, 'notification', ${value(2)}, ${value(3)}, ${value(4)}, ${value(5)}, ${value(6)}
  WHERE (SELECT 1 FROM channels WHERE user_id = ${value(2)} LIMIT 1) IS NOT NULL ${onTakenSlot}`

/** The same, if a device of the user shows something with a tag, which is one more value. */
export const insertTakeBack = (value: (n: number) => string) => `
  INSERT INTO outbox (id, kind, user_id, payload, created_at, due_at, slot)
  SELECT ${value(1)}, 'notification', ${value(2)}, ${value(3)}, ${value(4)}, ${value(5)}, ${value(6)}
  WHERE (SELECT 1 FROM shown_notifications WHERE user_id = ${value(2)} AND tag = ${value(7)} LIMIT 1) IS NOT NULL
  ${onTakenSlot}`

/** A request to update at once what a user's devices show of a chat. */
export const takeBackOf = (id: string, user_id: string, chat_id: string, now: number): Asked => ({
  ...{ id, user_id, at: now, due_at: now },
  occasion: { about: 'message', chat_id },
})

/** A request to notify somebody of a new message. It has the message's id. */
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

/** Requests an update of what a user's devices show, if they show anything of it. */
export function* askToTakeBack(engine: Engine, db: Builders, asked: Asked): Work<void> {
  const { shownNotifications } = engine.tables
  const isIt = and(eq(shownNotifications.user_id, asked.user_id), eq(shownNotifications.tag, tagOf(asked.occasion)))
  const { channel_id } = shownNotifications
  if ((yield* first(db.select({ channel_id }).from(shownNotifications).where(isIt).limit(1))) !== null)
    yield* askNotifications(engine, db, [asked])
}

/** A member of a chat, whose devices may show something of it. */
export type Seer = { chat_id: string; user_id: string }

/** The requests to update what devices show of chats, for the members whose devices show something of them. */
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

/** The members of somebody's chats, that person included, whose devices show something of the chat. */
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

/** Removes the notification preferences and channels of an erased account. Returns how many rows. */
export function* dropNotifications({ tables }: Engine, db: Builders, userId: string): Work<number> {
  const { channels, notificationPreferences } = tables
  const count = yield* changed(db.delete(channels).where(eq(channels.user_id, userId)))
  return count + (yield* changed(db.delete(notificationPreferences).where(eq(notificationPreferences.user_id, userId))))
}
