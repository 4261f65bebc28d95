import { and, count, eq, getTableColumns, inArray, isNull, max } from 'drizzle-orm'
import { cleared, editVerdict, viewersOf, tombstone, unreadWithout, versionTime } from '../../features/chats/rules.ts'
import type { ChatStore, Message } from '../../features/chats/store.ts'
import { evidenceAfterEdit } from '../../features/safety/rules.ts'
import type { Evidence } from '../../features/safety/store.ts'
import { isBlockedPair } from './blocks.ts'
import { type Builders, changed, type Engine, first, one, type Work } from './engine.ts'
import { holdLiving, livingAmong } from './living.ts'
import { askToTakeBack, takeBackOf } from './asked-notifications.ts'
import { noClaim, nothingPending } from './report-locks.ts'
import { fileReport } from './reports.ts'

/** Selects messages with the dimensions and placeholders of their photos. */
export function selectMessages({ tables: { messages, media } }: Engine, db: Builders) {
  const photo = { photo_width: media.width, photo_height: media.height, photo_placeholder: media.placeholder }
  return db
    .select({ ...getTableColumns(messages), ...photo })
    .from(messages)
    .leftJoin(media, eq(media.id, messages.photo_id))
}

/** The same for messages that a rule holds or has held, which only their senders see. */
export function selectHeld({ tables: { heldMessages, media } }: Engine, db: Builders) {
  const photo = { photo_width: media.width, photo_height: media.height, photo_placeholder: media.placeholder }
  return db
    .select({ ...getTableColumns(heldMessages), ...photo })
    .from(heldMessages)
    .leftJoin(media, eq(media.id, heldMessages.photo_id))
}

export const asHeld = (message: Omit<Message, 'read_at' | 'held'>): Message => ({
  ...message,
  read_at: null,
  held: true,
})

/** A message, or one that is held; null if there is none. */
function* messageOf(engine: Engine, db: Builders, messageId: string): Work<Message | null> {
  const { heldMessages, messages } = engine.tables
  const message = yield* first<Message>(selectMessages(engine, db).where(eq(messages.id, messageId)))
  if (message !== null) return message
  const held = yield* first(selectHeld(engine, db).where(eq(heldMessages.id, messageId)))
  return held && asHeld(held)
}

/**
 * Locks the chat of a message (all changes of messages happen under this lock) and reads both. Null if there is no such
 * message or it is deleted.
 */
export function* holdMessage(engine: Engine, db: Builders, messageId: string) {
  const { chats, heldMessages, messages } = engine.tables
  const chatOfMessage = db
    .select({ id: messages.chat_id })
    .from(messages)
    .where(eq(messages.id, messageId))
    .unionAll(db.select({ id: heldMessages.chat_id }).from(heldMessages).where(eq(heldMessages.id, messageId)))
  const chat = yield* first(
    engine.locked(db.select().from(chats).where(inArray(chats.id, chatOfMessage)), 'no key update'),
  )
  const message = yield* messageOf(engine, db, messageId)
  return chat === null || message === null || message.deleted_at !== null ? null : { chat, message }
}

/** Stores a message's present text for moderation before it changes. */
function* keepVersion(
  { tables: { messageVersions } }: Engine,
  db: Builders,
  { id, chat_id, text }: Message,
  now: number,
): Work<void> {
  if (text === null) return
  const ofMessage = eq(messageVersions.message_id, id)
  const newest = yield* one(
    db
      .select({ at: max(messageVersions.at) })
      .from(messageVersions)
      .where(ofMessage),
  )
  // SQLite's table has no `chat_id`, and Drizzle drops it there.
  const version = { chat_id, message_id: id, at: versionTime(now, newest.at), text }
  yield* changed(db.insert(messageVersions).values(version))
}

/**
 * Turns a message into a tombstone, inside the unit of work that records the events. Returns the message before and after,
 * and who sees it; null if there is no such message or it is a tombstone already.
 */
