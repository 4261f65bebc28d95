/** A durable event of one user: numbered 1, 2, 3 … for that user, stored in the transaction that caused it. */
export type DurableEvent = {
  user_id: string
  seq: number
  type: string
  at: number
  /** What sockets show of it; undefined where nobody made that: who has one here after all finds it in storage. */
  data: unknown
}

/** What the rules may say to the sockets, after the commit. Sockets are a hint: who misses it finds the event in storage. */
export type Push = {
  /** Hands stored events to the sockets of their users, in the order given, and tells the other nodes of them. */
  events(events: readonly DurableEvent[]): void
  /** Whether a user has a socket on this node: spares making a frame for nobody. */
  isConnected(userId: string): boolean
}

/** Ends sockets whose right to be open is gone, on every node. */
export type SocketControl = {
  /** Tells the sockets of a user's session that it ended, and closes them (4401). */
  endSession(userId: string, sessionId: string): void
  /** Tells all sockets of a user that their sessions ended, and closes them (4401). */
  end(userId: string): void
  /** Closes all sockets of a user (4403). */
  suspend(userId: string): void
}
