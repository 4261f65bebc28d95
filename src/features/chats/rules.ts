import { contentColumns, noContent } from './content.ts'
import type { Chat, Message, NewMessage } from './store.ts'

/** The two people of a chat, as it names them: `user_a` first. */
export const pairOf = (one: string, other: string): [user_a: string, user_b: string] =>
  one < other ? [one, other] : [other, one]

/** The state between the two people of a chat. */
export type PairState = {
  /** One of them has blocked the other. */
  blocked: boolean
  /** The account of one of them is erased. */
  erased: boolean
}

export type StartRefusal = 'blocked' | 'gone'

/** Why two people without a chat may not begin one; null if they may. */
export function startVerdict({ erased, blocked }: PairState): StartRefusal | null {
  if (erased) return 'gone'
  if (blocked) return 'blocked'
  return null
}

export type SendState = PairState & {
  /** How many messages the sender may send before the recipient has written; null for no limit. */
  untilReply: number | null
  /** How many the sender has sent in this chat. Only read if `untilReply` sets a limit; counting may stop at 100. */
  sent: number
  /** The recipient has written in this chat. Only read if `untilReply` sets a limit. */
  answered: boolean
  /** The message that the sender has sent with the same `client_id` before. */
  first: Message | null
  /** The photo that the message shows: `noPhoto` if it has none, null if the sender may not show it. */
  photo: ShownPhoto | null
}
export type SendRefusal = 'blocked' | 'awaiting_reply' | 'nobody_there' | 'no_such_photo'
type SendVerdict =
  { is: 'send'; photo: ShownPhoto } | { is: 'repeated'; message: Message } | { is: 'refused'; why: SendRefusal }

/** Decides what happens to a message. `repeated` returns the message that was stored with the same `client_id`. */
export function sendVerdict(state: SendState): SendVerdict {
  const { first, photo } = state
  if (state.blocked) return refused('blocked')
  const awaitsReply = state.untilReply !== null && state.sent >= state.untilReply && !state.answered
  if (awaitsReply) return first ? { is: 'repeated', message: first } : refused('awaiting_reply')
  if (state.erased) return refused('nobody_there')
  if (!photo) return refused('no_such_photo')
  return first ? { is: 'repeated', message: first } : { is: 'send', photo }
}

const refused = (why: SendRefusal): SendVerdict => ({ is: 'refused', why })

/** Whether reading changes anything. Not across a block, where a mark would reveal when the reader was there. */
export const marksRead = ({ blocked, unread }: Pick<PairState, 'blocked'> & { unread: number }): boolean =>
  !blocked && unread > 0

/**
 * The reader's side of a chat after `count` messages were marked up to number `upTo`. Null means all of them, including
 * those that have come in the meantime.
 */
export const afterReading = (
  { unread, last_seq }: { unread: number; last_seq: number },
  { upTo, count }: { upTo: number | null; count: number },
): { unread: number; read_to: number } => ({
  unread: upTo === null ? 0 : unread - count,
  read_to: upTo ?? last_seq,
})

type EditState = {
  blocked: boolean
  held: boolean
  /** A rule holds the new text, which only a message that is held itself can take. */
  onlyHeld: boolean
  /** How many of its older texts are kept. */
  versions: number
  maxVersions: number
}
export type EditRefusal = 'blocked' | 'arrived' | 'edited_too_often'

/** Why an edit is refused; null if it is allowed. The message exists: a deleted one is refused before. */
export function editVerdict(state: EditState): EditRefusal | null {
  if (state.blocked) return 'blocked'
  if (state.onlyHeld && !state.held) return 'arrived'
  if (state.versions >= state.maxVersions) return 'edited_too_often'
  return null
}

/** The photo's columns in a message without one. */
export const noPhoto = { photo_width: null, photo_height: null, photo_placeholder: null }

export type ShownPhoto = Pick<Message, keyof typeof noPhoto>

/** The columns in which a message is stored with its number `seq`. */
export const storedColumns = [
  ...(['id', 'chat_id', 'seq', 'sender_id', 'client_id', 'created_at', 'caution'] as const),
  ...contentColumns,
] as const
export type StoredRow = Required<Pick<Message, (typeof storedColumns)[number]>>

/** A message in those columns: null in those that its kind does not have. */
export const rowOf = (message: NewMessage, seq: number): StoredRow => ({
  ...noContent,
  ...message,
  caution: message.caution ?? null,
  seq,
})

