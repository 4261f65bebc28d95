import { contentColumns } from '../../features/chats/content.ts'
import type { PairState } from '../../features/chats/rules.ts'
import type { Chat, ChatEntry, ChatStore, Message } from '../../features/chats/store.ts'
import type { Dialect } from './dialect.ts'

// Statements of chats and messages as text, since each engine prepares them once: these are the most frequent ones.

/**
 * A condition: the statement finds a row. For EXISTS, PostgreSQL may plan to hash the whole table, and keeps a plan that it made
 * while the table was small; it never does that for a subquery that returns a value.
 */
export const finds = (select: string) => `(${select} LIMIT 1) IS NOT NULL`

/** A condition: one of the two has blocked the other. */
export const isBlockedPair = (a: string, b: string) => `(
  ${finds(`SELECT 1 FROM blocks WHERE blocker_id = ${a} AND blocked_id = ${b}`)}
  OR ${finds(`SELECT 1 FROM blocks WHERE blocker_id = ${b} AND blocked_id = ${a}`)})`

/** A condition: the account is erased. */
export const isErased = (id: string) => finds(`SELECT 1 FROM users WHERE id = ${id} AND deleted_at IS NOT NULL`)

/** The `PairState` of two users. Values: their ids. */
export const selectPairState = ({ value }: Pick<Dialect, 'value'>) => `
  SELECT ${isErased(value(1))} AS a_erased, ${isErased(value(2))} AS b_erased,
    ${isBlockedPair(value(1), value(2))} AS blocked`
export type PairRow = Record<'a_erased' | 'b_erased' | 'blocked', boolean | 0 | 1>

export const pairStateOf = ({ a_erased, b_erased, blocked }: PairRow): PairState => ({
  blocked: Boolean(blocked),
  erased: Boolean(a_erased) || Boolean(b_erased),
})

/** Those of the two whose accounts are not erased, in the order of the query's values. */
export const livingOf = ([a, b]: [string, string], { a_erased, b_erased }: PairRow): string[] => [
  ...(a_erased ? [] : [a]),
  ...(b_erased ? [] : [b]),
]

const messageColumns = (created = 'created_at', id = 'id', readAt = 'm.read_at') => `
  m.id AS ${id}, m.chat_id, m.seq, m.sender_id, ${contentColumns.map((name) => `m.${name}`).join()}, m.client_id, ${readAt} AS read_at,
  m.edited_at, m.deleted_at, m.caution, m.created_at AS ${created},
  p.width AS photo_width, p.height AS photo_height, p.placeholder AS photo_placeholder`
const joinPhoto = 'LEFT JOIN media p ON p.id = m.photo_id'
const messages = `SELECT ${messageColumns()} FROM messages m ${joinPhoto}`
const heldMessages = `SELECT ${messageColumns('created_at', 'id', 'NULL')} FROM held_messages m ${joinPhoto}`
export const asHeld = (message: Message): Message => ({ ...message, held: true })

/** The columns of a chat that every loader needs. */
export const chatColumns = 'id, user_a, user_b, created_at, last_msg_at, held_a, held_b'

/** The message that a sender sent with a `client_id`. Values: the sender and the `client_id`. */
export const selectByClientId = ({ value }: Pick<Dialect, 'value'>) =>
  `${messages} WHERE m.sender_id = ${value(1)} AND m.client_id = ${value(2)}`

/** The same for a message that a rule holds. */
export const selectHeldByClientId = ({ value }: Pick<Dialect, 'value'>) =>
  `${heldMessages} WHERE m.sender_id = ${value(1)} AND m.client_id = ${value(2)}`

/** The statements that mark messages of a chat read; the reader is the member on that side. */
export function readMarks({ value }: Pick<Dialect, 'value'>, side: 'a' | 'b') {
  const unread = `
    chat_id = ${value(1)} AND sender_id = ${value(2)} AND seq > ${value(3)} AND seq <= ${value(4)}
    AND read_at IS NULL AND deleted_at IS NULL`
  return {
    /** Returns a `ReadState`. Value: the chat. */
    state: `SELECT unread_${side} AS unread, read_to_${side} AS read_to, last_seq FROM chats WHERE id = ${value(1)}`,
    /** Returns the id of the newest unread message. Values: the chat, the other member, the first (exclusive) and last number. */
    newest: `SELECT id FROM messages WHERE ${unread} ORDER BY seq DESC LIMIT 1`,
    /** Values: the same, and the time. */
    mark: `UPDATE messages SET read_at = ${value(5)} WHERE ${unread}`,
    /** Values: the chat, and the result of `afterReading`. */
    keep: `UPDATE chats SET unread_${side} = ${value(2)}, read_to_${side} = ${value(3)} WHERE id = ${value(1)}`,
  }
}
export type ReadState = { unread: number; read_to: number; last_seq: number }

