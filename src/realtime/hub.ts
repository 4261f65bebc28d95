import type { Logger } from 'pino'
import { Refusal } from '../refusal.ts'
import { iso } from '../time.ts'
import type { DurableEvent, Push, SocketControl } from './events.ts'
import type { Frame, Replay } from './replay.ts'

export type Hub = ReturnType<typeof openHub>

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

/** What the hub needs of a socket: Bun's, or what stands in for it. */
export type Socket = {
  id: string
  send(frame: string): number
  close(code: number, reason: string): void
  terminate(): void
  getBufferedAmount(): number
}

export type Owner = { user_id: string; session_id: string; token_expires_at: number }

type Connection = {
  socket: Socket
  owner: Owner
  /** Number of the last event sent, or passed over as not wanted. */
  sent: number
  /** Number of the newest event that was published and could not be sent on at once. */
  published: number
  /** Has caught up with storage: gets events as they are published. */
  live: boolean
  /** Has caught up once: gets passing frames. */
  joined: boolean
  closed: boolean
  drained: (() => void) | null
}

const socketsPerUser = 20
export const heartbeatS = 30
const replayBatch = 200
// What a reader may leave unread before it is cut off; its events wait in storage.
const bufferLimit = 256 * 1024
const drainTimeoutMs = 20_000
const closeTimeoutMs = 5000
const expiryEveryMs = 10_000

type Deps = {
  replay: Replay
  /** Whom a user's presence concerns. */
  peers(userId: string): Promise<string[]>
  log: Logger
  now: () => number
}

/**
 * The sockets of this process. Storage is the truth and publishing a hint: each socket knows the last event that it was
 * sent, takes the next one from the hint, and anything else from storage. So each event reaches it once and in order,
 * whatever order they are published in, and though one is not published at all.
 */
