import type { Chat, ChatStore, EventNumbers, Message, NewMessage } from '../../features/chats/store.ts'
import { isTheirs } from '../image-use.ts'
import { type EntryRow, entryOf, noPhoto } from '../chat-entries.ts'
import type { Db } from './database.ts'
import { eventRecorder } from './events.ts'
import type { Reads } from './reads.ts'
import { unreadCounter } from './unread.ts'
import type { Writer } from './writer.ts'

const messageColumns = (created = 'created_at', id = 'id') => `
  m.id AS ${id}, m.chat_id, m.seq, m.sender_id, m.kind, m.text, m.photo_id, m.client_id, m.read_at, m.edited_at,
  m.deleted_at, m.created_at AS ${created},
  p.width AS photo_width, p.height AS photo_height, p.placeholder AS photo_placeholder`

const fromMessages = 'FROM messages m LEFT JOIN media p ON p.id = m.photo_id'

const apart = (a: string, b: string) => `(
  EXISTS (SELECT 1 FROM blocks WHERE blocker_id = ${a} AND blocked_id = ${b})
  OR EXISTS (SELECT 1 FROM blocks WHERE blocker_id = ${b} AND blocked_id = ${a}))`

// A chat's place in a list is the time of its last message, or of its making.
const entryColumns = `
  SELECT c.id, c.user_a, c.user_b, c.created_at, c.last_msg_at,
    CASE WHEN c.user_a = $user THEN c.unread_a ELSE c.unread_b END AS unread_count,
    ${messageColumns('message_created_at', 'message_id')}`
const joinLast = `
  LEFT JOIN messages m ON m.chat_id = c.id AND m.seq = c.last_seq
  LEFT JOIN media p ON p.id = m.photo_id`

const listOf = (side: 'user_a' | 'user_b') => `
  SELECT * FROM (
    SELECT *, coalesce(last_msg_at, created_at) AS at FROM chats
    WHERE ${side} = +$user AND coalesce(last_msg_at, created_at) <= +$at
      AND (coalesce(last_msg_at, created_at), id) < ($at, $id)
    ORDER BY coalesce(last_msg_at, created_at) DESC, id DESC LIMIT +$limit)`

const nothingUnread = (reader: 'a' | 'b') =>
  `UPDATE chats SET unread_${reader} = 0, read_to_${reader} = last_seq WHERE id = ?`

