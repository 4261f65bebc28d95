import type { ChatStore, Message, NewMessage } from '../../features/chats/store.ts'
import { isTheirs } from '../image-use.ts'
import { noPhoto } from '../chat-entries.ts'
import type { Database } from './database.ts'
import { busy } from './failures.ts'
import type { Queries } from './queries.ts'
import { recordEvents } from './events.ts'
import { apart, hasWritten, isErased, messages, stateOf } from './messages.ts'

// Locks the chat too: the statements after it see all that was written before, and nobody comes between.
const takeNumber = `
  UPDATE chats SET last_seq = last_seq + 1,
    -- A clock that was set back must not move the chat down.
    last_msg_at = greatest(last_msg_at, $2),
    unread_a = unread_a + CASE WHEN user_a = $3 THEN 0 ELSE 1 END,
    unread_b = unread_b + CASE WHEN user_b = $3 THEN 0 ELSE 1 END
  WHERE id = $1`
const ownImage = `SELECT id FROM media WHERE owner_id = $1 AND id = $2 AND ${isTheirs} FOR SHARE`
const hasSent = (sender: string) => `EXISTS (SELECT 1 FROM messages WHERE chat_id = $2 AND sender_id = ${sender})`
const mayNotWrite = `
  (SELECT count(*) FROM (SELECT 1 FROM messages WHERE chat_id = $2 AND sender_id = $3 LIMIT 100) AS sent) >= $10
  AND NOT ${hasSent('$9')}`
const insertMessage = (condition = 'false') => `
  INSERT INTO messages (id, chat_id, seq, sender_id, kind, text, photo_id, client_id, created_at)
  SELECT $1, id, last_seq, $3, $4, $5, $6, $7, $8 FROM chats
  WHERE id = $2 AND NOT ${isErased('$3', '$9')} AND NOT ${apart('$3', '$9')} AND NOT (${condition})
  ON CONFLICT (sender_id, client_id) WHERE client_id IS NOT NULL DO NOTHING RETURNING seq`
const insertAnyMessage = insertMessage()
const insertUntilReply = insertMessage(mayNotWrite)

export type Appended = Awaited<ReturnType<ChatStore['append']>>

/** Undoes a message that was not stored, with the number that it took and the events that tell of it. */
class NotStored extends Error {
  constructor(readonly answer: Appended | null) {
    super('a message was not stored')
  }
}

/**
 * Why nothing was stored, in the order in which it counts. Read under the lock of the chat, but a block may be lifted
 * without it: null where what kept the message from being stored is gone.
 */
async function whyNot(
  tx: Queries,
  { chat_id, sender_id, client_id }: NewMessage,
  otherId: string,
  untilReply: number | null,
  isPhotoTheirs: boolean,
): Promise<Appended | null> {
  const [state, sent, answered, repeated] = await Promise.all([
    tx.get<{ a_erased: boolean; b_erased: boolean; apart: boolean }>(stateOf, [sender_id, otherId]),
    tx.all('SELECT 1 FROM messages WHERE chat_id = $1 AND sender_id = $2 LIMIT 100', [chat_id, sender_id]),
    tx.get(hasWritten, [chat_id, otherId]),
    tx.get<Message>(`${messages} WHERE m.sender_id = $1 AND m.client_id = $2`, [sender_id, client_id]),
  ])
  const first = repeated && { message: repeated, created: false, events: [] }
  if (state!.apart) return 'blocked'
  if (untilReply !== null && sent.length >= untilReply && !answered) return first ?? 'awaiting_reply'
  if (state!.a_erased || state!.b_erased) return 'nobody_there'
  if (!isPhotoTheirs) return 'no_such_photo'
  return first
}

// Each time somebody would have to lift a block between two statements.
const attempts = 3

/** Stores one message, in a transaction of its own. */
export async function append(
  db: Database,
  message: NewMessage,
  otherId: string,
  untilReply: number | null,
): Promise<Appended> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const appended = await tryAppend(db, message, otherId, untilReply)
    if (appended) return appended
  }
  throw busy('The message could not be stored.')
}

/** Null where it was not stored, and nothing keeps it from that any more. */
async function tryAppend(
  db: Database,
  message: NewMessage,
  otherId: string,
  untilReply: number | null,
): Promise<Appended | null> {
  const { id, chat_id, sender_id, kind, text, photo_id, client_id, created_at } = message
  const values = [id, chat_id, sender_id, kind, text, photo_id, client_id, created_at, otherId]
  try {
    return await db.write(async (tx) => {
      // All of it in one round trip: the number and the events are undone where the message is not stored.
      const [, image, inserted, events] = await Promise.all([
        tx.run(takeNumber, [chat_id, created_at, sender_id]),
        photo_id === null ? null : tx.get(ownImage, [sender_id, photo_id]),
        untilReply === null
          ? tx.get<{ seq: number }>(insertAnyMessage, values)
          : tx.get<{ seq: number }>(insertUntilReply, [...values, untilReply]),
        recordEvents(tx, [sender_id, otherId], 'message', created_at, { ref: id }),
      ])
      const isPhotoTheirs = photo_id === null || image !== null
      if (!inserted || !isPhotoTheirs)
        throw new NotStored(await whyNot(tx, message, otherId, untilReply, isPhotoTheirs))
      const stored: Message =
        photo_id === null
          ? { ...message, seq: inserted.seq, ...noPhoto, read_at: null, edited_at: null, deleted_at: null }
          : (await tx.get<Message>(`${messages} WHERE m.chat_id = $1 AND m.seq = $2`, [chat_id, inserted.seq]))!
      return { message: stored, created: true, events }
    })
  } catch (error) {
    if (error instanceof NotStored) return error.answer
    throw error
  }
}
