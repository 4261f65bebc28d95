import { and, eq, sql } from 'drizzle-orm'
import {
  afterRelease,
  afterSend,
  arrives,
  asStored,
  nextNumber,
  noPhoto,
  rowOf,
  viewersOf,
  type SendRefusal,
  sendVerdict,
  type ShownPhoto,
} from '../../features/chats/rules.ts'
import type { EventNumbers, Message, NewMessage, Reported } from '../../features/chats/store.ts'
import { isTheirs } from '../image-use.ts'
import { isBlockedPair } from './blocks.ts'
import { type Builders, changed, type Engine, first, one, rows, type Work } from './engine.ts'
import { holdLiving } from './living.ts'
import { asHeld, holdMessage, selectHeld, selectMessages } from './messages.ts'
import { askedOfMessage, askNotifications } from './asked-notifications.ts'
import { fileReport } from './reports.ts'

// Rules report few messages, so storing them is written once for both engines.

type Sent = {
  message: NewMessage
  otherId: string
  /** As in the port's `append`. */
  untilReply: number | null
  notifyAt: number | null
  reported: Reported
}
type Answer = { message: Message; created: boolean; events: EventNumbers } | SendRefusal

// The rules need no higher count.
const mostCounted = 100

/** Stores a message together with the report that rules require. If they hold it, only its sender gets an event. */
export function appendReported(engine: Engine, sent: Sent): Promise<Answer> {
  return engine.write((db) => append(engine, db, sent), { keepsProfileCache: true })
}

function* append(
  engine: Engine,
  db: Builders,
  { message: given, otherId, untilReply, notifyAt, reported }: Sent,
): Work<Answer> {
  const { chats, heldMessages, media, messages } = engine.tables
  const { chat_id, sender_id, client_id, photo_id, created_at } = given
  const living = yield* holdLiving(engine, db, [sender_id, otherId])
  const chat = yield* first(engine.locked(db.select().from(chats).where(eq(chats.id, chat_id)), 'no key update'))
  if (chat === null) throw new Error('a message to a chat that does not exist')

  function* countOf(table: typeof messages | typeof heldMessages, userId: string): Work<number> {
    const isTheirOwn = and(eq(table.chat_id, chat_id), eq(table.sender_id, userId))
    return (yield* rows(db.select({ seq: table.seq }).from(table).where(isTheirOwn).limit(mostCounted))).length
  }
  function* firstOf(clientId: string): Work<Message | null> {
    const isIt = (table: typeof messages | typeof heldMessages) =>
      and(eq(table.sender_id, sender_id), eq(table.client_id, clientId))
    const message = yield* first<Message>(selectMessages(engine, db).where(isIt(messages)))
    if (message !== null) return message
    const held = yield* first(selectHeld(engine, db).where(isIt(heldMessages)))
    return held && asHeld(held)
  }
  const sentBefore = client_id === null ? null : yield* firstOf(client_id)
  const { width: photo_width, height: photo_height, placeholder: photo_placeholder } = media
  const ownPhoto = db
    .select({ photo_width, photo_height, photo_placeholder })
    .from(media)
    .where(and(eq(media.id, photo_id ?? ''), eq(media.owner_id, sender_id), sql.raw(isTheirs)))
  const photo: ShownPhoto | null = photo_id === null ? noPhoto : yield* first(engine.locked(ownPhoto, 'share'))
  const verdict = sendVerdict({
    blocked: yield* isBlockedPair(engine, db, chat.user_a, chat.user_b),
    erased: !living.has(sender_id) || !living.has(otherId),
    untilReply,
    sent: untilReply === null ? 0 : (yield* countOf(messages, sender_id)) + (yield* countOf(heldMessages, sender_id)),
    answered: untilReply !== null && (yield* countOf(messages, otherId)) > 0,
    first: sentBefore,
    photo,
  })
  if (verdict.is === 'refused') return verdict.why
  if (verdict.is === 'repeated') return { message: verdict.message, created: false, events: [] }

  const { held } = reported
  const seq = nextNumber(chat)
  const byA = chat.user_a === sender_id
  const row = rowOf(given, seq)
  const inserted = yield* changed(
    db
      .insert(held ? heldMessages : messages)
      .values(row)
      .onConflictDoNothing(),
  )
  if (inserted === 0) {
    // A message to another chat has taken the `client_id` since the look-up above.
    const taken = client_id === null ? null : yield* firstOf(client_id)
    if (taken === null) throw new Error('a message that could not be stored')
    return { message: taken, created: false, events: [] }
  }
  if (held) {
    const newest = byA ? { held_a: seq, held_at_a: created_at } : { held_b: seq, held_at_b: created_at }
    yield* changed(db.update(chats).set(newest).where(eq(chats.id, chat_id)))
  } else {
    yield* changed(db.update(chats).set(afterSend(chat, { sender_id, seq, created_at })).where(eq(chats.id, chat_id)))
    if (notifyAt !== null) yield* askNotifications(engine, db, [askedOfMessage(given, otherId, notifyAt)])
  }
  yield* fileReport(engine, db, reported)
  const told = viewersOf({ sender_id, held }, chat)
  const events = yield* engine.recordEvents(db, told, 'message', created_at, { ref: given.id })
  const message = asStored(given, seq, verdict.photo)
  return { message: held ? asHeld(message) : message, created: true, events }
}

