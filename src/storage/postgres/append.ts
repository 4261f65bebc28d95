import {
  asStored,
  noPhoto,
  type PairState,
  rowOf,
  type SendState,
  sendVerdict,
  type ShownPhoto,
  storedColumns,
} from '../../features/chats/rules.ts'
import type { ChatStore, Message, NewMessage } from '../../features/chats/store.ts'
import { isTheirs } from '../image-use.ts'
import { asHeld, isBlockedPair, isErased, selectByClientId, selectHeldByClientId } from '../sql/chats.ts'
import type { Database } from './database.ts'
import { isAmong, value } from './dialect.ts'
import { recordManyEvents } from './events.ts'
import { askedOfMessage, askedValues } from '../sql/asked-notifications.ts'
import { onTakenSlot } from '../sql/outbox.ts'
import { busy } from './failures.ts'
import type { Queries } from './queries.ts'
import { tables } from './schema.ts'

const lockChats = `SELECT id FROM chats WHERE ${isAmong('id', 1)} ORDER BY id FOR NO KEY UPDATE`
const lockFreeChats = `${lockChats} SKIP LOCKED`
const byClientId = selectByClientId({ value })
const heldByClientId = selectHeldByClientId({ value })
const ownPhoto = `
  SELECT width AS photo_width, height AS photo_height, placeholder AS photo_placeholder FROM media
  WHERE owner_id = $1 AND id = $2 AND ${isTheirs} FOR SHARE`

export const pairStates = `
  SELECT id, ${isErased('user_a')} OR ${isErased('user_b')} AS erased, ${isBlockedPair('user_a', 'user_b')} AS blocked,
    ((SELECT 1 FROM channels d WHERE d.user_id = user_a LIMIT 1) IS NOT NULL
      OR (SELECT 1 FROM channels d WHERE d.user_id = user_b LIMIT 1) IS NOT NULL) AS reachable
  FROM chats WHERE ${isAmong('id', 1)}`
const sentBy = 'SELECT 1 FROM messages WHERE chat_id = $1 AND sender_id = $2 LIMIT 100'
const heldBy = 'SELECT 1 FROM held_messages WHERE chat_id = $1 AND sender_id = $2 LIMIT 100'

const takeNumbers = `
  -- As nextNumber says.
  UPDATE chats SET last_seq = greatest(last_seq, held_a, held_b) + 1,
    -- A clock that was set back must not move the chat down.
    last_msg_at = greatest(last_msg_at, s.created_at),
    unread_a = unread_a + CASE WHEN user_a = s.sender_id THEN 0 ELSE 1 END,
    unread_b = unread_b + CASE WHEN user_b = s.sender_id THEN 0 ELSE 1 END,
    wrote_a = wrote_a OR user_a = s.sender_id,
    wrote_b = wrote_b OR user_b = s.sender_id
  FROM unnest($1::text[], $2::text[], $3::int8[]) AS s (chat_id, sender_id, created_at) WHERE chats.id = s.chat_id`
// The number comes from the chat.
const given = storedColumns.filter((name) => name !== 'seq')
const insertMessages = `
  INSERT INTO messages (seq, ${given.join()})
  SELECT c.last_seq, ${given.map((name) => `s.${name}`).join()}
  FROM unnest(${given.map((name, i) => `$${i + 1}::${tables.messages[name].getSQLType()}[]`).join()}) AS s (${given.join()})
  JOIN chats c ON c.id = s.chat_id
  -- A held message keeps its client_id from others. For EXISTS, a plan may hash the whole table.
  WHERE (SELECT 1 FROM held_messages h WHERE h.sender_id = s.sender_id AND h.client_id = s.client_id LIMIT 1) IS NULL
  ON CONFLICT (sender_id, client_id) WHERE client_id IS NOT NULL DO NOTHING RETURNING id, seq`

const askAll = `
  INSERT INTO outbox (id, kind, user_id, payload, created_at, due_at, slot)
  SELECT id, 'notification', user_id, payload, at, due_at, slot
  FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::text[])
    AS s (id, user_id, payload, at, due_at, slot)
  WHERE (SELECT 1 FROM channels c WHERE c.user_id = s.user_id LIMIT 1) IS NOT NULL
  ORDER BY slot ${onTakenSlot}`

export type Appended = Awaited<ReturnType<ChatStore['append']>>
/** The arguments of the port's `append`. */
export type Send = { message: NewMessage; otherId: string; untilReply: number | null; notifyAt: number | null }

/** Rolls back the group, because the `client_id` of some messages is taken. `storable` has the ids of the others. */
export class NotAll extends Error {
  constructor(readonly storable: ReadonlySet<string>) {
    super('not all of a group can be stored')
  }
}

/** What the verdict depends on besides the state of the pair. */
type Details = Omit<SendState, keyof PairState>

// A group holds only texts that need no reply. The statement that stores them finds repeats, so that none needs a round trip.
const detailsInGroup: Details = { untilReply: null, sent: 0, answered: true, photo: noPhoto, first: null }

