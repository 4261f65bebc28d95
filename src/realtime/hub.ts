import type { Logger } from 'pino'
import { Refusal } from '../lib/refusal.ts'
import { closing, type Connection, type Owner, type Socket } from './connection.ts'
import type { EphemeralData, EphemeralType, Push, SocketControl } from './events.ts'
import { type Cid, ephemeralFrame } from './frame.ts'
import type { LastSeen } from './last-seen.ts'
import { type CloseReason, type Listener, isCloseReason, type Nodes } from './nodes.ts'
import type { OpenPresence } from './presence.ts'
import type { Replay } from './replay.ts'
import type { Sockets } from './sockets.ts'
import { openTopics } from './topics.ts'

export type Hub = ReturnType<typeof openHub>

const socketsPerUser = 20
export const heartbeatS = 30
const resyncBatch = 500
/**
 * How often storage is checked for events that another node did not report, because it died right after a commit or could not
 * reach this one.
 */
export const resyncEveryMs = 30_000
const closeTimeoutMs = 5000
const expiryEveryMs = 1000
/** The shortest interval between two `typing` frames of a user in a chat. */
export const typingEveryMs = 1000

type Deps = {
  sockets: Sockets
  replay: Replay
  presence: OpenPresence
  lastSeen: LastSeen
  /** Which of these sessions have ended, and of which the user is suspended. */
  accessState(owners: readonly Owner[]): Promise<ReadonlyMap<string, 'ended' | 'suspended'>>
  /** Null if this is the only node. */
  nodes: Nodes | null
  /** Whether storage may hold events that this process does not know: of another node, or of a commit with unknown outcome. */
  mayMiss: boolean
  log: Logger
  now: () => number
}

/**
 * Decides who may have a socket and for how long, and passes on what this node and the others report. The
 * [topics](topics.ts) keep a user's events in order.
 */
