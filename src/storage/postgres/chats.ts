import type { Chat, ChatStore, Message } from '../../features/chats/store.ts'
import { together } from '../../together.ts'
import { type EntryRow, entryOf, noPhoto } from '../chat-entries.ts'
import type { Database } from './database.ts'
import type { Queries } from './queries.ts'
import { recordEvents } from './events.ts'
import { apart, hasWritten, joinPhoto, messageColumns, messages, stateOf } from './messages.ts'
import { sends } from './sends.ts'
import { recountUnread } from './unread.ts'

// Whatever is written in a chat is decided under the lock of its row, which an erasure and a block of its members take too.
const lockChat = 'SELECT id FROM chats WHERE id = $1 FOR NO KEY UPDATE'
const lockMembers = 'SELECT id, deleted_at FROM users WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE'

const chatColumns = 'id, user_a, user_b, created_at, last_msg_at'
const insertChat = `
  INSERT INTO chats (id, user_a, user_b, created_at) SELECT $1, $2, $3, $4 WHERE NOT ${apart('$2', '$3')}
  ON CONFLICT (user_a, user_b) DO NOTHING RETURNING ${chatColumns}`
const chatsByIds = `SELECT ${chatColumns} FROM chats WHERE id = ANY($1::text[])`
const chatOfPair = `SELECT ${chatColumns} FROM chats WHERE user_a = $1 AND user_b = $2`

// A chat's place in a list is the time of its last message, or of its making.
const entries = (chats: string) => `
  SELECT c.id, c.user_a, c.user_b, c.created_at, c.last_msg_at,
    CASE WHEN c.user_a = $1 THEN c.unread_a ELSE c.unread_b END AS unread_count,
    ${messageColumns('message_created_at', 'message_id')}
  FROM ${chats} LEFT JOIN messages m ON m.chat_id = c.id AND m.seq = c.last_seq ${joinPhoto}`
const listOf = (side: 'user_a' | 'user_b') => `(
  SELECT *, coalesce(last_msg_at, created_at) AS at FROM chats
  WHERE ${side} = $1 AND (coalesce(last_msg_at, created_at), id) < ($2, $3)
  ORDER BY coalesce(last_msg_at, created_at) DESC, id DESC LIMIT $4)`
const listChats = `${entries(`(
  ${listOf('user_a')} UNION ALL ${listOf('user_b')} ORDER BY at DESC, id DESC LIMIT $4) AS c`)}
  ORDER BY c.at DESC, c.id DESC`
const someChats = `${entries('chats c')} WHERE c.id = ANY($2::text[])`
const peersOf = `
  SELECT other AS id FROM (
    SELECT user_b AS other FROM chats WHERE user_a = $1 UNION ALL SELECT user_a FROM chats WHERE user_b = $1) AS peers
  WHERE NOT ${apart('$1', 'other')}`

const anyUnread = 'SELECT 1 FROM chats WHERE id = $1 AND CASE WHEN user_a = $2 THEN unread_a ELSE unread_b END > 0'
const markRead = `
  WITH marked AS (
    UPDATE messages SET read_at = $3
    WHERE chat_id = $1 AND sender_id <> $2 AND read_at IS NULL AND deleted_at IS NULL
      AND seq > (SELECT CASE WHEN user_a = $2 THEN read_to_a ELSE read_to_b END FROM chats WHERE id = $1)
    RETURNING id, seq)
  SELECT count(*) AS count, (SELECT id FROM marked ORDER BY seq DESC LIMIT 1) AS last_read_message_id FROM marked`
const nothingUnread = (reader: 'a' | 'b') =>
  `UPDATE chats SET unread_${reader} = 0, read_to_${reader} = last_seq WHERE id = $1`
const readTo = { a: nothingUnread('a'), b: nothingUnread('b') }
const lockMessage = `${messages} WHERE m.id = $1 FOR NO KEY UPDATE OF m`
// Two changes within a millisecond: the later text takes the next free one.
const keepVersion = `
  INSERT INTO message_versions (chat_id, message_id, at, text)
  SELECT chat_id, id, greatest($3, (SELECT max(at) + 1 FROM message_versions WHERE chat_id = $1 AND message_id = m.id)), text
  FROM messages m WHERE chat_id = $1 AND seq = $2 AND text IS NOT NULL`
const versionsOf = 'SELECT count(*) AS n FROM message_versions WHERE chat_id = $1 AND message_id = $2'
const setText = 'UPDATE messages SET text = $3, edited_at = $4 WHERE chat_id = $1 AND seq = $2'
const bury = 'UPDATE messages SET text = NULL, photo_id = NULL, deleted_at = $3 WHERE chat_id = $1 AND seq = $2'

/** Locks a chat; answers those of its members whose accounts are not erased, and whether there is a block. */
async function hold(tx: Queries, { id, user_a, user_b }: Chat): Promise<{ present: string[]; isApart: boolean }> {
  const [, state] = await Promise.all([
    tx.get(lockChat, [id]),
    tx.get<{ a_erased: boolean; b_erased: boolean; apart: boolean }>(stateOf, [user_a, user_b]),
  ])
  const { a_erased, b_erased, apart: isApart } = state!
  return { present: [...(a_erased ? [] : [user_a]), ...(b_erased ? [] : [user_b])], isApart }
}

