import type { Page, Paging } from '../../lib/paging.ts'
import { unknownId } from '../../lib/refusal.ts'
import { iso } from '../../lib/time.ts'
import type { Push } from '../../realtime/events.ts'
import type { Caller } from '../auth/callers.ts'
import type { NotificationSchedule } from '../notifications/schedule.ts'
import type { Blocking } from '../safety/blocking.ts'
import { isMember, type Membership, noSuchMessage, otherOf } from './membership.ts'
import { hasHeld } from './rules.ts'
import type { ChatStore, Message } from './store.ts'
import type { ChatViews } from './views.ts'

export type ReadingDeps = {
  store: ChatStore
  views: ChatViews
  membership: Membership
  blocking: Blocking
  push: Push
  schedule: NotificationSchedule
  paging: Paging
  now: () => number
}

export function reading({
  store,
  views,
  membership: { chatOf, messageIn },
  blocking,
  push,
  schedule,
  paging: { keyOf, pageOf },
  now,
}: ReadingDeps) {
  return {
    async list(caller: Caller, { limit = 30, cursor }: Page) {
      const key = keyOf('chats', cursor, ['number', 'string'])
      const [entries, unread_total] = await Promise.all([
        store.list(caller.id, limit + 1, key && { at: key[0], id: key[1] }),
        store.unreadTotal(caller.id),
      ])
      const items = await views.chats(caller.id, entries.slice(0, limit))
      const { next_cursor } = pageOf(
        'chats',
        entries,
        limit,
        ({ chat }) => [chat.last_msg_at ?? chat.created_at, chat.id],
        () => null,
      )
      return { items, next_cursor, unread_total }
    },

    async byId(caller: Caller, chatId: string) {
      const chat = await chatOf(caller, chatId)
      return views.chat(caller.id, chat.id)
    },

    /** Newest first; with `after`, the messages after that one, oldest first. */
    async messages(caller: Caller, chatId: string, { limit = 30, cursor, after }: Page & { after?: string }) {
      const chat = await chatOf(caller, chatId)
      const show = (message: Message) => views.message(message, caller.id)
      // Most members have no held messages, so their queries can do without a viewer.
      const own = hasHeld(chat, caller.id) ? caller.id : null
      if (after === undefined) {
        const list = `messages:${chat.id}`
        const from = keyOf(list, cursor, ['number'])?.[0] ?? Number.MAX_SAFE_INTEGER
        return pageOf(list, await store.before(chat.id, from, limit + 1, own), limit, ({ seq }) => [seq], show)
      }
      const message = await messageIn(caller, chat, after)
      if (message === null) throw noSuchMessage()
      const list = `messages-after:${chat.id}`
      const from = keyOf(list, cursor, ['number'])?.[0] ?? message.seq
      return pageOf(list, await store.after(chat.id, from, limit + 1, own), limit, ({ seq }) => [seq], show)
    },

    /**
     * Marks the other member's messages as read: all of them, or those up to a message of this chat. Changes nothing and sends
     * no event if nothing was unread, or across a block, where a read mark would reveal when the reader was there.
     */
    async markRead(caller: Caller, chatId: string, upTo?: string | null) {
      const chat = await chatOf(caller, chatId)
      const last = upTo == null ? null : await messageIn(caller, chat, upTo)
      if (upTo != null && last === null) throw unknownId('/up_to', 'There is no such message.')
      if (await blocking.between(caller.id, otherOf(chat, caller.id))) return { read: 0, read_at: null }
      const at = now()
      const marked = await store.markRead(chat, caller.id, at, last?.seq ?? null, schedule.takeBackId())
      const { count, last_read_message_id, events } = marked
      const read_at = count === 0 ? null : iso(at)
      const data = { chat_id: chat.id, reader_id: caller.id, read_at, last_read_message_id, count }
      push.event('message_read', at, events, () => data)
      return { read: count, read_at }
    },

    /** Who may see that a user types in a chat; null across a block, `stranger` if the user is not a member. */
    async typingTo(userId: string, chatId: string): Promise<{ user_id: string } | 'stranger' | null> {
      const chat = await store.byId(chatId)
      if (!chat || !isMember(chat, userId)) return 'stranger'
      const otherId = otherOf(chat, userId)
      return (await blocking.between(userId, otherId)) ? null : { user_id: otherId }
    },
  }
}