export const nothingRead = { count: 0, last_read_message_id: null, events: [] }

/** The content of a `message_read` event. */
export const readEvent = (
  chat: Chat,
  reader_id: string,
  now: number,
  marked: { count: number; last_read_message_id: string },
) => ({ data: { chat_id: chat.id, reader_id, read_at: new Date(now).toISOString(), ...marked } })

/** A chat with its last message, as one row. */
type EntryRow = Omit<Message, 'id' | 'chat_id' | 'created_at'> &
  Chat & {
    /** Number of the newest message if only the viewer sees it; otherwise 0. */
    newest_held: number
    unread_count: number
    muted_until: number | null
    both_wrote: boolean | 0 | 1
    message_id: string | null
    message_created_at: number
  }

function entryOf(row: EntryRow): ChatEntry {
  const { id, user_a, user_b, created_at, last_msg_at, held_a, held_b, ...others } = row
  const { unread_count, muted_until, both_wrote, newest_held: _, ...rest } = others
  const { message_id, message_created_at, ...message } = rest
  return {
    chat: { id, user_a, user_b, created_at, last_msg_at, held_a, held_b },
    last_message:
      message_id === null ? null : { ...message, id: message_id, chat_id: id, created_at: message_created_at },
    unread_count,
    muted_until,
    both_wrote: Boolean(both_wrote),
  }
}

type Read = 'byId' | 'ofPair' | 'list' | 'entries' | 'peers' | 'unreadTotal' | 'hasWritten'
type ReadMessages = 'before' | 'after' | 'message' | 'byClientId' | 'messages'