export function openHub({ replay, peers, log, now }: Deps) {
  const connections = new Map<string, Connection>()
  const ofUser = new Map<string, Set<Connection>>()
  let closingDown = false
  let pushed = 0
  let expiry: Timer | null = null

  const passing = (type: string, data: unknown, cid?: string) =>
    JSON.stringify({ type, ...(cid === undefined ? {} : { cid }), at: iso(now()), data })

  function shut(connection: Connection, code: number, reason: string) {
    if (connection.closed) return
    forget(connection)
    connection.socket.close(code, reason)
    // Who does not read does not see the close frame either.
    setTimeout(() => connection.socket.terminate(), closeTimeoutMs).unref()
  }

  function forget(connection: Connection) {
    if (connection.closed) return
    connection.closed = true
    connection.drained?.()
    connections.delete(connection.socket.id)
    const { user_id } = connection.owner
    const own = ofUser.get(user_id)
    own?.delete(connection)
    if (own?.size === 0) {
      ofUser.delete(user_id)
      if (!closingDown) void announce(user_id, false)
    }
  }

  /** Tells those whom it concerns that a user came or went. */
  async function announce(userId: string, online: boolean) {
    const frame = passing('presence', { user_id: userId, online, last_seen_at: iso(now()) })
    try {
      for (const peer of await peers(userId)) deliverAll(peer, frame)
    } catch (error) {
      log.error({ err: error }, 'presence was not told')
    }
  }

  /** Sends a frame, and cuts off who does not read. */
  function deliver(connection: Connection, frame: string) {
    connection.socket.send(frame)
    if (connection.socket.getBufferedAmount() > bufferLimit) shut(connection, closing.tooSlow, 'too slow')
  }

  /** Sends a frame that has no number to every socket of a user. */
  function deliverAll(userId: string, frame: string) {
    for (const connection of [...(ofUser.get(userId) ?? [])]) if (connection.joined) deliver(connection, frame)
  }

  /** Sends to one socket that catches up, waiting while it is behind. False where it does not read, or is gone. */
  async function sendOrWait(connection: Connection, frame: string): Promise<boolean> {
    if (connection.closed) return false
    connection.socket.send(frame)
    if (connection.socket.getBufferedAmount() <= bufferLimit) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), drainTimeoutMs)
    connection.drained = () => resolve(true)
    const drained = await promise
    clearTimeout(timer)
    connection.drained = null
    if (!drained) shut(connection, closing.tooSlow, 'too slow')
    return drained && !connection.closed
  }

  async function catchUp(connection: Connection) {
    for (;;) {
      const frames: Frame[] = await replay.after(connection.owner.user_id, connection.sent, replayBatch)
      for (const frame of frames) {
        if (!(await sendOrWait(connection, JSON.stringify(frame)))) return
        connection.sent = frame.seq
      }
      if (connection.closed) return
      if (frames.length > 0) continue
      // Published, but not to be read yet: cannot be, as publishing comes after the commit.
      if (connection.published > connection.sent) throw new Error('an event was published that is not stored')
      connection.live = true
      connection.joined = true
      return
    }
  }

  /** Closes a socket whose events cannot be read: it comes back and asks for them anew. */
  function giveUp(connection: Connection, error: unknown) {
    log.error({ err: error }, 'a socket could not catch up')
    shut(connection, closing.restart, 'try again')
  }

  const push: Push = {
    isConnected: (userId) => ofUser.has(userId),

    events(events: readonly DurableEvent[]) {
      for (const { user_id, seq, type, at, data } of events) {
        let frame: string | null = null
        for (const connection of [...(ofUser.get(user_id) ?? [])]) {
          // Found in storage before it was published.
          if (seq <= connection.sent) continue
          if (connection.live && seq === connection.sent + 1) {
            connection.sent = seq
            pushed++
            deliver(connection, (frame ??= JSON.stringify({ type, seq, at: iso(at), data })))
            continue
          }
          connection.published = Math.max(connection.published, seq)
          if (!connection.live) continue
          // One before it is stored and not published yet.
          connection.live = false
          catchUp(connection).catch((error) => giveUp(connection, error))
        }
      }
    },
  }

  const control: SocketControl = {
    endSession(sessionId) {
      for (const connection of [...connections.values()]) {
        if (connection.owner.session_id !== sessionId) continue
        connection.socket.send(passing('session_ended', {}))
        shut(connection, closing.sessionEnded, 'session ended')
      }
    },
    suspend(userId) {
      for (const connection of [...(ofUser.get(userId) ?? [])]) {
        connection.socket.send(passing('session_ended', {}))
        shut(connection, closing.suspended, 'suspended')
      }
    },
  }

  return {
    push,
    control,

    /** Begins to look after the sockets. */
    start() {
      expiry ??= setInterval(() => this.endExpired(), expiryEveryMs).unref()
    },

    /** Refuses new sockets once the old ones are being closed. */
    refuseWhileClosing() {
      if (closingDown) throw new Refusal('shutting_down', 'This server is restarting: connect again shortly.')
    },

    /** Takes a new socket in: `hello`, then what it missed after `since`, then live events. */
    async open(socket: Socket, owner: Owner, since: number | null) {
      const own = ofUser.get(owner.user_id) ?? new Set()
      const comesOnline = own.size === 0
      const connection: Connection = {
        socket,
        owner,
        sent: 0,
        published: 0,
        live: false,
        joined: false,
        closed: false,
        drained: null,
      }
      connections.set(socket.id, connection)
      ofUser.set(owner.user_id, own.add(connection))
      if (own.size > socketsPerUser) shut(own.values().next().value!, closing.tooMany, 'too many sockets')
      try {
        const { seq, resume } = await replay.state(owner.user_id, since)
        if (connection.closed) return
        socket.send(passing('hello', { connection_id: socket.id, seq, resume, heartbeat_s: heartbeatS }))
        connection.sent = resume === 'ok' ? since! : seq
        await catchUp(connection)
        if (connection.closed) return
        if (comesOnline) void announce(owner.user_id, true)
        for (const peer of await peers(owner.user_id))
          if (ofUser.has(peer) && !connection.closed)
            socket.send(passing('presence', { user_id: peer, online: true, last_seen_at: iso(now()) }))
      } catch (error) {
        giveUp(connection, error)
      }
    },

    drained: (socketId: string) => connections.get(socketId)?.drained?.(),

    closed(socketId: string) {
      const connection = connections.get(socketId)
      if (connection) forget(connection)
    },

    /** Closes one socket for what it did. */
    cutOff(socketId: string, code: number, reason: string) {
      const connection = connections.get(socketId)
      if (connection) shut(connection, code, reason)
    },

    /** A frame that is not kept: it reaches who is there. */
    pass(userId: string, type: string, data: unknown) {
      if (ofUser.has(userId)) deliverAll(userId, passing(type, data))
    },

    passing,

    /** Closes the sockets whose access token has ended: they come back with a new one and lose nothing. */
    endExpired() {
      for (const connection of [...connections.values()]) {
        if (connection.owner.token_expires_at > now()) continue
        connection.socket.send(passing('session_ended', {}))
        shut(connection, closing.sessionEnded, 'token ended')
      }
    },

    /** Closes all sockets, for a restart. */
    closeAll() {
      closingDown = true
      if (expiry) clearInterval(expiry)
      for (const connection of [...connections.values()]) shut(connection, closing.restart, 'restart')
    },

    isClosing: () => closingDown,

    /** Open sockets, users who have one, and the durable events sent to sockets as they happened. */
    counts: () => ({ sockets: connections.size, users: ofUser.size, pushed }),
  }
}
