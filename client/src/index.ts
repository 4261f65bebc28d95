export { createClient, type ClientOptions, type Convene } from './client.ts'
export { type AskForPasskey, passkey } from './passkey.ts'
export { Refused } from './problem.ts'
export { memoryStorage } from './storage.ts'
export type { Api } from './api.ts'
export type { OpenChat } from './chats.ts'
export type { components, operations, paths } from './openapi.ts'
export type { Registration, SignedIn, SignInWith } from './session.ts'
export type {
  Chat,
  ChatMessage,
  ChatsState,
  ClientFetch,
  ClientLocks,
  ClientSocket,
  ClientStorage,
  ClientWebSocket,
  ConnectionState,
  EndReason,
  Event,
  EventMap,
  Frame,
  Me,
  Message,
  MessagesState,
  Neighbour,
  Photo,
  Presence,
  Problem,
  ProblemCode,
  Profile,
  Sending,
  SessionState,
  Store,
} from './types.ts'
