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
}

/** A chat in a member's list. */
export type ChatEntry = { chat: Chat; last_message: Message | null; unread_count: number }

/** The numbers that an event got, user by user. */
export type EventNumbers = { user_id: string; seq: number }[]

export type NewMessage = Pick<
  Message,
  'id' | 'chat_id' | 'sender_id' | 'kind' | 'text' | 'photo_id' | 'client_id' | 'created_at'
>

export type ChatStore = {
  /**
   * The chat of the pair, made where there is none, with a `chat` event to both. `user_a` sorts before `user_b`. None is
   * made across a block.
   */
  ensure(chat: Omit<Chat, 'last_msg_at'>): Promise<{ chat: Chat; created: boolean; events: EventNumbers } | 'blocked'>
  byId(id: string): Promise<Chat | null>
  /** The chat of the pair; null where they have none. */
  ofPair(userA: string, userB: string): Promise<Chat | null>
  /** A member's chats, those with the newest message (or made last) first, with last message and unread count. */
  list(userId: string, limit: number, after: { at: number; id: string } | null): Promise<ChatEntry[]>
  /** The same of certain chats, in no order. */
  entries(userId: string, chatIds: readonly string[]): Promise<ChatEntry[]>
  /** The others of a user's chats, but those with whom there is a block. */
  peers(userId: string): Promise<string[]>

  /**
   * Message, `last_msg_at` and both members' `message` events in one step. Where the sender has used that `client_id`
   * before: that message, `created` false, and nothing else. Refused across a block: nothing is stored after a block was
   * answered; where `untilReply` is given, the other one has not written yet and the sender has sent that many; where the
   * photo is not the sender's; and where the other one's account is erased. What an erased sender had under way is refused
   * too, or cleared after it.
   */
  append(
    message: NewMessage,
    otherId: string,
    untilReply: number | null,
  ): Promise<
    | { message: Message; created: boolean; events: EventNumbers }
    | 'blocked'
    | 'awaiting_reply'
    | 'no_such_photo'
    | 'nobody_there'
  >
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

  /** Marks what the other one wrote, with `message_read` events to both where anything was unread; nothing across a block. */
  markRead(
    chat: Chat,
    readerId: string,
    now: number,
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
  ): Promise<{ message: Message; events: EventNumbers } | 'blocked' | 'edited_too_often' | null>
  /** Leaves a tombstone and keeps the text for moderation. Null where it was one already. */
  remove(
    chat: Chat,
    messageId: string,
    now: number,
  ): Promise<{ message: Message; photo_id: string | null; events: EventNumbers } | null>
}