export function chatStore(db: Database): ChatStore {
  const get = <Row>(text: string, values: Parameters<Queries['get']>[1]) => db.read((q) => q.get<Row>(text, values))
  const all = <Row>(text: string, values: Parameters<Queries['all']>[1]) => db.read((q) => q.all<Row>(text, values))

  return {
    ensure: ({ id, user_a, user_b, created_at }) =>
      db.write(async (tx) => {
        const [members, created, existing] = await Promise.all([
          tx.all<{ id: string; deleted_at: number | null }>(lockMembers, [[user_a, user_b]]),
          tx.get<Chat>(insertChat, [id, user_a, user_b, created_at]),
          tx.get<Chat>(chatOfPair, [user_a, user_b]),
        ])
        if (!created) return existing ? { chat: existing, created: false, events: [] } : 'blocked'
        const erased = new Set(members.filter((member) => member.deleted_at !== null).map((member) => member.id))
        const present = [user_a, user_b].filter((member) => !erased.has(member))
        return {
          chat: created,
          created: true,
          events: await recordEvents(tx, present, 'chat', created_at, { ref: id }),
        }
      }),

    byId: together(async (ids: readonly string[]) => {
      const found = new Map((await all<Chat>(chatsByIds, [[...new Set(ids)]])).map((chat) => [chat.id, chat]))
      return ids.map((id) => found.get(id) ?? null)
    }, 100),
    ofPair: (a, b) => get<Chat>(chatOfPair, [a, b]),
    list: async (userId, limit, after) =>
      (await all<EntryRow>(listChats, [userId, after?.at ?? Number.MAX_SAFE_INTEGER, after?.id ?? '', limit])).map(
        entryOf,
      ),
    entries: async (userId, chatIds) => (await all<EntryRow>(someChats, [userId, chatIds])).map(entryOf),
    peers: async (userId) => (await all<{ id: string }>(peersOf, [userId])).map((row) => row.id),

    append: sends(db),

    before: (chatId, seq, limit) =>
      all<Message>(`${messages} WHERE m.chat_id = $1 AND m.seq < $2 ORDER BY m.seq DESC LIMIT $3`, [
        chatId,
        seq,
        limit,
      ]),
    after: (chatId, seq, limit) =>
      all<Message>(`${messages} WHERE m.chat_id = $1 AND m.seq > $2 ORDER BY m.seq LIMIT $3`, [chatId, seq, limit]),
    message: (id) => get<Message>(`${messages} WHERE m.id = $1`, [id]),
    byClientId: (senderId, clientId) =>
      get<Message>(`${messages} WHERE m.sender_id = $1 AND m.client_id = $2`, [senderId, clientId]),
    messages: (ids) => all<Message>(`${messages} WHERE m.id = ANY($1::text[])`, [ids]),
    hasWritten: async (chatId, userId) => (await get(hasWritten, [chatId, userId])) !== null,

    async markRead(chat, readerId, now) {
      const nothing = { count: 0, last_read_message_id: null, events: [] }
      if ((await get(anyUnread, [chat.id, readerId])) === null) return nothing
      return db.write(async (tx) => {
        const { present, isApart } = await hold(tx, chat)
        if (isApart) return nothing
        const marked = (await tx.get<{ count: number; last_read_message_id: string | null }>(markRead, [
          chat.id,
          readerId,
          now,
        ]))!
        if (marked.count === 0) return nothing
        await tx.run(readTo[chat.user_a === readerId ? 'a' : 'b'], [chat.id])
        const data = { chat_id: chat.id, reader_id: readerId, read_at: new Date(now).toISOString(), ...marked }
        return { ...marked, events: await recordEvents(tx, present, 'message_read', now, { data }) }
      })
    },

    edit: (chat, messageId, text, now, maxVersions) =>
      db.write(async (tx) => {
        const [{ present, isApart }, message, versions] = await Promise.all([
          hold(tx, chat),
          tx.get<Message>(lockMessage, [messageId]),
          tx.get<{ n: number }>(versionsOf, [chat.id, messageId]),
        ])
        if (!message || message.deleted_at !== null) return null
        if (isApart) return 'blocked'
        if (versions!.n >= maxVersions) return 'edited_too_often'
        const [, , events] = await Promise.all([
          tx.run(keepVersion, [chat.id, message.seq, now]),
          tx.run(setText, [chat.id, message.seq, text, now]),
          recordEvents(tx, present, 'message_edited', now, { ref: messageId }),
        ])
        return { message: { ...message, text, edited_at: now }, events }
      }),

    remove: (chat, messageId, now) =>
      db.write(async (tx) => {
        const [{ present }, message] = await Promise.all([hold(tx, chat), tx.get<Message>(lockMessage, [messageId])])
        if (!message || message.deleted_at !== null) return null
        const [, , , events] = await Promise.all([
          tx.run(keepVersion, [chat.id, message.seq, now]),
          tx.run(bury, [chat.id, message.seq, now]),
          message.read_at === null ? tx.run(recountUnread, [chat.id]) : null,
          recordEvents(tx, present, 'message_deleted', now, { ref: messageId }),
        ])
        const { photo_id } = message
        return { message: { ...message, text: null, photo_id: null, ...noPhoto, deleted_at: now }, photo_id, events }
      }),
  }
}
