/**
 * What the nodes of one service tell each other. All of it is a hint, as on a socket: storage is the truth, and whatever
 * was not heard is found there. Nothing fails because the others cannot be reached.
 */
export type Nodes = {
  /** Begins to hand on what the others say. */
  listen(ear: Ear): void
  /** After the commit: these users have events up to these numbers. */
  stored(events: readonly { user_id: string; seq: number }[]): void
  /** A frame that is not kept, for the sockets that a user has elsewhere. */
  pass(userId: string, frame: string): void
  /** A session of a user ended, or all of them. */
  sessionEnded(userId: string, sessionId: string | null): void
  suspended(userId: string): void
  /**
   * What is remembered of a user's sessions, rights and consents no longer holds. Resolves when it is on its way to the
   * others, or cannot be now: whoever is answered after that and asks another node finds that it knows.
   */
  forget(userId: string): Promise<void>
  /** A user's first socket here opened, or the last one closed; `ear.isHere` says which. */
  settle(userId: string): void
  /** Those of these users who have a socket on another node. Nobody where that cannot be found out now. */
  online(userIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Whether what the others say reaches this node now. */
  hears(): boolean
}

/** What a node does with what it hears. */
export type Ear = {
  /** Whether a user has a socket here. */
  isHere(userId: string): boolean
  stored(userId: string, seq: number): void
  passed(userId: string, frame: string): void
  sessionEnded(userId: string, sessionId: string | null): void
  suspended(userId: string): void
  /** A user came online with the first socket of all nodes, or went with the last one, or with a node that died. */
  cameOrWent(userId: string, online: boolean): void
  forget(userId: string): void
  /** What was to be forgotten may not have been heard, whoever it was about. */
  forgetAll(): void
  /** What was said about these users, or about anybody, may not have been heard. */
  mayHaveMissed(users: readonly string[] | 'everybody'): void
}