export function chatStore(db: Db, writer: Writer, { read }: Reads): ChatStore {
  const client = db.$client
  const record = eventRecorder(db)
  const recount = unreadCounter(db)

  const insertChat = client.prepare<Chat, [string, string, string, number]>(
    `INSERT INTO chats (id, user_a, user_b, created_at) SELECT ?1, ?2, ?3, ?4 WHERE NOT ${apart('?2', '?3')}
     ON CONFLICT (user_a, user_b) DO NOTHING RETURNING id, user_a, user_b, created_at, last_msg_at`,
  )
  const chatOfPair = client.prepare<Chat, [string, string]>(
    'SELECT id, user_a, user_b, created_at, last_msg_at FROM chats WHERE user_a = ? AND user_b = ?',
  )
  const chatById = client.prepare<Chat, [string]>(
    'SELECT id, user_a, user_b, created_at, last_msg_at FROM chats WHERE id = ?',
  )
  const listChats = client.prepare<EntryRow, [{ user: string; at: number; id: string; limit: number }]>(`
    ${entryColumns} FROM (${listOf('user_a')} UNION ALL ${listOf('user_b')} ORDER BY at DESC, id DESC LIMIT +$limit) c
    ${joinLast} ORDER BY c.at DESC, c.id DESC`)
  const someChats = client.prepare<EntryRow, [{ user: string; ids: string }]>(
    `${entryColumns} FROM chats c ${joinLast} WHERE c.id IN (SELECT value FROM json_each($ids))`,
  )
  const peersOf = client.prepare<{ id: string }, [{ user: string }]>(`
    SELECT other AS id FROM (
      SELECT user_b AS other FROM chats WHERE user_a = $user UNION ALL SELECT user_a FROM chats WHERE user_b = $user)
    WHERE NOT ${apart('$user', 'other')}`)

  const newestOf = client.prepare<{ seq: number }, [string]>('SELECT last_seq AS seq FROM chats WHERE id = +?')
  const insertMessage = client.prepare<null, [NewMessage & { seq: number }]>(`
    INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, photo_id, client_id, created_at)
    VALUES ($id, $chat_id, $seq, $sender_id, $kind, $text, $photo_id, $client_id, $created_at)
    ON CONFLICT (sender_id, client_id) WHERE client_id IS NOT NULL DO NOTHING`)
  const touchChat = client.prepare<null, [{ seq: number; at: number; sender: string; chat: string }]>(
    // A clock that was set back must not move the chat down.
    `UPDATE chats SET last_seq = $seq, last_msg_at = max(coalesce(last_msg_at, 0), $at),
       unread_a = unread_a + (user_a <> $sender), unread_b = unread_b + (user_b <> $sender)
     WHERE id = $chat`,
  )
  const sentBy = client.prepare<{ n: number }, [string, string]>(
    'SELECT count(*) AS n FROM (SELECT 1 FROM messages WHERE chat_id = +? AND sender_id = +? LIMIT 100)',
  )
  const ownImage = client.prepare<{ id: string }, [string, string]>(
    `SELECT id FROM media WHERE id = ? AND owner_id = ? AND ${isTheirs}`,
  )
  const erased = client.prepare<{ id: string }, [string]>(
    'SELECT id FROM users WHERE id = ? AND deleted_at IS NOT NULL',
  )
  const standing = client.prepare<{ erased: 0 | 1; apart: 0 | 1 }, [string, string]>(`
    SELECT EXISTS (SELECT 1 FROM users WHERE id IN (?1, ?2) AND deleted_at IS NOT NULL) AS erased, ${apart('?1', '?2')} AS apart`)
  const messageById = client.prepare<Message, [string]>(`SELECT ${messageColumns()} ${fromMessages} WHERE m.id = +?`)
  const messageByClientId = client.prepare<Message, [string, string]>(
    `SELECT ${messageColumns()} ${fromMessages} WHERE m.sender_id = +? AND m.client_id = +?`,
  )
  const messagesByIds = client.prepare<Message, [string]>(
    `SELECT ${messageColumns()} ${fromMessages} WHERE m.id IN (SELECT value FROM json_each(?))`,
  )
  const messagesBefore = client.prepare<Message, [string, number, number]>(
    `SELECT ${messageColumns()} ${fromMessages} WHERE m.chat_id = +? AND m.seq < ? ORDER BY m.seq DESC LIMIT +?`,
  )
  const messagesAfter = client.prepare<Message, [string, number, number]>(
    `SELECT ${messageColumns()} ${fromMessages} WHERE m.chat_id = +? AND m.seq > ? ORDER BY m.seq LIMIT +?`,
  )
  const unreadOf = client.prepare<{ unread: number; read_to: number }, [{ reader: string; chat: string }]>(`
    SELECT CASE WHEN user_a = $reader THEN unread_a ELSE unread_b END AS unread,
      CASE WHEN user_a = $reader THEN read_to_a ELSE read_to_b END AS read_to
    FROM chats WHERE id = $chat`)
  const unread = 'chat_id = ? AND seq > ? AND sender_id = ? AND read_at IS NULL AND deleted_at IS NULL'
  const newestUnread = client.prepare<{ id: string }, [string, number, string]>(
    `SELECT id FROM messages WHERE ${unread} ORDER BY seq DESC LIMIT 1`,
  )
  const markRead = client.prepare<null, [number, string, number, string]>(
    `UPDATE messages SET read_at = ? WHERE ${unread}`,
  )
  const readTo = {
    a: client.prepare<null, [string]>(nothingUnread('a')),
    b: client.prepare<null, [string]>(nothingUnread('b')),
  }
  const keepVersion = client.prepare<null, [number, string]>(
    // Two changes within a millisecond: the later text takes the next free one.
    `INSERT INTO message_versions (message_id, at, text)
     SELECT id, max(?1, coalesce((SELECT max(at) + 1 FROM message_versions WHERE message_id = id), 0)), text
     FROM messages WHERE id = ?2 AND text IS NOT NULL`,
  )
  const versionsOf = client.prepare<{ n: number }, [string]>(
    'SELECT count(*) AS n FROM message_versions WHERE message_id = ?',
  )
  const setText = client.prepare<null, [string, number, string]>(
    'UPDATE messages SET text = ?, edited_at = ? WHERE id = ?',
  )
  const bury = client.prepare<null, [number, string]>(
    'UPDATE messages SET text = NULL, photo_id = NULL, deleted_at = ? WHERE id = ?',
  )

  /** For both members, but nothing is kept for one whose account is erased. */
  const recordForBoth = (chat: Chat, type: string, at: number, event: { ref?: string; data?: unknown }): EventNumbers =>
    [chat.user_a, chat.user_b]
      .filter((user_id) => !erased.get(user_id))
      .map((user_id) => ({ user_id, seq: record(user_id, type, at, event) }))

  return {
    ensure: (chat) =>
      writer.write(() => {
        const created = insertChat.get(chat.id, chat.user_a, chat.user_b, chat.created_at)
        if (!created) {
          const existing = chatOfPair.get(chat.user_a, chat.user_b)
          return existing ? { chat: existing, created: false, events: [] } : 'blocked'
        }
        return {
          chat: created,
          created: true,
          events: recordForBoth(created, 'chat', chat.created_at, { ref: chat.id }),
        }
      }, leavesPeople),

    byId: async (id) => read(() => chatById.get(id)),
    ofPair: async (a, b) => read(() => chatOfPair.get(a, b)),
    list: async (userId, limit, after) =>
      read(() =>
        listChats.all({ user: userId, at: after?.at ?? Number.MAX_SAFE_INTEGER, id: after?.id ?? '', limit }),
      ).map(entryOf),
    entries: async (userId, chatIds) =>
      read(() => someChats.all({ user: userId, ids: JSON.stringify(chatIds) })).map(entryOf),
    peers: async (userId) => peersOf.all({ user: userId }).map((row) => row.id),

    append: (message, otherId, untilReply) =>
      writer.write(() => {
        const { chat_id, sender_id, client_id, created_at } = message
        const other = standing.get(sender_id, otherId)!
        if (other.apart) return 'blocked'
        if (
          untilReply !== null &&
          sentBy.get(chat_id, sender_id)!.n >= untilReply &&
          sentBy.get(chat_id, otherId)!.n === 0
        ) {
          const repeated = client_id === null ? null : messageByClientId.get(sender_id, client_id)
          return repeated ? { message: repeated, created: false, events: [] } : 'awaiting_reply'
        }
        if (other.erased) return 'nobody_there'
        if (message.photo_id !== null && !ownImage.get(message.photo_id, sender_id)) return 'no_such_photo'
        const seq = newestOf.get(chat_id)!.seq + 1
        if (insertMessage.run({ ...message, seq }).changes === 0)
          return { message: messageByClientId.get(sender_id, client_id!)!, created: false, events: [] }
        touchChat.run({ seq, at: created_at, sender: sender_id, chat: chat_id })
        const events = [sender_id, otherId].map((user_id) => ({
          user_id,
          seq: record(user_id, 'message', created_at, { ref: message.id }),
        }))
        const stored: Message =
          message.photo_id === null
            ? { ...message, seq, ...noPhoto, read_at: null, edited_at: null, deleted_at: null }
            : messageById.get(message.id)!
        return { message: stored, created: true, events }
      }, leavesPeople),

    before: async (chatId, seq, limit) => read(() => messagesBefore.all(chatId, seq, limit)),
    after: async (chatId, seq, limit) => read(() => messagesAfter.all(chatId, seq, limit)),
    message: async (id) => read(() => messageById.get(id)),
    byClientId: async (senderId, clientId) => read(() => messageByClientId.get(senderId, clientId)),
    messages: async (ids) => read(() => messagesByIds.all(JSON.stringify(ids))),
    hasWritten: async (chatId, userId) => read(() => sentBy.get(chatId, userId))!.n > 0,

    markRead: (chat, readerId, now) =>
      writer.write(() => {
        const otherId = chat.user_a === readerId ? chat.user_b : chat.user_a
        const { unread, read_to } = unreadOf.get({ reader: readerId, chat: chat.id })!
        if (unread === 0 || standing.get(readerId, otherId)!.apart)
          return { count: 0, last_read_message_id: null, events: [] }
        const newest = newestUnread.get(chat.id, read_to, otherId)
        // Counted still, and buried with the account that wrote it.
        if (!newest) return { count: 0, last_read_message_id: null, events: [] }
        const last_read_message_id = newest.id
        const count = markRead.run(now, chat.id, read_to, otherId).changes
        readTo[chat.user_a === readerId ? 'a' : 'b'].run(chat.id)
        const data = {
          chat_id: chat.id,
          reader_id: readerId,
          read_at: new Date(now).toISOString(),
          last_read_message_id,
          count,
        }
        return { count, last_read_message_id, events: recordForBoth(chat, 'message_read', now, { data }) }
      }, leavesPeople),

    edit: (chat, messageId, text, now, maxVersions) =>
      writer.write(() => {
        const message = messageById.get(messageId)
        if (!message || message.deleted_at !== null) return null
        if (standing.get(chat.user_a, chat.user_b)!.apart) return 'blocked'
        if (versionsOf.get(messageId)!.n >= maxVersions) return 'edited_too_often'
        keepVersion.run(now, messageId)
        setText.run(text, now, messageId)
        const events = recordForBoth(chat, 'message_edited', now, { ref: messageId })
        return { message: { ...message, text, edited_at: now }, events }
      }, leavesPeople),

    remove: (chat, messageId, now) =>
      writer.write(() => {
        const message = messageById.get(messageId)
        if (!message || message.deleted_at !== null) return null
        keepVersion.run(now, messageId)
        bury.run(now, messageId)
        if (message.read_at === null) recount(message.chat_id)
        const events = recordForBoth(chat, 'message_deleted', now, { ref: messageId })
        const { photo_id } = message
        return { message: { ...message, text: null, photo_id: null, ...noPhoto, deleted_at: now }, photo_id, events }
      }, leavesPeople),
  }
}

// Nothing here changes what is shown of people.
const leavesPeople = { leavesPeople: true }
