import type { PairState } from '../../features/chats/rules.ts'
import type { Chat, ChatEntry, ChatStore, Message } from '../../features/chats/store.ts'
import type { Dialect } from './dialect.ts'

// Statements of chats and messages as text, since each engine prepares them once: these are the most frequent ones.

/**
 * A condition: the statement finds a row. PostgreSQL plans EXISTS so that it may hash the whole table, and keeps such a plan,
 * made while the table was small, when it has grown; it never does that with a subquery that answers a value.
 */
const finds = (select: string) => `(${select} LIMIT 1) IS NOT NULL`

/** A condition: one of the two has blocked the other. */
export const isBlockedPair = (a: string, b: string) => `(
  ${finds(`SELECT 1 FROM blocks WHERE blocker_id = ${a} AND blocked_id = ${b}`)}
  OR ${finds(`SELECT 1 FROM blocks WHERE blocker_id = ${b} AND blocked_id = ${a}`)})`

/** A condition: the account is erased. */
export const isErased = (id: string) => finds(`SELECT 1 FROM users WHERE id = ${id} AND deleted_at IS NOT NULL`)

/** What there is between two users. Values: their ids. */
export const selectPairState = ({ value }: Pick<Dialect, 'value'>) => `
  SELECT ${isErased(value(1))} AS a_erased, ${isErased(value(2))} AS b_erased,
    ${isBlockedPair(value(1), value(2))} AS blocked`
export type PairRow = Record<'a_erased' | 'b_erased' | 'blocked', boolean | 0 | 1>

export const pairStateOf = ({ a_erased, b_erased, blocked }: PairRow): PairState => ({
  blocked: Boolean(blocked),
  erased: Boolean(a_erased) || Boolean(b_erased),
})

/** Those of the two whose accounts are not erased, in the order in which the row was asked for. */
export const livingOf = ([a, b]: [string, string], { a_erased, b_erased }: PairRow): string[] => [
  ...(a_erased ? [] : [a]),
  ...(b_erased ? [] : [b]),
]

const messageColumns = (created = 'created_at', id = 'id') => `
  m.id AS ${id}, m.chat_id, m.seq, m.sender_id, m.kind, m.text, m.photo_id, m.client_id, m.read_at, m.edited_at,
  m.deleted_at, m.caution, m.created_at AS ${created},
  p.width AS photo_width, p.height AS photo_height, p.placeholder AS photo_placeholder`
const joinPhoto = 'LEFT JOIN media p ON p.id = m.photo_id'
const messages = `SELECT ${messageColumns()} FROM messages m ${joinPhoto}`

/** The message that a sender sent with a `client_id`. Values: both. */
export const selectByClientId = ({ value }: Pick<Dialect, 'value'>) =>
  `${messages} WHERE m.sender_id = ${value(1)} AND m.client_id = ${value(2)}`

/** The statements that mark messages of a chat read; the reader is the member on that side. */
export function readMarks({ value }: Pick<Dialect, 'value'>, side: 'a' | 'b') {
  const unread = `
    chat_id = ${value(1)} AND sender_id = ${value(2)} AND seq > ${value(3)} AND seq <= ${value(4)}
    AND read_at IS NULL AND deleted_at IS NULL`
  return {
    /** Answers a `ReadState`. Value: the chat. */
    state: `SELECT unread_${side} AS unread, read_to_${side} AS read_to, last_seq FROM chats WHERE id = ${value(1)}`,
    /** Answers the id of the newest that is unread. Values: the chat, the other one, the first (exclusive) and the last number. */
    newest: `SELECT id FROM messages WHERE ${unread} ORDER BY seq DESC LIMIT 1`,
    /** Values: the same, and the time. */
    mark: `UPDATE messages SET read_at = ${value(5)} WHERE ${unread}`,
    /** Values: the chat, and what `afterReading` says. */
    keep: `UPDATE chats SET unread_${side} = ${value(2)}, read_to_${side} = ${value(3)} WHERE id = ${value(1)}`,
  }
}
export type ReadState = { unread: number; read_to: number; last_seq: number }

export const nothingRead = { count: 0, last_read_message_id: null, events: [] }

/** What a `message_read` event says. */
export const readEvent = (
  chat: Chat,
  reader_id: string,
  now: number,
  marked: { count: number; last_read_message_id: string },
) => ({ data: { chat_id: chat.id, reader_id, read_at: new Date(now).toISOString(), ...marked } })

/** A chat with its last message, as one row. */
type EntryRow = Omit<Message, 'id' | 'chat_id' | 'created_at'> &
  Chat & {
    unread_count: number
    muted_until: number | null
    both_wrote: boolean | 0 | 1
    message_id: string | null
    message_created_at: number
  }

function entryOf(row: EntryRow): ChatEntry {
  const { id, user_a, user_b, created_at, last_msg_at, unread_count, muted_until, both_wrote, ...rest } = row
  const { message_id, message_created_at, ...message } = rest
  return {
    chat: { id, user_a, user_b, created_at, last_msg_at },
    last_message:
      message_id === null ? null : { ...message, id: message_id, chat_id: id, created_at: message_created_at },
    unread_count,
    muted_until,
    both_wrote: Boolean(both_wrote),
  }
}

type Read = 'byId' | 'ofPair' | 'list' | 'entries' | 'peers' | 'unreadTotal' | 'hasWritten'
type ReadMessages = 'before' | 'after' | 'message' | 'byClientId' | 'messages'

