// The initial values of the stores.
import type { ChatsState, ConnectionState, Message, MessagesState, Presence, SessionState } from './types.ts'

export const signedOut: SessionState = { state: 'signed-out', user: null, reason: null }
export const disconnected: ConnectionState = { state: 'disconnected', reason: null, leads: false }
export const neverSeen: Presence = { online: false, lastSeenAt: null }
export const noMessages: MessagesState = { items: [], loaded: false, loading: false, hasOlder: false, problem: null }
/** The content of an empty message, such as a deleted one. */
export const noContent: Pick<Message, 'text' | 'photo'> = { text: null, photo: null }
export const noChats: ChatsState = {
  items: [],
  unreadTotal: 0,
  loading: false,
  loaded: false,
  hasMore: false,
  problem: null,
}
