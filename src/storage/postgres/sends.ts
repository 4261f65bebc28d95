import type { ChatStore, NewMessage } from '../../features/chats/store.ts'
import { Refusal } from '../../refusal.ts'
import { noPhoto } from '../chat-entries.ts'
import { append, type Appended } from './append.ts'
import { type Database, patienceMs } from './database.ts'
import { busy } from './failures.ts'
import type { Queries } from './queries.ts'
import { recordManyEvents } from './events.ts'
import { apart, isErased } from './messages.ts'

// A chat that somebody else holds is left out, and its message waits on its own: so nobody waits for another one's chat,
// and no two groups for each other.
const holdChats = `
  SELECT id, ${apart('user_a', 'user_b')} AS apart FROM chats WHERE id = ANY($1::text[])
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`
const takeNumbers = `
  UPDATE chats SET last_seq = last_seq + 1,
    -- A clock that was set back must not move the chat down.
    last_msg_at = greatest(last_msg_at, s.created_at),
    unread_a = unread_a + CASE WHEN user_a = s.sender_id THEN 0 ELSE 1 END,
    unread_b = unread_b + CASE WHEN user_b = s.sender_id THEN 0 ELSE 1 END
  FROM unnest($1::text[], $2::text[], $3::int8[]) AS s (chat_id, sender_id, created_at) WHERE chats.id = s.chat_id`
const insertTexts = `
  INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, client_id, created_at)
  SELECT s.id, s.chat_id, c.last_seq, s.sender_id, 'text', s.text, s.client_id, s.created_at
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[])
    AS s (id, chat_id, sender_id, other_id, text, client_id, created_at)
  JOIN chats c ON c.id = s.chat_id
  WHERE NOT ${isErased('s.sender_id', 's.other_id')} AND NOT ${apart('s.sender_id', 's.other_id')}
  ON CONFLICT (sender_id, client_id) WHERE client_id IS NOT NULL DO NOTHING RETURNING id, seq`

// What comes while a group is on its way gathers for the next one, as a group costs a node and the database as much as ten
// messages. Only where so many wait, or it is late, another one goes beside it.
const groupsAtOnce = 3
const many = 32
const lateMs = 20
const groupLimit = 128
// Beyond this the last one would wait for seconds.
const waitingLimit = 2048

type Send = {
  message: NewMessage
  otherId: string
  done(answer: Appended): void
  fail(error: unknown): void
}

/** Undoes a group, as these can be stored, and others of it cannot. */
class NotAll extends Error {
  constructor(readonly storable: ReadonlySet<string>) {
    super('not all of a group can be stored')
  }
}

/**
 * Stores messages that arrive together in one transaction, one of each chat: it takes as many statements for all as for
 * one, and a single commit. A message that cannot be stored, or whose chat is held by another write, comes after its group
 * in a transaction of its own, and so fails or waits alone. A group whose commit was not answered is `busy`, all of it.
 */