/** A message as it is read back after it was stored with the number `seq`. */
export const asStored = (message: NewMessage, seq: number, photo: ShownPhoto): Message => ({
  ...rowOf(message, seq),
  ...photo,
  read_at: null,
  edited_at: null,
  deleted_at: null,
})

/** The values that deleting a message sets. */
export const cleared = { ...noContent, caution: null }

/** What remains of a deleted message: who wrote it, where and when. */
export const tombstone = (message: Message, at: number): Message => ({
  ...message,
  ...noPhoto,
  ...cleared,
  deleted_at: at,
})

/** The time until which a text was current. Of two changes within a millisecond, the later one takes the next free time. */
export const versionTime = (now: number, newest: number | null): number =>
  newest === null ? now : Math.max(now, newest + 1)

type UnreadCounts = {
  user_a: string
  user_b: string
  unread_a: number
  unread_b: number
  /** The number of the last message that each member has read. */
  read_to_a: number
  read_to_b: number
}

/** The unread counts of a chat after one of its messages is deleted. */
export function unreadWithout(
  { sender_id, seq, read_at }: Pick<Message, 'sender_id' | 'seq' | 'read_at'>,
  chat: UnreadCounts,
): { unread_a: number; unread_b: number } {
  const left = (unread: number, otherId: string, readTo: number) =>
    read_at === null && sender_id === otherId && seq > readTo ? Math.max(0, unread - 1) : unread
  return {
    unread_a: left(chat.unread_a, chat.user_b, chat.read_to_a),
    unread_b: left(chat.unread_b, chat.user_a, chat.read_to_b),
  }
}

/** The newest message numbers of a chat. `held_a` and `held_b` are the newest that only a or b sees. */
export type ChatNumbers = { last_seq: number; held_a: number; held_b: number }

/** The number of a chat's next message. A held message keeps its number. */
export const nextNumber = ({ last_seq, held_a, held_b }: ChatNumbers): number => Math.max(last_seq, held_a, held_b) + 1

/** Whether a member has messages in a chat that only they see. */
export const hasHeld = (chat: Pick<Chat, 'user_a' | 'held_a' | 'held_b'>, userId: string): boolean =>
  (chat.user_a === userId ? chat.held_a : chat.held_b) > 0

/** Who sees a message: only its sender while it is held. */
export const viewersOf = (
  { sender_id, held }: Pick<Message, 'sender_id' | 'held'>,
  { user_a, user_b }: Pick<Chat, 'user_a' | 'user_b'>,
): string[] => (held ? [sender_id] : [user_a, user_b])

/** The state of a chat after a message was sent, for both of them unless it is held. */
export function afterSend(
  chat: ChatCounts & Pick<Chat, 'user_a'>,
  { sender_id, seq, created_at }: Pick<Message, 'sender_id' | 'seq' | 'created_at'>,
) {
  // The chat must not move down the list when the clock was set back.
  const places = { last_seq: seq, last_msg_at: Math.max(chat.last_msg_at ?? 0, created_at) }
  return sender_id === chat.user_a
    ? { ...places, wrote_a: true, unread_b: chat.unread_b + 1 }
    : { ...places, wrote_b: true, unread_a: chat.unread_a + 1 }
}

/** Whether a held message arrives when it is released: not if its sender has deleted it, and not across a block. */
export const arrives = ({ blocked, erased, deleted }: PairState & { deleted: boolean }): boolean =>
  !blocked && !erased && !deleted

type ChatCounts = UnreadCounts & { last_seq: number; last_msg_at: number | null }

/** The state of a chat after a held message has arrived: the message is unread, even if later ones were read. */
export function afterRelease(
  chat: ChatCounts,
  { sender_id, seq, created_at }: Pick<Message, 'sender_id' | 'seq' | 'created_at'>,
) {
  const places = {
    last_seq: Math.max(chat.last_seq, seq),
    last_msg_at: Math.max(chat.last_msg_at ?? 0, created_at),
  }
  return sender_id === chat.user_a
    ? { ...places, wrote_a: true, unread_b: chat.unread_b + 1, read_to_b: Math.min(chat.read_to_b, seq - 1) }
    : { ...places, wrote_b: true, unread_a: chat.unread_a + 1, read_to_a: Math.min(chat.read_to_a, seq - 1) }
}
