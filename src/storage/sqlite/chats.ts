import {
  afterReading,
  asStored,
  type ChatNumbers,
  marksRead,
  nextNumber,
  noPhoto,
  rowOf,
  sendVerdict,
  type ShownPhoto,
  startVerdict,
  storedColumns,
  type StoredRow,
} from '../../features/chats/rules.ts'
import type { Chat, ChatStore, Message } from '../../features/chats/store.ts'
import type { DurableType } from '../../realtime/events.ts'
import { isTheirs } from '../image-use.ts'
import {
  chatColumns,
  chatReads,
  finds,
  livingOf,
  nothingRead,
  type PairRow,
  pairStateOf,
  readEvent,
  readMarks,
  type ReadState,
  asHeld,
  selectByClientId,
  selectHeldByClientId,
  selectPairState,
} from '../sql/chats.ts'
import type { Engine } from '../sql/engine.ts'
import { messageChanges } from '../sql/messages.ts'
import { appendReported } from '../sql/reported-messages.ts'
import type { Db } from './database.ts'
import { sqliteDialect, value } from './dialect.ts'
import { eventRecorder } from './events.ts'
import { askedOfMessage, askedValues, insertAsked, insertTakeBack, takeBackOf } from '../sql/asked-notifications.ts'
import { tagOf } from '../../features/notifications/rules.ts'
import type { Reads } from './reads.ts'
import type { Writer } from './writer.ts'
import { oneRow } from './one-row.ts'

// Sends and read marks are written per engine, because they are the most frequent writes: here each statement is prepared and
// synchronous; on PostgreSQL, statements share round trips, and messages of several chats share a transaction.

