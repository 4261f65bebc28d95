import { neverSeen } from './initial.ts'
import { createStore, isSame, type Settable } from './store.ts'
import type { Chat, ConnectionState, Frame, Presence, Store } from './types.ts'

const typingMs = 5000
// Right after each connection, the server names the users who are online. A user who is not named within this time is offline.
const namedWithinMs = 2000

/** Tracks who is online, and who types in which chat. Without a connection, it cannot tell that somebody has gone: it shows nobody. */
export function openPresence(connection: Store<ConnectionState>) {
  const users = new Map<string, Settable<Presence>>()
  const typists = new Map<string, Settable<boolean>>()
  /** When the typing ends, by chat. */
  const timers = new Map<string, Timer>()
  /** The users whom the server has named since it was connected, and when: the number of the frame. */
  let named = new Map<string, number>()
  let frames = 0
  let namedTimer: Timer

  const storeIn = <T>(map: Map<string, Settable<T>>, id: string, first: T) => {
    const store = map.get(id) ?? createStore(first)
    map.set(id, store)
    return store
  }
  const user = (id: string) => storeIn(users, id, neverSeen)
  const typing = (chatId: string) => storeIn(typists, chatId, false)

  const isConnected = () => connection.get().state === 'online'
  const stopFollowing = connection.subscribe(() => {
    if (!isConnected()) for (const [id, store] of users) note(id, false, store.get().lastSeenAt)
  })

  function note(id: string, isOnline: boolean, lastSeenAt: string | null) {
    const online = isOnline && isConnected()
    if (online) named.set(id, named.get(id) ?? 0)
    const next = { online, lastSeenAt }
    if (!isSame(user(id).get(), next)) user(id).set(next)
  }

  function setTyping(chatId: string, isTyping: boolean) {
    clearTimeout(timers.get(chatId))
    if (isTyping)
      timers.set(
        chatId,
        setTimeout(() => setTyping(chatId, false), typingMs),
      )
    typing(chatId).set(isTyping)
  }

  return {
    note,
    user: user as (id: string) => Store<Presence>,
    typing: typing as (chatId: string) => Store<boolean>,
    frames: () => frames,
    /** What an answer says of a chat that was asked for after so many frames, unless a later one has named its member. */
    told(chat: Chat, asked = frames): Chat {
      const { id } = chat.user
      const { online, lastSeenAt } = user(id).get()
      if (named.get(id)! > asked) return { ...chat, online, last_seen_at: lastSeenAt }
      note(id, chat.online, chat.last_seen_at)
      return chat
    },
    online: () => [...users.keys()].filter((id) => user(id).get().online),
    onFrame({ type, data }: Frame, me: string) {
      if (type === 'presence') {
        note(data.user_id, data.online, data.last_seen_at)
        named.set(data.user_id, ++frames)
      } else if (type === 'typing' && data.user_id !== me) setTyping(data.chat_id, true)
      else if (type === 'message' && 'chat_id' in data && data.sender_id !== me) setTyping(data.chat_id, false)
      else if (type === 'hello') {
        clearTimeout(namedTimer)
        named = new Map()
        namedTimer = setTimeout(() => {
          for (const [id, store] of users)
            if (store.get().online && !named.has(id)) note(id, false, store.get().lastSeenAt)
        }, namedWithinMs)
      }
    },
    close: stopFollowing,
    clear() {
      clearTimeout(namedTimer)
      for (const store of users.values()) store.set(neverSeen)
      for (const id of timers.keys()) setTyping(id, false)
    },
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined

export type PresenceBook = ReturnType<typeof openPresence>
