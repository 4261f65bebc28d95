import type { components } from './openapi.ts'

type Schemas = components['schemas']
/** The closed list of error codes. */
export type ProblemCode = Schemas['ProblemCode']

/** An error answer of the server (RFC 9457). Decide by `code`; `detail` is for people. */
export type Problem = Schemas['Problem']

/** The account that is signed in. */
export type Me = Schemas['Me']
/** The public profile of a user. */
export type Profile = Schemas['User']
export type Chat = Schemas['Chat']
/** A message as the server shows it. Its texts are null once it is deleted. */
export type Message = Schemas['Message']
/** A message to send. The outbox uploads its photo. Without `kind`, it follows from the text or the photo. */
export type Sending = Omit<Schemas['NewMessage'], 'kind' | 'text' | 'photo' | 'client_id'> & {
  kind?: Message['kind'] | undefined
  text?: string | undefined
  photo?: Photo | undefined
}
/** Somebody nearby, with their published position and the distance in metres. */
export type Neighbour = Schemas['Neighbour']

/** A durable event: numbered by `seq` without gaps, and the same on all devices of the user. */
export type Event = Schemas['Event']
type Ephemeral = Schemas['ClientEphemeralFrames']
/** Any frame that the server sends over the WebSocket. */
export type Frame =
  Event | { [T in keyof Ephemeral]: { type: T; seq?: undefined; at: string; data: Ephemeral[T] } }[keyof Ephemeral]

/** The events of `on`: every frame, and `gap`, after events were no longer stored and everything was read again. */
export type EventMap = { [F in Frame as F['type']]: F['data'] } & { gap: { seq: number } }

/** Why a session is over: the server's reason, or the code of the refused refresh. */
export type EndReason = Ephemeral['session_ended']['reason'] | ProblemCode

export type SessionState =
  | { state: 'signed-out'; user: null; reason: null }
  | { state: 'signed-in'; user: Me; reason: null }
  /** The user has to sign in again. `user` is who was signed in. A suspended user's token still works for notices and appeals. */
  | { state: 'ended'; user: Me | null; reason: EndReason }

export type ConnectionState = {
  /** `stopped`: reconnecting cannot help until the reason is solved; then call `connect`. */
  state: 'disconnected' | 'connecting' | 'online' | 'offline' | 'stopped'
  reason: string | null
  /** Whether this tab holds the socket that all tabs share. */
  leads: boolean
}

/** Whether somebody is online. `lastSeenAt` is ISO 8601, or null if it is not known. */
export type Presence = { online: boolean; lastSeenAt: string | null }

/** A value that changes. `get` returns the same object until it does, as frameworks require. */
export type Store<T> = { get(): T; subscribe(listener: () => void): () => void }

/** A message with its state in the outbox. */
export type ChatMessage = Message & {
  /** Stays the same when the server has stored the message: use it as the key of a row. */
  key: string
  /** `pending` until the server has the message, the edit or the deletion; `failed` if it has refused. */
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
  /** Whether `items` has been read from the server since the last gap. Until then, it comes from the storage. */
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

/** A file of the browser, Node or Bun, or the URI of one in React Native. */
export type Photo = Blob | { uri: string; name?: string; type?: string }

/** Where the client keeps its session, its outbox and chats: such as `localStorage`, or AsyncStorage of React Native. */
export type ClientStorage = {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
  /** A synchronous storage for a copy of the session, which a page can read at its start. `indexedDb` has one. */
  copy?: ClientStorage
}

/** The part of `fetch` that is used. */
export type ClientFetch = (url: string, init?: RequestInit) => Promise<Response>

/** A constructor like `WebSocket`, such as that of the package `ws`. */
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
