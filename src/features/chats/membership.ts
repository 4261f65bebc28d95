import { Refusal } from '../../lib/refusal.ts'
import type { Caller } from '../auth/callers.ts'
import type { Chat, ChatStore, Message } from './store.ts'

export type Membership = ReturnType<typeof openMembership>

/** Finds chats and messages for their members: 404 if there is none, 403 `not_a_member` for everybody else. */
export function openMembership({ store }: { store: Pick<ChatStore, 'byId' | 'message'> }) {
  async function chatOf(caller: Caller, chatId: string): Promise<Chat> {
    const chat = await store.byId(chatId)
    if (!chat) throw new Refusal('not_found', 'There is no such chat.')
    if (!isMember(chat, caller.id)) throw new Refusal('not_a_member', 'You are not in this chat.')
    return chat
  }

  return {
    chatOf,

    /** A message that the caller wrote, and its chat: 403 `not_the_owner` for the other member. */
    async ownMessageOf(caller: Caller, messageId: string): Promise<{ message: Message; chat: Chat }> {
      const message = await store.message(messageId)
      if (!message || isHidden(message, caller)) throw noSuchMessage()
      const chat = await chatOf(caller, message.chat_id)
      if (message.sender_id !== caller.id) throw new Refusal('not_the_owner', 'This message is not yours.')
      return { message, chat }
    },

    /** A message of that chat that the caller sees; null if there is none. */
    async messageIn(caller: Caller, chat: Chat, messageId: string): Promise<Message | null> {
      const message = await store.message(messageId)
      return message?.chat_id !== chat.id || isHidden(message, caller) ? null : message
    },
  }
}

/** Only its sender sees a held message. */
const isHidden = ({ held, sender_id }: Message, caller: Caller) => held === true && sender_id !== caller.id

export const noSuchMessage = () => new Refusal('not_found', 'There is no such message.')

export const isMember = (chat: Chat, userId: string) => chat.user_a === userId || chat.user_b === userId
export const otherOf = (chat: Chat, userId: string) => (chat.user_a === userId ? chat.user_b : chat.user_a)