/** The reads of chats and messages. */
export function chatReads<List>(dialect: Dialect<List>): Pick<ChatStore, Read | ReadMessages> {
  const { value, isAmong, list, prepare } = dialect
  const chats = `SELECT ${chatColumns} FROM chats`
  const chatById = prepare<Chat>(`${chats} WHERE id = ${value(1)}`)
  const chatOfPair = prepare<Chat>(`${chats} WHERE user_a = ${value(1)} AND user_b = ${value(2)}`)

  // A list is sorted by the time of a chat's last message, or of its creation if it has none.
  const place = 'coalesce(last_msg_at, created_at)'
  const newestFirst = `ORDER BY ${place} DESC, id DESC`
  // The number or the time of a message that only the viewer sees, if it is the newest one; otherwise 0.
  const newestHeld = (column: 'held' | 'held_at') => `
    CASE WHEN user_a = ${value(1)} AND held_a > last_seq THEN ${column}_a
         WHEN user_b = ${value(1)} AND held_b > last_seq THEN ${column}_b ELSE 0 END`
  const lastAt = `
    CASE WHEN ${newestHeld('held_at')} > coalesce(last_msg_at, 0) THEN ${newestHeld('held_at')} ELSE last_msg_at END`
  const entries = (from: string) => `
    SELECT c.id, c.user_a, c.user_b, c.created_at, ${lastAt} AS last_msg_at, c.held_a, c.held_b,
      ${newestHeld('held')} AS newest_held,
      CASE WHEN c.user_a = ${value(1)} THEN c.unread_a ELSE c.unread_b END AS unread_count,
      CASE WHEN c.user_a = ${value(1)} THEN c.muted_a ELSE c.muted_b END AS muted_until,
      c.wrote_a AND c.wrote_b AS both_wrote, ${messageColumns('message_created_at', 'message_id')}
    FROM ${from} c LEFT JOIN messages m ON m.chat_id = c.id AND m.seq = c.last_seq ${joinPhoto}`
  // SQLite finds the first row by the first of the two conditions, because it cannot use an index for a pair of values.
  const listOf = (side: 'a' | 'b') => `
    SELECT * FROM (
      SELECT *, ${place} AS at FROM chats
      WHERE user_${side} = ${value(1)} AND ${place} <= ${value(2)} AND (${place}, id) < (${value(2)}, ${value(3)})
        AND held_${side} <= last_seq
      ${newestFirst} LIMIT ${value(4)}) AS of_${side}`
  // The chats whose newest message only the viewer sees. They are few, so all are read.
  const listOfHeld = `
    SELECT * FROM (
      SELECT * FROM (
        SELECT *, coalesce(${lastAt}, created_at) AS at FROM chats
        WHERE id IN (SELECT chat_id FROM held_messages WHERE sender_id = ${value(1)}) AND ${newestHeld('held')} > 0
      ) AS held WHERE (at, id) < (${value(2)}, ${value(3)}) ORDER BY at DESC, id DESC LIMIT ${value(4)}) AS of_held`
  const newestChats = prepare<EntryRow>(`
    ${entries(`(${listOf('a')} UNION ALL ${listOf('b')} UNION ALL ${listOfHeld} ORDER BY at DESC, id DESC LIMIT ${value(4)})`)}
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
  function inChat(comparison: '<' | '>', order: 'ASC' | 'DESC') {
    const where = `WHERE m.chat_id = ${value(1)} AND m.seq ${comparison} ${value(2)}`
    const some = `ORDER BY m.seq ${order} LIMIT ${value(3)}`
    const all = prepare<Message>(`${messages} ${where} ${some}`)
    const held = prepare<Message>(`${heldMessages} ${where} AND m.sender_id = ${value(4)} ${some}`)
    return async (chatId: string, seq: number, limit: number, viewerId: string | null = null) => {
      if (viewerId === null) return all(chatId, seq, limit)
      const [seen, own] = await Promise.all([all(chatId, seq, limit), held(chatId, seq, limit, viewerId)])
      if (own.length === 0) return seen
      const ahead = order === 'ASC' ? 1 : -1
      return [...seen, ...own.map(asHeld)].sort((one, other) => (one.seq - other.seq) * ahead).slice(0, limit)
    }
  }
  const messageById = prepare<Message>(`${messages} WHERE m.id = ${value(1)}`)
  const heldById = prepare<Message>(`${heldMessages} WHERE m.id = ${value(1)}`)
  const messagesByIds = prepare<Message>(`${messages} WHERE ${isAmong('m.id', 1)}`)
  const heldByIds = prepare<Message>(`${heldMessages} WHERE ${isAmong('m.id', 1)}`)
  const newestHeldOf = prepare<Message>(
    `${heldMessages} JOIN chats c ON c.id = m.chat_id AND m.seq = CASE WHEN c.user_a = m.sender_id THEN c.held_a ELSE c.held_b END
     WHERE m.sender_id = ${value(1)} AND ${isAmong('m.chat_id', 2)}`,
  )
  const messageByClientId = prepare<Message>(selectByClientId(dialect))
  const heldByClientId = prepare<Message>(selectHeldByClientId(dialect))

  /** Chats as a member sees them. The newest message may be one that only they see. */
  async function entriesOf(userId: string, found: readonly EntryRow[]): Promise<ChatEntry[]> {
    const chatIds = found.filter(({ newest_held }) => newest_held > 0).map(({ id }) => id)
    if (chatIds.length === 0) return found.map(entryOf)
    const newest = new Map((await newestHeldOf(userId, list(chatIds))).map((held) => [held.chat_id, asHeld(held)]))
    return found.map((row) => {
      const entry = entryOf(row)
      const held = row.newest_held > 0 ? newest.get(row.id) : undefined
      return held === undefined ? entry : { ...entry, last_message: held }
    })
  }

  return {
    byId: async (id) => (await chatById(id))[0] ?? null,
    ofPair: async (a, b) => (await chatOfPair(a, b))[0] ?? null,
    list: async (userId, limit, from) =>
      entriesOf(userId, await newestChats(userId, from?.at ?? Number.MAX_SAFE_INTEGER, from?.id ?? '', limit)),
    entries: async (userId, chatIds) => entriesOf(userId, await someChats(userId, list(chatIds))),
    peers: async (userId, limit) => (await peersOf(userId, limit)).map(({ id }) => id),
    unreadTotal: async (userId) => (await unreadTotal(userId))[0]?.total ?? 0,
    hasWritten: async (chatId, userId) => (await written(chatId, userId)).length > 0,
    before: inChat('<', 'DESC'),
    after: inChat('>', 'ASC'),
    async message(id) {
      const [message] = await messageById(id)
      if (message) return message
      const [held] = await heldById(id)
      return held ? asHeld(held) : null
    },
    async byClientId(senderId, clientId) {
      const [message] = await messageByClientId(senderId, clientId)
      if (message) return message
      const [held] = await heldByClientId(senderId, clientId)
      return held ? asHeld(held) : null
    },
    async messages(ids) {
      const found = await messagesByIds(list(ids))
      if (found.length === ids.length) return found
      const known = new Set(found.map(({ id }) => id))
      const held = await heldByIds(list(ids.filter((id) => !known.has(id))))
      return [...found, ...held.map(asHeld)]
    },
  }
}
