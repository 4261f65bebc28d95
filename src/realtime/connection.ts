/** Why the server closes a socket. */
export const closing = {
  restart: 1012,
  sessionEnded: 4401,
  suspended: 4403,
  tooSlow: 4408,
  tooMany: 4409,
  frameTooLarge: 4413,
  flood: 4429,
} as const

/** The part of Bun's socket that is used, so that tests can replace it. */
export type Socket = {
  data: { id: string }
  send(frame: string): number
  subscribe(topic: string): void
  close(code: number, reason: string): void
  terminate(): void
  getBufferedAmount(): number
}

/** Why a session ended, as `session_ended` reports it. */
export const endReasons = ['logout', 'password_changed', 'ended', 'suspended', 'erased'] as const
export type EndReason = (typeof endReasons)[number]

export type Owner = { user_id: string; session_id: string; token_expires_at: number }

/** A socket of a user on this node. */
export type Connection = {
  socket: Socket
  owner: Owner
  /** Number of the last event sent while catching up, or skipped because the client did not ask for it. */
  sent: number
  /** Has caught up and subscribed to the user's topic. */
  joined: boolean
  /** Its app has reported that it is in the background. */
  background: boolean
  closed: boolean
  drained: (() => void) | null
}