/**
 * Delivers a held message at its original place, inside the unit of work that decides so and has locked both accounts.
 * Returns the message and its recipient; null if it is gone or must not arrive.
 */
export function* releaseMessage(
  engine: Engine,
  db: Builders,
  messageId: string,
  living: ReadonlySet<string>,
  { at, notifyAt }: { at: number; notifyAt: number | null },
): Work<{ message: Message; otherId: string } | null> {
  const { chats, heldMessages, messages } = engine.tables
  const found = yield* holdMessage(engine, db, messageId)
  if (!found?.message.held) return null
  const { chat, message } = found
  const { sender_id } = message
  const otherId = chat.user_a === sender_id ? chat.user_b : chat.user_a
  const isArriving = arrives({
    blocked: yield* isBlockedPair(engine, db, chat.user_a, chat.user_b),
    erased: !living.has(sender_id) || !living.has(otherId),
    deleted: message.deleted_at !== null,
  })
  if (!isArriving) return null
  yield* changed(db.delete(heldMessages).where(eq(heldMessages.id, messageId)))
  // A node of the previous release may have used the number or the `client_id` of the held message.
  const isTaken = and(eq(messages.chat_id, chat.id), eq(messages.seq, message.seq))
  const taken = yield* first(db.select({ id: messages.id }).from(messages).where(isTaken))
  const seq = taken === null ? message.seq : nextNumber(chat)
  const isRepeated = and(eq(messages.sender_id, sender_id), eq(messages.client_id, message.client_id ?? ''))
  const same = yield* first(db.select({ id: messages.id }).from(messages).where(isRepeated))
  const client_id = same === null ? message.client_id : null
  yield* changed(db.insert(messages).values({ ...message, seq, client_id }))
  const newest = yield* one(
    db
      .select({
        seq: sql`coalesce(max(${heldMessages.seq}), 0)`.mapWith(Number),
        at: sql`coalesce(max(${heldMessages.created_at}), 0)`.mapWith(Number),
      })
      .from(heldMessages)
      .where(and(eq(heldMessages.chat_id, chat.id), eq(heldMessages.sender_id, sender_id))),
  )
  const left =
    chat.user_a === sender_id
      ? { held_a: newest.seq, held_at_a: newest.at }
      : { held_b: newest.seq, held_at_b: newest.at }
  const arrived = { ...message, seq, client_id, held: false }
  yield* changed(
    db
      .update(chats)
      .set({ ...afterRelease(chat, arrived), ...left })
      .where(eq(chats.id, chat.id)),
  )
  if (notifyAt !== null) {
    // The message's own time would be too old for a notification.
    const asked = { ...askedOfMessage(arrived, otherId, notifyAt), at }
    yield* askNotifications(engine, db, [asked])
  }
  return { message: arrived, otherId }
}
