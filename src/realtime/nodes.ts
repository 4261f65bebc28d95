import { type EndReason, endReasons } from './connection.ts'

/** Why the server closes sockets that are no longer allowed. */
export type CloseReason = EndReason | 'consents_required'

const closeReasons: ReadonlySet<string> = new Set<CloseReason>([...endReasons, 'consents_required'])
export const isCloseReason = (text: string): text is CloseReason => closeReasons.has(text)

/**
 * Messages between the nodes of one service. Every message is a hint: storage is the source of truth, and a node that misses
 * a message finds the change there. No request fails because the other nodes cannot be reached.
 */
export type Nodes = {
  /** Starts to pass on what the other nodes report. */
  listen(listener: Listener): void
  /** After the commit: these users have events up to these numbers. */
  stored(events: readonly { user_id: string; seq: number }[]): void
  /** Sends an ephemeral frame to the sockets that a user has on other nodes. */
  relay(userId: string, frame: string): void
  /** Closes a user's sockets on other nodes: those of a session, or all of them. */
  close(userId: string, sessionId: string | null, reason: CloseReason): void
  /**
   * Invalidates what other nodes cache about a user's sessions, rights and consents. Resolves when the message is on its way,
   * or cannot be sent now. Answer the request only after that: the next one may go to another node.
   */
  forget(userId: string): Promise<void>
  /** Makes other nodes reload the rules about texts. Resolves as `forget` does. */
  rulesChanged(): Promise<void>
  /** Makes other nodes send their sockets the current announcements. Resolves as `forget` does. */
  announced(): Promise<void>
  /**
   * Updates whether this node has a user's socket, and one in the foreground, from `listener`. Resolves when the other nodes can know, or cannot be
   * reached now.
   */
  syncPresence(userId: string): Promise<void>
  /** Those of these users who have a socket on another node. Empty if that cannot be found out now. */
  online(userIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether a user has a socket in the foreground on another node. False if that cannot be found out now. */
  foreground(userId: string): Promise<boolean>
  /** Whether no node has claimed this name in the `everyMs` before `at`. True if that cannot be found out now. */
  isFirst(name: string, at: number, everyMs: number): Promise<boolean>
  /** Whether this node receives messages of the other nodes now. */
  hears(): boolean
}

/** Handles the messages of other nodes. */
export type Listener = {
  /** Whether a user is online through this node: has a socket here, or had one moments ago. */
  isHere(userId: string): boolean
  /** Whether a user has a socket in the foreground here. */
  isForeground(userId: string): boolean
  stored(userId: string, seq: number): void
  relayed(userId: string, frame: string): void
  /** A reason that this release does not know counts as `ended`. */
  close(userId: string, sessionId: string | null, reason: string): void
  /** A user's first socket on any node has opened, or the last one has closed, perhaps because a node died. */
  cameOrWent(userId: string, online: boolean): void
  forget(userId: string): void
  rulesChanged(): void
  announced(): void
  /** Messages to `forget`, `rulesChanged` and `announced` may have been lost, about any user. */
  forgetAll(): void
  /** Messages about these users, or about anybody, may have been lost. */
  mayHaveMissed(users: readonly string[] | 'everybody'): void
}
