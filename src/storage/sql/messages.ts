import { count, eq, getTableColumns, inArray, max } from 'drizzle-orm'
import { editVerdict, tombstone, unreadWithout, versionTime } from '../../features/chats/rules.ts'
import type { ChatStore, Message } from '../../features/chats/store.ts'
import { isBlockedPair } from './blocks.ts'
import { type Builders, changed, type Engine, first, type Work } from './engine.ts'
import { livingAmong } from './living.ts'
import { askToTakeBack, takeBackOf } from './notifications.ts'

/** Selects messages with what is known of their photos. */
export function selectMessages({ tables: { messages, media } }: Engine, db: Builders) {
  const photo = { photo_width: media.width, photo_height: media.height, photo_placeholder: media.placeholder }
  return db
    .select({ ...getTableColumns(messages), ...photo })
    .from(messages)
    .leftJoin(media, eq(media.id, messages.photo_id))
}

/**
 * Locks the chat of a message, under whose lock all its messages change, and reads both. Null where there is no such
 * message or it is deleted.
 */
export function* holdMessage(engine: Engine, db: Builders, messageId: string) {
  const { chats, messages } = engine.tables
  const chatOfMessage = db.select({ id: messages.chat_id }).from(messages).where(eq(messages.id, messageId))
  const chat = yield* first(
    engine.locked(db.select().from(chats).where(inArray(chats.id, chatOfMessage)), 'no key update'),
  )
  const message = yield* first<Message>(selectMessages(engine, db).where(eq(messages.id, messageId)))
  return chat === null || message === null || message.deleted_at !== null ? null : { chat, message }
}

/** Keeps what a message says for moderation, before that changes. */
function* keepVersion(
  { tables: { messageVersions } }: Engine,
  db: Builders,
  { id, chat_id, text }: Message,
  now: number,
): Work<void> {
  if (text === null) return
  const ofMessage = eq(messageVersions.message_id, id)
  const newest = yield* first(
    db
      .select({ at: max(messageVersions.at) })
      .from(messageVersions)
      .where(ofMessage),
  )
  // SQLite's table is without the chat.
  const version = { chat_id, message_id: id, at: versionTime(now, newest!.at), text }
  yield* changed(db.insert(messageVersions).values(version))
}

/**
 * Makes a tombstone of a message, inside the unit of work that tells its members. Returns the message as it was and as it
 * is, and the members; null where there is no such message or it is a tombstone already.
 */
export function* removeMessage(
  engine: Engine,
  db: Builders,
  messageId: string,
  now: number,
): Work<{ before: Message; message: Message; members: [string, string] } | null> {
  const { chats, messages } = engine.tables
  const held = yield* holdMessage(engine, db, messageId)
  if (held === null) return null
  const { chat, message: before } = held
  const message = tombstone(before, now)
  yield* keepVersion(engine, db, before, now)
  yield* changed(
    db
      .update(messages)
      .set({ text: message.text, photo_id: message.photo_id, caution: message.caution, deleted_at: message.deleted_at })
      .where(eq(messages.id, messageId)),
  )
  yield* changed(db.update(chats).set(unreadWithout(before, chat)).where(eq(chats.id, chat.id)))
  return { before, message, members: [chat.user_a, chat.user_b] }
}

/** What changes a message that was sent. */
export function messageChanges(engine: Engine): Pick<ChatStore, 'edit' | 'remove'> {
  const { messages, messageVersions } = engine.tables
  // Nothing here changes what is shown of people.
  const options = { keepsProfileCache: true }

  /** Tells the members, but keeps nothing for one whose account is erased. */
  function* tell(
    db: Builders,
    members: string[],
    type: 'message_edited' | 'message_deleted',
    now: number,
    messageId: string,
  ) {
    const living = yield* livingAmong(engine, db, members)
    const present = members.filter((id) => living.has(id))
    return yield* engine.recordEvents(db, present, type, now, { ref: messageId })
  }

  return {
    edit: (chat, messageId, text, now, maxVersions, caution = null) =>
      engine.write(function* (db) {
        const held = yield* holdMessage(engine, db, messageId)
        if (held === null) return null
        const ofMessage = eq(messageVersions.message_id, messageId)
        const versions = yield* first(db.select({ n: count() }).from(messageVersions).where(ofMessage))
        const blocked = yield* isBlockedPair(engine, db, chat.user_a, chat.user_b)
        const refused = editVerdict({ blocked, versions: versions!.n, maxVersions })
        if (refused) return refused
        yield* keepVersion(engine, db, held.message, now)
        yield* changed(db.update(messages).set({ text, caution, edited_at: now }).where(eq(messages.id, messageId)))
        const events = yield* tell(db, [chat.user_a, chat.user_b], 'message_edited', now, messageId)
        return { message: { ...held.message, text, caution, edited_at: now }, events }
      }, options),

    remove: (chat, messageId, now, takeBack = null) =>
      engine.write(function* (db) {
        const removed = yield* removeMessage(engine, db, messageId, now)
        if (removed === null) return null
        const events = yield* tell(db, removed.members, 'message_deleted', now, messageId)
        const otherId = removed.message.sender_id === chat.user_a ? chat.user_b : chat.user_a
        if (takeBack !== null) yield* askToTakeBack(engine, db, takeBackOf(takeBack, otherId, chat.id, now))
        return { message: removed.message, photo_id: removed.before.photo_id, events }
      }, options),
  }
}