export function* removeMessage(
  engine: Engine,
  db: Builders,
  messageId: string,
  now: number,
): Work<{ before: Message; message: Message; members: string[] } | null> {
  const { chats, heldMessages, messages } = engine.tables
  const found = yield* holdMessage(engine, db, messageId)
  if (found === null) return null
  const { chat, message: before } = found
  const message = tombstone(before, now)
  if (before.held) {
    // Its text is in the evidence of its report.
    yield* changed(
      db
        .update(heldMessages)
        .set({ ...cleared, deleted_at: now })
        .where(eq(heldMessages.id, messageId)),
    )
    return { before, message, members: viewersOf(before, chat) }
  }
  yield* keepVersion(engine, db, before, now)
  yield* changed(
    db
      .update(messages)
      .set({ ...cleared, deleted_at: now })
      .where(eq(messages.id, messageId)),
  )
  yield* changed(db.update(chats).set(unreadWithout(before, chat)).where(eq(chats.id, chat.id)))
  return { before, message, members: viewersOf(before, chat) }
}

const noRules = { onlyHeld: false, filing: null }

/** The changes of messages that were sent. */
export function messageChanges(engine: Engine): Pick<ChatStore, 'edit' | 'remove'> {
  const { heldMessages, messages, messageVersions, reports } = engine.tables
  // These writes change no profile.
  const options = { keepsProfileCache: true }

  const isOpenHeld = (messageId: string) =>
    and(
      isNull(reports.reporter_id),
      eq(reports.target, 'message'),
      eq(reports.target_id, messageId),
      eq(reports.status, 'open'),
      eq(reports.kind, 'held'),
    )

  function* evidenceOfHeld(db: Builders, messageId: string): Work<Evidence | null> {
    const report = db.select({ evidence: reports.evidence }).from(reports).where(isOpenHeld(messageId))
    return (yield* first(engine.locked(report, 'update')))?.evidence ?? null
  }

  /** Records an event for each member whose account is not erased. */
  function* recordFor(
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
    edit: (chat, messageId, text, now, maxVersions, caution = null, { onlyHeld, filing } = noRules) =>
      engine.write(function* (db) {
        if (filing !== null) yield* holdLiving(engine, db, [filing.report.subject_id])
        const found = yield* holdMessage(engine, db, messageId)
        if (found === null) return null
        const { message: before } = found
        const evidence = before.held ? yield* evidenceOfHeld(db, messageId) : null
        const ofMessage = eq(messageVersions.message_id, messageId)
        const versions = yield* one(db.select({ n: count() }).from(messageVersions).where(ofMessage))
        const blocked = yield* isBlockedPair(engine, db, chat.user_a, chat.user_b)
        const refused = editVerdict({
          blocked,
          held: before.held ?? false,
          onlyHeld,
          versions: evidence?.versions.length ?? versions.n,
          maxVersions,
        })
        if (refused) return refused
        const message = { ...before, text, caution, edited_at: now }
        if (before.held) {
          yield* changed(
            db.update(heldMessages).set({ text, caution, edited_at: now }).where(eq(heldMessages.id, messageId)),
          )
          // The moderator has not read this text: the claim ends, and a pending decision is not carried out.
          if (evidence !== null)
            yield* changed(
              db
                .update(reports)
                .set({ evidence: evidenceAfterEdit(evidence, message, now), ...noClaim, ...nothingPending })
                .where(isOpenHeld(messageId)),
            )
        } else {
          yield* keepVersion(engine, db, before, now)
          yield* changed(db.update(messages).set({ text, caution, edited_at: now }).where(eq(messages.id, messageId)))
          if (filing !== null) yield* fileReport(engine, db, filing)
        }
        const seers = viewersOf(before, chat)
        const events = yield* recordFor(db, seers, 'message_edited', now, messageId)
        return { message, events }
      }, options),

    remove: (chat, messageId, now, takeBack = null) =>
      engine.write(function* (db) {
        const removed = yield* removeMessage(engine, db, messageId, now)
        if (removed === null) return null
        const events = yield* recordFor(db, removed.members, 'message_deleted', now, messageId)
        const otherId = removed.message.sender_id === chat.user_a ? chat.user_b : chat.user_a
        if (takeBack !== null && !removed.message.held)
          yield* askToTakeBack(engine, db, takeBackOf(takeBack, otherId, chat.id, now))
        return { message: removed.message, photo_id: removed.before.photo_id, events }
      }, options),
  }
}
