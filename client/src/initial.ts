// What the stores hold before anything is known.
import type { ChatsState, ConnectionState, MessagesState, Presence } from './types.ts'

export const disconnected: ConnectionState = { state: 'disconnected', reason: null, leads: false }
export const neverSeen: Presence = { online: false, lastSeenAt: null }
export const noMessages: MessagesState = { items: [], loaded: false, loading: false, hasOlder: false, problem: null }
export const noChats: ChatsState = {
  items: [],
  unreadTotal: 0,
  loading: false,
  loaded: false,
  hasMore: false,
  problem: null,
}