export function chatStore(db: Db, writer: Writer, reads: Reads, engine: Engine): ChatStore {
  const client = db.$client
  const record = eventRecorder(db)

  const insertChat = client.prepare<Chat, [string, string, string, number]>(
    `INSERT INTO chats (id, user_a, user_b, created_at) VALUES (?, ?, ?, ?)
     RETURNING ${chatColumns}`,
  )
  const chatOfPair = client.prepare<Chat, [string, string]>(
    `SELECT ${chatColumns} FROM chats WHERE user_a = ? AND user_b = ?`,
  )
  const pair = client.prepare<PairRow, [string, string]>(selectPairState({ value }))

  // One statement, because sends are the most frequent writes. Few recipients have a device to notify.
  const beforeSend = client.prepare<PairRow & ChatNumbers & { has_channel: 0 | 1 }, [string, string, string]>(`
    ${selectPairState({ value })}, last_seq, held_a, held_b,
      ${finds(`SELECT 1 FROM channels WHERE user_id = ${value(2)}`)} AS has_channel
    FROM chats WHERE id = ${value(3)}`)
  const insertMessage = client.prepare<null, [StoredRow]>(
    `INSERT INTO messages (${storedColumns.join()}) VALUES (${storedColumns.map((name) => `$${name}`).join()})`,
  )
  const touchChat = client.prepare<null, [{ seq: number; at: number; sender: string; chat: string }]>(
    // A clock that was set back must not move the chat down.
    `UPDATE chats SET last_seq = $seq, last_msg_at = max(coalesce(last_msg_at, 0), $at),
       unread_a = unread_a + (user_a <> $sender), unread_b = unread_b + (user_b <> $sender),
       wrote_a = wrote_a OR user_a = $sender, wrote_b = wrote_b OR user_b = $sender
     WHERE id = $chat`,
  )
  const sentBy = client.prepare<{ n: number }, [string, string]>(
    'SELECT count(*) AS n FROM (SELECT 1 FROM messages WHERE chat_id = +? AND sender_id = +? LIMIT 100)',
  )
  const heldBy = client.prepare<{ n: number }, [string, string]>(
    'SELECT count(*) AS n FROM (SELECT 1 FROM held_messages WHERE chat_id = +? AND sender_id = +? LIMIT 100)',
  )
  const ownPhoto = client.prepare<ShownPhoto, [string, string]>(`
    SELECT width AS photo_width, height AS photo_height, placeholder AS photo_placeholder FROM media
    WHERE id = ? AND owner_id = ? AND ${isTheirs}`)
  const byClientId = client.prepare<Message, [string, string]>(selectByClientId({ value }))
  const heldByClientId = client.prepare<Message, [string, string]>(selectHeldByClientId({ value }))
  function firstOf(senderId: string, clientId: string): Message | null {
    const message = byClientId.get(senderId, clientId)
    if (message !== null) return message
    const held = heldByClientId.get(senderId, clientId)
    return held && asHeld(held)
  }

  type Asked = [string, string, string, number, number, string]
  const ask = client.prepare<null, Asked>(insertAsked((n) => `?${n}`))
  const takeBack = client.prepare<null, [...Asked, string]>(insertTakeBack((n) => `?${n}`))

  const markStatements = (side: 'a' | 'b') => {
    const { state, newest, mark, keep } = readMarks({ value }, side)
    return {
      state: client.prepare<ReadState, [string]>(state),
      newest: client.prepare<{ id: string }, [string, string, number, number]>(newest),
      mark: client.prepare<null, [string, string, number, number, number]>(mark),
      keep: client.prepare<null, [string, number, number]>(keep),
    }
  }
  const marksOf = { a: markStatements('a'), b: markStatements('b') }

  const recordForEach = (userIds: string[], type: DurableType, at: number, event: { ref?: string; data?: unknown }) =>
    userIds.map((user_id) => ({ user_id, seq: record(user_id, type, at, event) }))

  return {
    ...chatReads(sqliteDialect(db, reads)),

    ensure: ({ id, user_a, user_b, created_at }, notify = null) =>
      writer.write(() => {
        const existing = chatOfPair.get(user_a, user_b)
        if (existing) return { chat: existing, created: false, events: [] }
        const refused = startVerdict(pairStateOf(oneRow(pair.get(user_a, user_b))))
        if (refused) return refused
        const chat = oneRow(insertChat.get(id, user_a, user_b, created_at))
        const events = recordForEach([user_a, user_b], 'chat', created_at, { ref: id })
        if (notify !== null)
          ask.run(...askedValues({ id, ...notify, occasion: { about: 'chat', chat_id: id }, at: created_at }))
        return { chat, created: true, events }
      }, keepsProfileCache),

    append: (message, otherId, untilReply, notifyAt = null, reported = null) => {
      if (reported !== null) return appendReported(engine, { message, otherId, untilReply, notifyAt, reported })
      return writer.write(() => {
        const { chat_id, sender_id, client_id, photo_id, created_at } = message
        const before = oneRow(beforeSend.get(sender_id, otherId, chat_id))
        const verdict = sendVerdict({
          ...pairStateOf(before),
          untilReply,
          sent:
            untilReply === null
              ? 0
              : oneRow(sentBy.get(chat_id, sender_id)).n + oneRow(heldBy.get(chat_id, sender_id)).n,
          answered: untilReply !== null && oneRow(sentBy.get(chat_id, otherId)).n > 0,
          first: client_id === null ? null : firstOf(sender_id, client_id),
          photo: photo_id === null ? noPhoto : ownPhoto.get(photo_id, sender_id),
        })
        if (verdict.is === 'refused') return verdict.why
        if (verdict.is === 'repeated') return { message: verdict.message, created: false, events: [] }
        const seq = nextNumber(before)
        insertMessage.run(rowOf(message, seq))
        touchChat.run({ seq, at: created_at, sender: sender_id, chat: chat_id })
        const events = recordForEach([sender_id, otherId], 'message', created_at, { ref: message.id })
        if (notifyAt !== null && before.has_channel) ask.run(...askedValues(askedOfMessage(message, otherId, notifyAt)))
        return { message: asStored(message, seq, verdict.photo), created: true, events }
      }, keepsProfileCache)
    },

    markRead: (chat, readerId, now, upTo, takeBackId = null) =>
      writer.write(() => {
        const isA = chat.user_a === readerId
        const marks = marksOf[isA ? 'a' : 'b']
        const state = oneRow(marks.state.get(chat.id))
        const row = oneRow(pair.get(chat.user_a, chat.user_b))
        if (!marksRead({ ...pairStateOf(row), unread: state.unread })) return nothingRead
        const which = [
          chat.id,
          isA ? chat.user_b : chat.user_a,
          state.read_to,
          upTo ?? Number.MAX_SAFE_INTEGER,
        ] as const
        const newest = marks.newest.get(...which)
        // The chat still counts messages that an erasure is about to remove.
        if (!newest) return nothingRead
        const count = marks.mark.run(...which, now).changes
        const { unread, read_to } = afterReading(state, { upTo, count })
        marks.keep.run(chat.id, unread, read_to)
        const marked = { count, last_read_message_id: newest.id }
        const events = recordForEach(
          livingOf([chat.user_a, chat.user_b], row),
          'message_read',
          now,
          readEvent(chat, readerId, now, marked),
        )
        if (takeBackId !== null) {
          const asked = takeBackOf(takeBackId, readerId, chat.id, now)
          takeBack.run(...askedValues(asked), tagOf(asked.occasion))
        }
        return { ...marked, events }
      }, keepsProfileCache),

    ...messageChanges(engine),
  }
}

// These writes change no profile.
const keepsProfileCache = { keepsProfileCache: true }