async function detailsOf(tx: Queries, { message, otherId, untilReply }: Send): Promise<Details> {
  const { chat_id, sender_id, client_id, photo_id } = message
  const count = async (select: string, userId: string) =>
    untilReply === null ? 0 : (await tx.all(select, [chat_id, userId])).length
  const [sent, held, replies, photo, first, heldFirst] = await Promise.all([
    count(sentBy, sender_id),
    count(heldBy, sender_id),
    count(sentBy, otherId),
    photo_id === null ? noPhoto : tx.get<ShownPhoto>(ownPhoto, [sender_id, photo_id]),
    client_id === null ? null : tx.get<Message>(byClientId, [sender_id, client_id]),
    client_id === null ? null : tx.get<Message>(heldByClientId, [sender_id, client_id]),
  ])
  return {
    untilReply,
    sent: sent + held,
    answered: replies > 0,
    photo,
    first: first ?? (heldFirst && asHeld(heldFirst)),
  }
}

/**
 * Stores messages of different chats with as many round trips as one needs. Returns the outcomes by message id.
 *
 * `group` is for texts without `untilReply`, and omits those whose chat is locked by another write. `alone` takes any message,
 * and waits for the lock.
 */
export async function appendAll(
  tx: Queries,
  sends: readonly Send[],
  how: 'group' | 'alone',
): Promise<Map<string, Appended>> {
  const column = <Name extends keyof NewMessage>(name: Name, of = sends) => of.map(({ message }) => message[name])
  const chatIds = column('chat_id')
  // Blocks and erasures lock the chat too, so what is read after the lock stays true until the commit.
  const [chats, states, details] = await Promise.all([
    tx.all<{ id: string }>(how === 'group' ? lockFreeChats : lockChats, [chatIds]),
    tx.all<PairState & { id: string; reachable: boolean }>(pairStates, [chatIds]),
    how === 'alone' ? Promise.all(sends.map((send) => detailsOf(tx, send))) : [],
  ])
  const isLocked = new Set(chats.map(({ id }) => id))
  const stateOf = new Map(states.map((state) => [state.id, state]))
  const answers = new Map<string, Appended>()
  const storable: (Send & { photo: ShownPhoto; reachable: boolean })[] = []
  for (const [i, send] of sends.entries()) {
    const { id, chat_id } = send.message
    const state = stateOf.get(chat_id)
    if (!isLocked.has(chat_id) || !state) continue
    const { blocked, erased, reachable } = state
    const verdict = sendVerdict({ blocked, erased, ...(details[i] ?? detailsInGroup) })
    if (verdict.is === 'send') storable.push({ ...send, photo: verdict.photo, reachable })
    else
      answers.set(id, verdict.is === 'refused' ? verdict.why : { message: verdict.message, created: false, events: [] })
  }
  if (storable.length === 0) return answers
  // The statement replaces 0 by the next number of the chat.
  const stored = storable.map(({ message }) => rowOf(message, 0))

  const [, inserted, events] = await Promise.all([
    tx.run(takeNumbers, [column('chat_id', storable), column('sender_id', storable), column('created_at', storable)]),
    tx.all<{ id: string; seq: number }>(
      insertMessages,
      given.map((name) => stored.map((row) => row[name])),
    ),
    recordManyEvents(
      tx,
      'message',
      storable.flatMap(({ message: { id, sender_id, created_at }, otherId }) =>
        [sender_id, otherId].map((user_id) => ({ user_id, at: created_at, ref: id })),
      ),
    ),
    // Most recipients have no device.
    askForAll(
      tx,
      storable.filter(({ reachable }) => reachable),
    ),
  ])
  const seqOf = new Map(inserted.map(({ id, seq }) => [id, seq]))
  for (const [i, { message, photo }] of storable.entries()) {
    const seq = seqOf.get(message.id)
    if (seq === undefined) throw new NotAll(new Set(seqOf.keys()))
    answers.set(message.id, {
      message: asStored(message, seq, photo),
      created: true,
      events: events.slice(2 * i, 2 * i + 2),
    })
  }
  return answers
}

async function askForAll(tx: Queries, sends: readonly Send[]): Promise<void> {
  const asked = sends.flatMap(({ message, otherId, notifyAt }) =>
    notifyAt === null ? [] : [askedValues(askedOfMessage(message, otherId, notifyAt))],
  )
  if (asked.length === 0) return
  const column = <I extends 0 | 1 | 2 | 3 | 4 | 5>(i: I) => asked.map((values) => values[i])
  await tx.run(askAll, [column(0), column(1), column(2), column(3), column(4), column(5)])
}

// After `NotAll`, the next attempt finds the message that has just taken the `client_id`.
const attempts = 3

/** Stores one message, in a transaction of its own. */
export async function append(db: Database, send: Send): Promise<Appended> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const answer = (await db.write((tx) => appendAll(tx, [send], 'alone'))).get(send.message.id)
      if (answer === undefined) throw new Error('a message to a chat that does not exist')
      return answer
    } catch (error) {
      if (!(error instanceof NotAll)) throw error
    }
  }
  throw busy('The message could not be stored.')
}
