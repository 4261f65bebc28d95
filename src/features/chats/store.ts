import type { SendRefusal, StartRefusal } from './rules.ts'

export type Chat = { id: string; user_a: string; user_b: string; created_at: number; last_msg_at: number | null }

export type Message = {
  id: string
  chat_id: string
  /** 1, 2, 3 … within the chat. */
  seq: number
  sender_id: string
  kind: 'text' | 'photo'
  text: string | null
  photo_id: string | null
  photo_width: number | null
  photo_height: number | null
  photo_placeholder: string | null
  client_id: string | null
  read_at: number | null
  edited_at: number | null
  deleted_at: number | null
  created_at: number
  /** What a rule of the operator tells the recipient. */
  caution: string | null
}

/** A chat in a member's list. */
export type ChatEntry = {
  chat: Chat
  /** Both members have written in it, whatever was deleted since. */
  both_wrote: boolean
  last_message: Message | null
  unread_count: number
  /** Until when the member has muted it; a time that is over means nothing. */
  muted_until: number | null
}

/** The numbers that an event got, user by user. */
export type EventNumbers = { user_id: string; seq: number }[]

/** What a message says, by its kind: each kind has its own fields, so that a switch over `kind` cannot forget one. */
export type Content =
  { kind: 'text'; text: string; photo_id: null } | { kind: 'photo'; text: string | null; photo_id: string }

export type NewMessage = Pick<Message, 'id' | 'chat_id' | 'sender_id' | 'client_id' | 'created_at'> &
  Partial<Pick<Message, 'caution'>> &
  Content

export type ChatStore = {
  /**
   * The chat of the pair, made where there is none and `startVerdict` allows it, with a `chat` event to both. `user_a`
   * sorts before `user_b`.
   */
  ensure(
    chat: Omit<Chat, 'last_msg_at'>,
    /** Whom to notify of it, from when on. */
    notify?: { user_id: string; due_at: number } | null,
  ): Promise<{ chat: Chat; created: boolean; events: EventNumbers } | StartRefusal>
  byId(id: string): Promise<Chat | null>
  /** The chat of the pair; null where they have none. */
  ofPair(userA: string, userB: string): Promise<Chat | null>
  /** A member's chats, those with the newest message (or made last) first, with last message and unread count. */
  list(userId: string, limit: number, after: { at: number; id: string } | null): Promise<ChatEntry[]>
  /** The same of certain chats, in no order. */
  entries(userId: string, chatIds: readonly string[]): Promise<ChatEntry[]>
  /**
   * The others of a user's chats in which both have written, but those with whom there is a block. It looks at that many
   * chats, those with the newest message (or made last): an account may have any number.
   */
  peers(userId: string, chats: number): Promise<string[]>

  /**
   * Stores what `sendVerdict` lets through: the message, `last_msg_at` and both members' `message` events in one step.
   * Where the sender has used that `client_id` before, it answers that message, `created` false, and stores nothing.
   * `untilReply` is how many messages the sender may send before the other one has written; null for any number. What an
   * erased sender had under way is refused too, or cleared after it.
   */
  append(
    message: NewMessage,
    otherId: string,
    untilReply: number | null,
    /** From when on the other one is notified; null where nobody is. */
    notifyAt?: number | null,
  ): Promise<{ message: Message; created: boolean; events: EventNumbers } | SendRefusal>
  /** Messages before a number, newest first. */
  before(chatId: string, seq: number, limit: number): Promise<Message[]>
  /** Messages after a number, oldest first. */
  after(chatId: string, seq: number, limit: number): Promise<Message[]>
  message(id: string): Promise<Message | null>
  /** What that sender sent with that `client_id`. */
  byClientId(senderId: string, clientId: string): Promise<Message | null>
  messages(ids: readonly string[]): Promise<Message[]>
  /** Whether that user has ever written in the chat. */
  hasWritten(chatId: string, userId: string): Promise<boolean>

  /** How many messages a user has not read, over all chats but those across a block: the sum of what a list shows. */
  unreadTotal(userId: string): Promise<number>

  /**
   * Marks what the other one wrote up to message number `upTo`, or all of it where that is null, with `message_read` events
   * to both where anything of it was unread; nothing across a block.
   */
  markRead(
    chat: Chat,
    readerId: string,
    now: number,
    upTo: number | null,
    /** The id of the parcel that takes back what the reader's devices show of the chat; null where nothing is shown. */
    takeBack?: string | null,
  ): Promise<{ count: number; last_read_message_id: string | null; events: EventNumbers }>
  /**
   * Changes the text and keeps the old one for moderation. Null where the message is deleted; refused across a block, and
   * where `maxVersions` of its older texts are kept already.
   */
  edit(
    chat: Chat,
    messageId: string,
    text: string,
    now: number,
    maxVersions: number,
    caution?: string | null,
  ): Promise<{ message: Message; events: EventNumbers } | 'blocked' | 'edited_too_often' | null>
  /** Leaves a tombstone and keeps the text for moderation. Null where it was one already. */
  remove(
    chat: Chat,
    messageId: string,
    now: number,
    /** The same for the other one. */
    takeBack?: string | null,
  ): Promise<{ message: Message; photo_id: string | null; events: EventNumbers } | null>
}
