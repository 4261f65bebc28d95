import type { components } from './openapi.ts'

type Schemas = components['schemas']
/** The closed list of error codes. */
export type ProblemCode = Schemas['ProblemCode']

/** What the server answers instead of doing what was asked (RFC 9457). Decide by `code`; `detail` is for people. */
export type Problem = Schemas['Problem']

/** The account that is signed in. */
export type Me = Schemas['Me']
/** What everybody may know of a user. */
export type Profile = Schemas['User']
export type Chat = Schemas['Chat']
/** A message as the server shows it. Its texts are null once it is deleted. */
export type Message = Schemas['Message']
/** A message that is to be sent: the outbox uploads its photo, and text or photo say its kind where it is left out. */
export type Sending = Omit<Schemas['NewMessage'], 'kind' | 'text' | 'photo' | 'client_id'> & {
  kind?: Message['kind']
  text?: string
  photo?: Photo
}
/** Somebody nearby, with their published position and the distance in metres. */
export type Neighbour = Schemas['Neighbour']

/** A durable event: numbered by `seq` without gaps, and the same on all devices of the user. */
export type Event = Schemas['Event']
type Ephemeral = Schemas['ClientEphemeralFrames']
/** Any frame that the server sends over the WebSocket. */
export type Frame =
  Event | { [T in keyof Ephemeral]: { type: T; seq?: undefined; at: string; data: Ephemeral[T] } }[keyof Ephemeral]

/** What `on` tells by name: every frame, and `gap` after events were lost for good and everything was read again. */
export type EventMap = { [F in Frame as F['type']]: F['data'] } & { gap: { seq: number } }

/** Why a session is over: what the server said of it, or the code of the refused refresh. */
export type EndReason = Ephemeral['session_ended']['reason'] | ProblemCode

export type SessionState =
  | { state: 'signed-out'; user: null; reason: null }
  | { state: 'signed-in'; user: Me; reason: null }
  /** Signing in again is needed. `user` is who was signed in; of a suspended user the token still serves notices and appeals. */
  | { state: 'ended'; user: Me | null; reason: EndReason }

export type ConnectionState = {
  /** `stopped`: reconnecting would not help until the reason is dealt with; `connect` tries again. */
  state: 'disconnected' | 'connecting' | 'online' | 'offline' | 'stopped'
  reason: string | null
  /** Whether this tab holds the socket that all tabs share. */
  leads: boolean
}

/** Whether somebody is online; since when not, as ISO 8601, where that is told. */
export type Presence = { online: boolean; lastSeenAt: string | null }

/** A value that changes. `get` answers the same object until it does, so that every framework can hold it. */
export type Store<T> = { get(): T; subscribe(listener: () => void): () => void }

/** A message with what the outbox knows about it. */
export type ChatMessage = Message & {
  /** The same before and after the server has the message: use it as the key of a row. */
  key: string
  /** `pending` until the server has the message, the edit or the deletion; `failed` once it has refused. */
  state: 'sent' | 'pending' | 'failed'
  /** Why the server refused. */
  problem: Problem | null
  /** The photo of a message that is not sent yet. */
  file?: Photo
}

export type MessagesState = {
  /** Oldest first. */
  items: readonly ChatMessage[]
  loading: boolean
  /** Whether `items` has been read from the server since the last gap. Before, they come from the storage. */
  loaded: boolean
  hasOlder: boolean
  problem: Problem | null
}

export type ChatsState = {
  /** The latest first. */
  items: readonly Chat[]
  /** The unread messages of all chats, not only of those that are loaded. */
  unreadTotal: number
  loading: boolean
  loaded: boolean
  hasMore: boolean
  problem: Problem | null
}

/** A file of the browser, Node or Bun, or one of React Native by its address. */
export type Photo = Blob | { uri: string; name?: string; type?: string }

/** Where the client keeps its session, its outbox and what it has read: `localStorage`, AsyncStorage of React Native and the like. */
export type ClientStorage = {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/** `fetch`, as far as it is used. */
export type ClientFetch = (url: string, init?: RequestInit) => Promise<Response>

/** A constructor like `WebSocket`, as that of the package `ws`. */
export type ClientWebSocket = new (url: string, protocols: string[]) => ClientSocket
export type ClientSocket = {
  readonly readyState: number
  send(text: string): void
  close(): void
  onmessage: any
  onclose: any
  onerror: any
}

/** The part of the Web Locks API that is used. */
export type ClientLocks = {
  request(
    name: string,
    options: { steal?: boolean; signal?: AbortSignal },
    work: () => Promise<unknown>,
  ): Promise<unknown>
}
