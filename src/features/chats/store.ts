import type { Filing } from '../safety/store.ts'
import type { Content, ContentFields } from './content.ts'
import type { EditRefusal, SendRefusal, StartRefusal } from './rules.ts'

export type Chat = {
  id: string
  user_a: string
  user_b: string
  created_at: number
  last_msg_at: number | null
  /** Numbers of the newest held message that only a sees, and only b; 0 for none. */
  held_a: number
  held_b: number
}

export type Message = ContentFields & {
  id: string
  chat_id: string
  /** 1, 2, 3 … within the chat. */
  seq: number
  sender_id: string
  photo_width: number | null
  photo_height: number | null
  photo_placeholder: string | null
  client_id: string | null
  read_at: number | null
  edited_at: number | null
  deleted_at: number | null
  created_at: number
  /** The warning that a rule of the operator shows to the recipient. */
  caution: string | null
  /** Held back by a rule: only its sender and moderators see it. */
  held?: boolean
}

/** A chat in a member's list. */
export type ChatEntry = {
  chat: Chat
  /** Both members have written in it, even if the messages were deleted. */
  both_wrote: boolean
  last_message: Message | null
  unread_count: number
  /** Until when the member has muted it; ignored once it is past. */
  muted_until: number | null
}

/** The sequence number of an event for each user. */
export type EventNumbers = { user_id: string; seq: number }[]

/** A report that is filed with a message. `held`: it also holds the message back. */
export type Reported = Filing & { held: boolean }

export type NewMessage = Pick<Message, 'id' | 'chat_id' | 'sender_id' | 'client_id' | 'created_at'> &
  Partial<Pick<Message, 'caution'>> &
  Content

export type ChatStore = {
  /**
   * The chat of the pair. Created, with a `chat` event to both, if there is none and `startVerdict` allows it. `user_a`
   * sorts before `user_b`.
   */
  ensure(
    chat: Pick<Chat, 'id' | 'user_a' | 'user_b' | 'created_at'>,
    /** Whom to notify, and when. */
    notify?: { user_id: string; due_at: number } | null,
  ): Promise<{ chat: Chat; created: boolean; events: EventNumbers } | StartRefusal>
  byId(id: string): Promise<Chat | null>
  /** The chat of the pair; null if they have none. */
  ofPair(userA: string, userB: string): Promise<Chat | null>
  /** A member's chats with last message and unread count, sorted by their newest message or creation, newest first. */
  list(userId: string, limit: number, after: { at: number; id: string } | null): Promise<ChatEntry[]>
  /** The same for the given chats, in no order. */
  entries(userId: string, chatIds: readonly string[]): Promise<ChatEntry[]>
  /**
   * The other members of the user's chats in which both have written, without blocked pairs. Looks only at that many of the
   * newest chats, because an account may have any number.
   */
  peers(userId: string, chats: number): Promise<string[]>

  /**
   * Stores the message, `last_msg_at` and both members' `message` events in one step, if `sendVerdict` allows it. If the
   * sender has used that `client_id` before, returns that message with `created` false and stores nothing. `untilReply` is
   * how many messages the sender may send before the recipient has written; null for any number. A send that races the
   * sender's erasure is refused, or cleared by the erasure.
   */
  append(
    message: NewMessage,
    otherId: string,
    untilReply: number | null,
    /** When the recipient's notification is due; null for none. */
    notifyAt?: number | null,
    /** A report by rules that is filed in the same step. With `held`, only the sender sees the message until it is resolved. */
    reported?: Reported | null,
  ): Promise<{ message: Message; created: boolean; events: EventNumbers } | SendRefusal>
  /** Messages before a number, newest first; with a viewer, including their own held messages. */
  before(chatId: string, seq: number, limit: number, viewerId?: string | null): Promise<Message[]>
  /** Messages after a number, oldest first. */
  after(chatId: string, seq: number, limit: number, viewerId?: string | null): Promise<Message[]>
  /** Includes `held` messages, which only their sender may see. So do the next two methods. */
  message(id: string): Promise<Message | null>
  /** The message that this sender sent with this `client_id`. */
  byClientId(senderId: string, clientId: string): Promise<Message | null>
  messages(ids: readonly string[]): Promise<Message[]>
  /** Whether the user has ever written a message in the chat that the other member could see. */
  hasWritten(chatId: string, userId: string): Promise<boolean>

  /** How many messages a user has not read, in all chats without a block: the sum of the list's counts. */
  unreadTotal(userId: string): Promise<number>

  /**
   * Marks the other member's messages up to number `upTo` as read, or all of them if that is null. Sends `message_read`
   * events to both if any was unread. Does nothing across a block.
   */
  markRead(
    chat: Chat,
    readerId: string,
    now: number,
    upTo: number | null,
    /** The id of the parcel that withdraws the chat's notifications from the reader's devices; null for none. */
    takeBack?: string | null,
  ): Promise<{ count: number; last_read_message_id: string | null; events: EventNumbers }>
  /**
   * Changes the text and keeps the old one for moderation. Null if the message is deleted. Refused across a block, and if
   * `maxVersions` older texts are kept already. For a held message, the report shows the new text, and only the sender gets
   * an event. `onlyHeld` refuses the edit if the message has arrived; `filing` is filed only if it has.
   */
  edit(
    chat: Chat,
    messageId: string,
    text: string,
    now: number,
    maxVersions: number,
    caution?: string | null,
    rules?: { onlyHeld: boolean; filing: Filing | null },
  ): Promise<{ message: Message; events: EventNumbers } | EditRefusal | null>
  /** Leaves a tombstone and keeps the text for moderation. Null if the message was a tombstone already. */
  remove(
    chat: Chat,
    messageId: string,
    now: number,
    /** The same for the devices of the other member. */
    takeBack?: string | null,
  ): Promise<{ message: Message; photo_id: string | null; events: EventNumbers } | null>
}