export function openHub({ sockets, replay, presence, lastSeen, accessState, nodes, mayMiss, log, now }: Deps) {
  const topics = openTopics({ sockets, replay, log })
  let draining = false
  let pushed = 0
  let expiry: Timer | null = null
  let resyncs: Timer | null = null
  const toResync = new Set<string>()
  let isResyncing = false

  const push: Push = {
    isConnected: sockets.has,

    event(type, at, numbers, dataFor) {
      nodes?.stored(numbers)
      for (const { user_id, seq } of numbers) {
        const data = sockets.has(user_id) ? dataFor(user_id) : undefined
        if (topics.storedHere({ user_id, seq, type, at, data })) pushed++
      }
    },
  }

  /** Closes a user's sockets, of one session or of all. */
  function close(userId: string, sessionId: string | null, reason: CloseReason) {
    for (const connection of sockets.ofUser(userId))
      if (sessionId === null || connection.owner.session_id === sessionId) closeSocket(connection, reason)
    if (reason !== 'suspended' && reason !== 'erased') return
    if (reason === 'erased') lastSeen.forget(userId)
    if (!sockets.has(userId)) presence.leaveNow(userId)
  }

  function closeSocket(connection: Connection, reason: CloseReason) {
    if (reason === 'consents_required') return sockets.close(connection, closing.sessionEnded, reason)
    connection.socket.send(ephemeralFrame(now(), 'session_ended', { reason }))
    if (reason === 'suspended') sockets.close(connection, closing.suspended, reason)
    else sockets.close(connection, closing.sessionEnded, 'session ended')
  }

  /** Closes the sockets of a suspended user once what was stored before, such as its notice, has been sent. */
  const closeWhenRead = (userId: string, sessionId: string | null) =>
    topics.whenRead(userId, () => close(userId, sessionId, 'suspended'))

  function closeEverywhere(userId: string, sessionId: string | null, reason: CloseReason) {
    close(userId, sessionId, reason)
    nodes?.close(userId, sessionId, reason)
  }

  const control: SocketControl = {
    endSession: closeEverywhere,
    end: (userId, reason) => closeEverywhere(userId, null, reason),
    suspend(userId) {
      closeWhenRead(userId, null)
      nodes?.close(userId, null, 'suspended')
    },
    awaitConsent: (userId) => closeEverywhere(userId, null, 'consents_required'),
  }

  /** Reads from storage the newest events of these users, and whether their sessions are still valid. */
  async function resync(users: Iterable<string>) {
    for (const userId of users) toResync.add(userId)
    if (isResyncing) return
    isResyncing = true
    try {
      while (toResync.size > 0) {
        const batch = [...toResync.values().take(resyncBatch)]
        for (const userId of batch) toResync.delete(userId)
        await resyncUsers(batch.filter(sockets.has))
      }
    } catch (error) {
      // Storage does not answer. The next round covers everybody.
      toResync.clear()
      log.error({ err: error }, 'could not read what other nodes have stored')
    } finally {
      isResyncing = false
    }
  }

  async function resyncUsers(userIds: string[]) {
    if (userIds.length === 0) return
    const open = userIds.flatMap(sockets.ofUser)
    const [newest, refused] = await Promise.all([replay.newest(userIds), accessState(open.map(({ owner }) => owner))])
    for (const { owner } of open) {
      const state = refused.get(owner.session_id)
      if (state === 'ended') close(owner.user_id, owner.session_id, 'ended')
      else if (state === 'suspended') close(owner.user_id, null, 'suspended')
    }
    for (const [userId, seq] of newest) topics.storedElsewhere(userId, seq)
  }

  const listener: Omit<Listener, 'forget' | 'forgetAll' | 'rulesChanged' | 'announced'> = {
    isHere: presence.isHere,
    isForeground: sockets.isForeground,
    stored: topics.storedElsewhere,
    relayed: sockets.deliver,
    close(userId, sessionId, word) {
      const reason = isCloseReason(word) ? word : 'ended'
      if (reason === 'suspended') closeWhenRead(userId, sessionId)
      else close(userId, sessionId, reason)
    },
    cameOrWent: (userId, online) => void presence.cameOrWent(userId, online),

    mayHaveMissed: (users) => void resync(users === 'everybody' ? sockets.users() : users),
  }

  return {
    push,
    control,
    listener,

    /** Starts the timers. `publisher` is the server's function for publishing to a topic. */
    start(publisher: (topic: string, frame: string) => void) {
      sockets.start(publisher)
      expiry ??= setInterval(() => this.endExpired(), expiryEveryMs).unref()
      if (mayMiss) resyncs ??= setInterval(() => listener.mayHaveMissed('everybody'), resyncEveryMs).unref()
    },

    /** Refuses new sockets from now on, so that clients connect to another node. */
    drain() {
      draining = true
    },

    /** Throws `shutting_down` while the server drains. */
    refuseWhileDraining() {
      if (draining) throw new Refusal('shutting_down', 'This server is restarting: connect again shortly.')
    },

    /** Serves a new socket: `hello`, then what it missed after `since`, then live events. */
    async open(socket: Socket, owner: Owner, since: number | null) {
      const connection: Connection = {
        socket,
        owner,
        sent: 0,
        joined: false,
        background: false,
        closed: false,
        drained: null,
      }
      const known = sockets.add(connection) ? presence.came(owner.user_id) : undefined
      const [oldest, ...others] = sockets.ofUser(owner.user_id)
      if (oldest && others.length >= socketsPerUser) sockets.close(oldest, closing.tooMany, 'too many sockets')
      try {
        const { seq, resume } = await replay.state(owner.user_id, since)
        if (connection.closed) return
        const hello = { connection_id: socket.data.id, seq, resume, heartbeat_s: heartbeatS }
        sockets.send(connection, ephemeralFrame(now(), 'hello', hello))
        connection.sent = resume === 'ok' && since !== null ? since : seq
        await topics.catchUp(connection)
        // Wait until this user's presence is visible: of two users who connect at once, the later reader then finds the other.
        await known
        if (connection.closed) return
        for (const frame of await presence.greetings(owner.user_id)) sockets.send(connection, frame)
      } catch (error) {
        topics.giveUp(connection, error)
      }
    },

    /** Answers a client's frame, if its socket is still open. */
    reply<T extends EphemeralType>(socketId: string, type: T, data: EphemeralData[T], cid?: Cid) {
      const connection = sockets.get(socketId)
      if (connection) sockets.send(connection, ephemeralFrame(now(), type, data, cid))
    },

    /** Tells every socket on this node that maintenance has begun or ended. */
    tellMaintenance(text: string | null) {
      const frame = ephemeralFrame(now(), 'maintenance', { on: text !== null, text })
      for (const connection of sockets.all()) sockets.send(connection, frame)
    },

    /** Closes a socket whose client does not read, after Bun itself has sent to it. */
    closeIfBehind(socketId: string) {
      const connection = sockets.get(socketId)
      if (connection) sockets.closeIfBehind(connection)
    },

    /** Continues a socket under another token of its user. Returns false if it is closed. */
    renew(socketId: string, owner: Owner): boolean {
      const connection = sockets.get(socketId)
      if (!connection) return false
      connection.owner = owner
      lastSeen.note(owner.user_id)
      return true
    },

    /** Closes one socket whose session has ended, or that is no longer allowed. */
    end(socketId: string, reason: CloseReason) {
      const connection = sockets.get(socketId)
      if (connection) closeSocket(connection, reason)
    },

    /** Whether a user looks at the app, on any node. */
    isForeground: presence.isForeground,

    /** The app of a socket has come to the foreground, or gone from it. */
    focus(socketId: string, foreground: boolean) {
      const connection = sockets.get(socketId)
      if (connection) sockets.focus(connection, foreground)
    },

    drained: (socketId: string) => sockets.get(socketId)?.drained?.(),

    closed(socketId: string) {
      const connection = sockets.get(socketId)
      if (connection) sockets.remove(connection)
    },

    /** Sends a frame that nothing stores to everybody who has a socket on this node. */
    broadcast<T extends EphemeralType>(type: T, data: EphemeralData[T]) {
      const frame = ephemeralFrame(now(), type, data)
      for (const userId of sockets.users()) sockets.deliver(userId, frame)
    },

    /** Closes one socket for what its client did. */
    cutOff(socketId: string, code: number, reason: string) {
      const connection = sockets.get(socketId)
      if (connection) sockets.close(connection, code, reason)
    },

    /**
     * Tells a user that somebody types in a chat: at most once a second, however many sockets and nodes report it.
     */
    async tellTyping(toUserId: string, typing: { chat_id: string; user_id: string }) {
      const name = `typing:${typing.user_id}:${typing.chat_id}`
      if (nodes && !(await nodes.isFirst(name, now(), typingEveryMs))) return
      if (!nodes && !sockets.has(toUserId)) return
      const frame = ephemeralFrame(now(), 'typing', typing)
      sockets.deliver(toUserId, frame)
      nodes?.relay(toUserId, frame)
    },

    /** Closes the sockets whose access token has expired. Their sessions go on: the clients reconnect and lose nothing. */
    endExpired() {
      for (const connection of sockets.all())
        if (connection.owner.token_expires_at <= now()) sockets.close(connection, closing.sessionEnded, 'token_expired')
    },

    /**
     * Closes all sockets for a restart: each at a random moment within `withinMs`, so that clients do not all reconnect at
     * once.
     */
    async closeAll(withinMs = 0) {
      draining = true
      presence.close()
      const restart = (connection: Connection) => sockets.close(connection, closing.restart, 'restart')
      if (withinMs > 0) {
        for (const connection of sockets.all()) setTimeout(restart, Math.random() * withinMs, connection)
        await Bun.sleep(withinMs)
      }
      if (expiry) clearInterval(expiry)
      if (resyncs) clearInterval(resyncs)
      for (const connection of sockets.all()) restart(connection)
      // Storage that does not answer must not block the shutdown.
      await Promise.race([lastSeen.close(), Bun.sleep(closeTimeoutMs)])
    },

    isDraining: () => draining,

    /** Open sockets, users who have one, and the durable events published to such users so far. */
    counts: () => ({ sockets: sockets.size(), users: sockets.userCount(), pushed }),
  }
}