export function sends(db: Database): ChatStore['append'] {
  let waiting: Send[] = []
  /** A chat's next message waits for the one before. */
  const chatsUnderWay = new Set<string>()
  let groups = 0
  let lateGroups = 0
  let isSoon = false

  function goSoon() {
    if (isSoon) return
    isSoon = true
    setImmediate(go)
  }

  function go() {
    isSoon = false
    while (waiting.length > 0 && groups < groupsAtOnce && (groups === lateGroups || waiting.length >= many)) {
      const group = take()
      if (group.length === 0) return
      void sendTogether(group)
    }
  }

  function take(): Send[] {
    const group: Send[] = []
    waiting = waiting.filter((send) => {
      const { chat_id } = send.message
      if (group.length === groupLimit || chatsUnderWay.has(chat_id)) return true
      chatsUnderWay.add(chat_id)
      group.push(send)
      return false
    })
    return group
  }

  async function sendTogether(group: readonly Send[]) {
    const began = performance.now()
    let isLate = false
    const late = setTimeout(() => {
      isLate = true
      lateGroups++
      goSoon()
    }, lateMs)
    groups++
    try {
      const stored = await db.write((tx) => storeAll(tx, group))
      for (const send of group) {
        const answer = stored.get(send.message.id)
        if (answer === undefined) void sendAlone(send)
        else end(send, () => send.done(answer))
      }
    } catch (error) {
      if (error instanceof Refusal) {
        for (const send of group) end(send, () => send.fail(error))
        // Who has waited for a silent database as long as they did is not kept any longer.
        if (performance.now() - began >= patienceMs) for (const send of waiting.splice(0)) send.fail(error)
      } else if (error instanceof NotAll) {
        // Those that were sent before, above all: the others need not wait for each of them.
        const [rest, others] = [true, false].map((can) =>
          group.filter((send) => error.storable.has(send.message.id) === can),
        )
        for (const send of others!) void sendAlone(send)
        if (rest!.length > 0) void sendTogether(rest!)
      } else {
        // Something is wrong with one of them, and so nothing was stored: with which, shows now.
        for (const send of group) void sendAlone(send)
      }
    }
    clearTimeout(late)
    groups--
    if (isLate) lateGroups--
    goSoon()
  }

  async function sendAlone(send: Send) {
    try {
      const answer = await append(db, send.message, send.otherId, null)
      end(send, () => send.done(answer))
    } catch (error) {
      end(send, () => send.fail(error))
    }
    goSoon()
  }

  function end(send: Send, answer: () => void) {
    chatsUnderWay.delete(send.message.chat_id)
    answer()
  }

  return (message, otherId, untilReply) => {
    // These depend on more than the chat.
    if (message.photo_id !== null || untilReply !== null) return append(db, message, otherId, untilReply)
    if (waiting.length >= waitingLimit)
      return Promise.reject(busy('The server has more waiting for its database than it can take.'))
    const { promise, resolve, reject } = Promise.withResolvers<Appended>()
    waiting.push({ message, otherId, done: resolve, fail: reject })
    goSoon()
    return promise
  }
}

/** Stores those whose chat nobody holds, but across a block: all of them, or none. */
async function storeAll(tx: Queries, group: readonly Send[]): Promise<Map<string, Appended>> {
  const held = await tx.all<{ id: string; apart: boolean }>(holdChats, [group.map(({ message }) => message.chat_id)])
  const isApart = new Map(held.map(({ id, apart }) => [id, apart]))
  const answers = new Map<string, Appended>(
    group.filter(({ message }) => isApart.get(message.chat_id) === true).map(({ message }) => [message.id, 'blocked']),
  )
  const all = group.filter(({ message }) => isApart.get(message.chat_id) === false)
  if (all.length === 0) return answers
  const column = <Name extends keyof NewMessage>(name: Name) => all.map(({ message }) => message[name])
  const [, inserted, events] = await Promise.all([
    tx.run(takeNumbers, [column('chat_id'), column('sender_id'), column('created_at')]),
    tx.all<{ id: string; seq: number }>(insertTexts, [
      column('id'),
      column('chat_id'),
      column('sender_id'),
      all.map(({ otherId }) => otherId),
      column('text'),
      column('client_id'),
      column('created_at'),
    ]),
    recordManyEvents(
      tx,
      'message',
      all.flatMap(({ message: { id, sender_id, created_at }, otherId }) =>
        [sender_id, otherId].map((user_id) => ({ user_id, at: created_at, ref: id })),
      ),
    ),
  ])
  if (inserted.length < all.length) throw new NotAll(new Set(inserted.map(({ id }) => id)))
  const seqs = new Map(inserted.map(({ id, seq }) => [id, seq]))
  for (const [i, { message }] of all.entries()) {
    const unread = { read_at: null, edited_at: null, deleted_at: null }
    const stored = { ...message, seq: seqs.get(message.id)!, ...noPhoto, ...unread }
    answers.set(message.id, { message: stored, created: true, events: events.slice(2 * i, 2 * i + 2) })
  }
  return answers
}
