import { createStore } from './store.ts'
import type { Frame, Store } from './types.ts'

export type Presence = { online: boolean; lastSeenAt: string | null }

const unknown: Presence = { online: false, lastSeenAt: null }
const typingMs = 5000
// Who is online is told right after each connection: whoever is not named by then has gone.
const namedWithinMs = 2000

/** Who is online, and who types where. */
export function openPresence() {
  const users = new Map<string, ReturnType<typeof createStore<Presence>>>()
  const typists = new Map<string, ReturnType<typeof createStore<boolean>>>()
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  let named: Set<string> | null = null
  let namedTimer: ReturnType<typeof setTimeout> | undefined

  const storeIn = <T>(map: Map<string, ReturnType<typeof createStore<T>>>, id: string, first: T) => {
    const store = map.get(id) ?? createStore(first)
    map.set(id, store)
    return store
  }
  const user = (id: string) => storeIn(users, id, unknown)
  const typing = (chatId: string) => storeIn(typists, chatId, false)

  function note(id: string, online: boolean, lastSeenAt: string | null) {
    if (online) named?.add(id)
    const store = user(id)
    const now = store.get()
    if (now.online !== online || now.lastSeenAt !== lastSeenAt) store.set({ online, lastSeenAt })
  }

  function stopTyping(chatId: string) {
    clearTimeout(timers.get(chatId))
    timers.delete(chatId)
    typists.get(chatId)?.set(false)
  }

  return {
    note,
    user: (id: string): Store<Presence> => user(id),
    typing: (chatId: string): Store<boolean> => typing(chatId),
    online: () => [...users].filter(([, store]) => store.get().online).map(([id]) => id),
    onFrame(frame: Frame, me: string) {
      if (frame.type === 'presence') note(frame.data.user_id, frame.data.online, frame.data.last_seen_at)
      else if (frame.type === 'typing' && frame.data.user_id !== me) {
        const { chat_id } = frame.data
        clearTimeout(timers.get(chat_id))
        timers.set(
          chat_id,
          setTimeout(() => stopTyping(chat_id), typingMs),
        )
        typing(chat_id).set(true)
      } else if (frame.type === 'message' && 'chat_id' in frame.data && frame.data.sender_id !== me)
        stopTyping(frame.data.chat_id)
      else if (frame.type === 'hello') {
        clearTimeout(namedTimer)
        const now = (named = new Set())
        namedTimer = setTimeout(() => {
          for (const [id, store] of users)
            if (store.get().online && !now.has(id)) store.set({ ...store.get(), online: false })
        }, namedWithinMs)
      }
    },
    clear() {
      clearTimeout(namedTimer)
      for (const store of users.values()) store.set(unknown)
      for (const id of [...timers.keys()]) stopTyping(id)
    },
  }
}

export type PresenceBook = ReturnType<typeof openPresence>
