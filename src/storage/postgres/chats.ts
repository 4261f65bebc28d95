import { afterReading, marksRead, startVerdict } from '../../features/chats/rules.ts'
import type { Chat, ChatStore } from '../../features/chats/store.ts'
import type { Asked } from '../../features/notifications/store.ts'
import { batched } from '../../lib/batched.ts'
import {
  chatColumns,
  chatReads,
  livingOf,
  nothingRead,
  type PairRow,
  pairStateOf,
  readEvent,
  readMarks,
  type ReadState,
  selectPairState,
} from '../sql/chats.ts'
import type { Engine } from '../sql/engine.ts'
import { messageChanges } from '../sql/messages.ts'
import { appendReported } from '../sql/reported-messages.ts'
import { askedValues, insertAsked, insertTakeBack, takeBackOf } from '../sql/asked-notifications.ts'
import { tagOf } from '../../features/notifications/rules.ts'
import type { Database } from './database.ts'
import { isAmong, postgresDialect, value } from './dialect.ts'
import { recordEvents } from './events.ts'
import { sends } from './sends.ts'

const lockMembers = `SELECT id FROM users WHERE ${isAmong('id', 1)} ORDER BY id FOR NO KEY UPDATE`
const insertChat = `
  INSERT INTO chats (id, user_a, user_b, created_at) VALUES ($1, $2, $3, $4) RETURNING ${chatColumns}`
const chatsByIds = `SELECT ${chatColumns} FROM chats WHERE ${isAmong('id', 1)}`
const chatOfPair = `SELECT ${chatColumns} FROM chats WHERE user_a = $1 AND user_b = $2`
const pairState = selectPairState({ value })
const marksOf = { a: readMarks({ value }, 'a'), b: readMarks({ value }, 'b') }

const typed = (n: number) => `$${n}${n === 4 || n === 5 ? '::int8' : '::text'}`
const ask = insertAsked(typed)
const takeBack = insertTakeBack(typed)

export function chatStore(db: Database, engine: Engine): ChatStore {
  const send = sends(db)
  return {
    ...chatReads(postgresDialect(db)),

    // Most requests about a chat read it first, so many of them share a statement.
    byId: batched(async (ids: readonly string[]) => {
      const rows = await db.read((q) => q.all<Chat>(chatsByIds, [[...new Set(ids)]]))
      const found = new Map(rows.map((chat) => [chat.id, chat]))
      return ids.map((id) => found.get(id) ?? null)
    }, 100),

    ensure: ({ id, user_a, user_b, created_at }, notify = null) =>
      db.write(async (tx) => {
        // A write that creates the same chat, or blocks or erases one of the two, waits for this lock, or has committed before.
        const [, existing, row] = await Promise.all([
          tx.all(lockMembers, [[user_a, user_b]]),
          tx.get<Chat>(chatOfPair, [user_a, user_b]),
          tx.one<PairRow>(pairState, [user_a, user_b]),
        ])
        if (existing) return { chat: existing, created: false, events: [] }
        const refused = startVerdict(pairStateOf(row))
        if (refused) return refused
        const [chat, events] = await Promise.all([
          tx.one<Chat>(insertChat, [id, user_a, user_b, created_at]),
          recordEvents(tx, [user_a, user_b], 'chat', created_at, { ref: id }),
          notify !== null &&
            tx.run(ask, askedValues({ id, ...notify, occasion: { about: 'chat', chat_id: id }, at: created_at })),
        ])
        return { chat, created: true, events }
      }),

    append(message, otherId, untilReply, notifyAt = null, reported = null) {
      if (reported !== null) return appendReported(engine, { message, otherId, untilReply, notifyAt, reported })
      return send(message, otherId, untilReply, notifyAt)
    },

    async markRead(chat, readerId, now, upTo, takeBackId = null) {
      const isA = chat.user_a === readerId
      const marks = marksOf[isA ? 'a' : 'b']
      // Most calls find that everything is read, and need no transaction.
      const before = await db.read((q) => q.one<ReadState>(marks.state, [chat.id]))
      if (!marksRead({ blocked: false, unread: before.unread })) return nothingRead
      return db.write(async (tx) => {
        const runTakeBack = (asked: Asked) => tx.run(takeBack, [...askedValues(asked), tagOf(asked.occasion)])
        const [state, row] = await Promise.all([
          // Blocks and erasures lock the chat too.
          tx.one<ReadState>(`${marks.state} FOR NO KEY UPDATE`, [chat.id]),
          tx.one<PairRow>(pairState, [chat.user_a, chat.user_b]),
        ])
        if (!marksRead({ ...pairStateOf(row), unread: state.unread })) return nothingRead
        const which = [chat.id, isA ? chat.user_b : chat.user_a, state.read_to, upTo ?? Number.MAX_SAFE_INTEGER]
        const [newest, count] = await Promise.all([
          tx.get<{ id: string }>(marks.newest, which),
          tx.run(marks.mark, [...which, now]),
        ])
        // The chat still counts messages that an erasure is about to remove.
        if (!newest) return nothingRead
        const { unread, read_to } = afterReading(state, { upTo, count })
        const marked = { count, last_read_message_id: newest.id }
        const [, events] = await Promise.all([
          tx.run(marks.keep, [chat.id, unread, read_to]),
          recordEvents(
            tx,
            livingOf([chat.user_a, chat.user_b], row),
            'message_read',
            now,
            readEvent(chat, readerId, now, marked),
          ),
          takeBackId !== null && runTakeBack(takeBackOf(takeBackId, readerId, chat.id, now)),
        ])
        return { ...marked, events }
      })
    },

    ...messageChanges(engine),
  }
}