/** What only reads chats and messages. */
export function chatReads(dialect: Dialect): Pick<ChatStore, Read | ReadMessages> {
  const { value, isAmong, list, prepare } = dialect
  const chats = 'SELECT id, user_a, user_b, created_at, last_msg_at FROM chats'
  const chatById = prepare<Chat>(`${chats} WHERE id = ${value(1)}`)
  const chatOfPair = prepare<Chat>(`${chats} WHERE user_a = ${value(1)} AND user_b = ${value(2)}`)

  // A chat's place in a list is the time of its last message or, before the first one, the time at which it was made.
  const place = 'coalesce(last_msg_at, created_at)'
  const newestFirst = `ORDER BY ${place} DESC, id DESC`
  const entries = (from: string) => `
    SELECT c.id, c.user_a, c.user_b, c.created_at, c.last_msg_at,
      CASE WHEN c.user_a = ${value(1)} THEN c.unread_a ELSE c.unread_b END AS unread_count,
      CASE WHEN c.user_a = ${value(1)} THEN c.muted_a ELSE c.muted_b END AS muted_until,
      c.wrote_a AND c.wrote_b AS both_wrote, ${messageColumns('message_created_at', 'message_id')}
    FROM ${from} c LEFT JOIN messages m ON m.chat_id = c.id AND m.seq = c.last_seq ${joinPhoto}`
  // SQLite finds the first row by the first of the two conditions about the place: it has no index for a pair.
  const listOf = (side: 'user_a' | 'user_b') => `
    SELECT * FROM (
      SELECT *, ${place} AS at FROM chats
      WHERE ${side} = ${value(1)} AND ${place} <= ${value(2)} AND (${place}, id) < (${value(2)}, ${value(3)})
      ${newestFirst} LIMIT ${value(4)}) AS of_${side}`
  const newestChats = prepare<EntryRow>(`
    ${entries(`(${listOf('user_a')} UNION ALL ${listOf('user_b')} ORDER BY at DESC, id DESC LIMIT ${value(4)})`)}
    ORDER BY c.at DESC, c.id DESC`)
  const someChats = prepare<EntryRow>(`${entries('chats')} WHERE ${isAmong('c.id', 2)}`)

  const newestOthers = (side: 'user_a' | 'user_b', other: 'user_a' | 'user_b') => `
    SELECT * FROM (
      SELECT ${other} AS other, wrote_a AND wrote_b AS both_wrote, ${place} AS at FROM chats
      WHERE ${side} = ${value(1)} ${newestFirst} LIMIT ${value(2)}) AS of_${side}`
  const peersOf = prepare<{ id: string }>(`
    SELECT other AS id FROM (
      ${newestOthers('user_a', 'user_b')} UNION ALL ${newestOthers('user_b', 'user_a')}
      ORDER BY at DESC LIMIT ${value(2)}) AS newest
    WHERE both_wrote AND NOT ${isBlockedPair(value(1), 'other')}`)

  const unreadOn = (mine: 'a' | 'b', other: 'a' | 'b') => `
    SELECT user_${other} AS other, unread_${mine} AS unread FROM chats
    WHERE user_${mine} = ${value(1)} AND unread_${mine} > 0`
  const unreadTotal = prepare<{ total: number }>(`
    SELECT coalesce(sum(unread), 0) AS total FROM (${unreadOn('a', 'b')} UNION ALL ${unreadOn('b', 'a')}) AS chats
    WHERE NOT ${isBlockedPair(value(1), 'other')}`)

  const written = prepare(`SELECT 1 FROM messages WHERE chat_id = ${value(1)} AND sender_id = ${value(2)} LIMIT 1`)
  const inChat = (comparison: '<' | '>', order: 'ASC' | 'DESC') =>
    prepare<Message>(
      `${messages} WHERE m.chat_id = ${value(1)} AND m.seq ${comparison} ${value(2)} ORDER BY m.seq ${order} LIMIT ${value(3)}`,
    )
  const [before, after] = [inChat('<', 'DESC'), inChat('>', 'ASC')]
  const messageById = prepare<Message>(`${messages} WHERE m.id = ${value(1)}`)
  const messagesByIds = prepare<Message>(`${messages} WHERE ${isAmong('m.id', 1)}`)
  const messageByClientId = prepare<Message>(selectByClientId(dialect))

  return {
    byId: async (id) => (await chatById(id))[0] ?? null,
    ofPair: async (a, b) => (await chatOfPair(a, b))[0] ?? null,
    list: async (userId, limit, from) =>
      (await newestChats(userId, from?.at ?? Number.MAX_SAFE_INTEGER, from?.id ?? '', limit)).map(entryOf),
    entries: async (userId, chatIds) => (await someChats(userId, list(chatIds))).map(entryOf),
    peers: async (userId, limit) => (await peersOf(userId, limit)).map(({ id }) => id),
    unreadTotal: async (userId) => (await unreadTotal(userId))[0]!.total,
    hasWritten: async (chatId, userId) => (await written(chatId, userId)).length > 0,
    before: (chatId, seq, limit) => before(chatId, seq, limit),
    after: (chatId, seq, limit) => after(chatId, seq, limit),
    message: async (id) => (await messageById(id))[0] ?? null,
    byClientId: async (senderId, clientId) => (await messageByClientId(senderId, clientId))[0] ?? null,
    messages: (ids) => messagesByIds(list(ids)),
  }
}
