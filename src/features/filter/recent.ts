import type { ChatStore } from '../chats/store.ts'
import { recentMap } from '../../lib/recent-map.ts'
import { minutes } from '../../lib/time.ts'

/** The latest short messages of a user in a chat, oldest first: those that the recipient sees. */
export type RecentTexts = {
  of(chatId: string, senderId: string): readonly string[] | Promise<readonly string[]>
  /** Adds a text that is being sent. Call the returned function if the recipient does not get it. */
  note(chatId: string, senderId: string, text: string): () => void
}

// Only short messages are joined: they are how people split a forbidden word.
const longest = 24
const mostRecent = 3
// How many of a chat's newest messages are read from storage: those of the other person are among them.
const mostRead = 20
const recentFor = minutes
const mostChats = 10_000

export const isShort = (text: string) => text.length <= longest

/** Keeps the latest short messages of everybody who writes through this node in memory. */
export function openRecentTexts({ now }: { now: () => number }): RecentTexts {
  const known = recentMap<{ text: string; at: number }[]>(mostChats)
  const keyOf = (chatId: string, senderId: string) => chatId + senderId
  const still = (key: string) => (known.get(key) ?? []).filter(({ at }) => now() - at < recentFor)
  return {
    of: (chatId, senderId) => still(keyOf(chatId, senderId)).map(({ text }) => text),
    note(chatId, senderId, text) {
      const key = keyOf(chatId, senderId)
      const before = known.get(key)
      if (!isShort(text)) {
        if (before) known.delete(key)
        return () => {}
      }
      const kept = before ? still(key).slice(1 - mostRecent) : []
      const noted = { text, at: now() }
      known.set(key, [...kept, noted])
      return () =>
        known.set(
          key,
          (known.get(key) ?? []).filter((one) => one !== noted),
        )
    },
  }
}

/** Reads the latest short messages from storage, for communities of several nodes. */
export function recentFromStorage({
  chats,
  now,
}: {
  chats: Pick<ChatStore, 'before'>
  now: () => number
}): RecentTexts {
  return {
    async of(chatId, senderId) {
      const newest = await chats.before(chatId, Number.MAX_SAFE_INTEGER, mostRead, senderId)
      const own = newest.filter(
        ({ sender_id, created_at, held }) => sender_id === senderId && !held && now() - created_at < recentFor,
      )
      const texts = own.slice(0, mostRecent).map(({ text }) => text ?? '')
      const long = texts.findIndex((text) => !isShort(text))
      return (long < 0 ? texts : texts.slice(0, long)).filter((text) => text !== '').toReversed()
    },
    note: () => () => {},
  }
}
