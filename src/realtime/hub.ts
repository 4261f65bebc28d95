import type { Logger } from 'pino'
import { Refusal } from '../refusal.ts'
import { iso } from '../time.ts'
import { closing, type Connection, type Owner, type Socket } from './connection.ts'
import type { DurableEvent, Push, SocketControl } from './events.ts'
import type { Ear, Nodes } from './nodes.ts'
import type { Replay } from './replay.ts'
import { openTopics } from './topics.ts'

/** What a client calls its frame, to know the answer by. */
export type Cid = string | number

export type Hub = ReturnType<typeof openHub>

const socketsPerUser = 20
export const heartbeatS = 30
const lookBatch = 500
/**
 * How often what the other nodes may have failed to tell is looked up: one that died between a commit and telling of it,
 * or could not reach the others.
 */
export const lookEveryMs = 30_000
const closeTimeoutMs = 5000
const expiryEveryMs = 10_000

type Deps = {
  replay: Replay
  /** Whom a user's presence concerns. */
  peers(userId: string): Promise<string[]>
  /** Which of these sessions are over, and of which the user is suspended. */
  standing(owners: readonly Owner[]): Promise<ReadonlyMap<string, 'ended' | 'suspended'>>
  /** Null where this is the only node. */
  nodes: Nodes | null
  /** Whether something may be stored that this process is not told of: by another node, or where a commit had no answer. */
  mayMiss: boolean
  log: Logger
  now: () => number
}

/**
 * The sockets of this process: who may have one and for how long, who is online, and what the other nodes say of that. What
 * they are told in which order is the [topics'](topics.ts) matter.
 */
export function openHub({ replay, peers, standing, nodes, mayMiss, log, now }: Deps) {
  const connections = new Map<string, Connection>()
  const topics = openTopics({ replay, shut, log })
  let draining = false
  let closingDown = false
  let pushed = 0
  let expiry: Timer | null = null
  let looks: Timer | null = null
  const toLookAt = new Set<string>()
  let looking = false

  const passing = (type: string, data: unknown, cid?: Cid) =>
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
    if (!topics.leave(connection)) return
    // Who leaves a node that ends comes back to another: the others wait a while before they say that somebody went.
    if (closingDown) return
    const { user_id } = connection.owner
    if (nodes) nodes.settle(user_id)
    else void announce(user_id, false)
  }

  /** Tells those whom it concerns that a user came or went. */
  async function announce(userId: string, online: boolean) {
    const frame = passing('presence', { user_id: userId, online, last_seen_at: iso(now()) })
    try {
      for (const peer of await peers(userId)) {
        topics.deliver(peer, frame)
        nodes?.pass(peer, frame)
      }
    } catch (error) {
      log.error({ err: error }, 'presence was not told')
    }
  }

  const push: Push = {
    isConnected: topics.has,

    events(events: readonly DurableEvent[]) {
      nodes?.stored(events)
      for (const event of events) if (topics.tell(event)) pushed++
    },
  }

  /** Closes a user's sockets, of one session or of all. */
  function endSocketsOf(userId: string, sessionId: string | null) {
    for (const connection of topics.socketsOf(userId))
      if (sessionId === null || connection.owner.session_id === sessionId)
        endSocket(connection, closing.sessionEnded, 'session ended')
  }

  function suspendSocketsOf(userId: string) {
    for (const connection of topics.socketsOf(userId)) endSocket(connection, closing.suspended, 'suspended')
  }

  function endSocket(connection: Connection, code: number, reason: string) {
    connection.socket.send(passing('session_ended', {}))
    shut(connection, code, reason)
  }

  const control: SocketControl = {
    endSession(userId, sessionId) {
      endSocketsOf(userId, sessionId)
      nodes?.sessionEnded(userId, sessionId)
    },
    end(userId) {
      endSocketsOf(userId, null)
      nodes?.sessionEnded(userId, null)
    },
    suspend(userId) {
      suspendSocketsOf(userId)
      nodes?.suspended(userId)
    },
  }

  /** Looks up what was stored of users, and how their sessions stand, where that may not have been told. */
  async function lookAt(users: Iterable<string>) {
    for (const userId of users) toLookAt.add(userId)
    if (looking) return
    looking = true
    try {
      while (toLookAt.size > 0) {
        const batch = [...toLookAt.values().take(lookBatch)]
        for (const userId of batch) toLookAt.delete(userId)
        await lookAtBatch(batch.filter(topics.has))
      }
    } catch (error) {
      // Storage does not answer: the next round looks at everybody.
      toLookAt.clear()
      log.error({ err: error }, 'what other nodes stored could not be looked up')
    } finally {
      looking = false
    }
  }

  async function lookAtBatch(userIds: string[]) {
    if (userIds.length === 0) return
    const open = userIds.flatMap(topics.socketsOf)
    const [newest, over] = await Promise.all([replay.newest(userIds), standing(open.map(({ owner }) => owner))])
    for (const { owner } of open) {
      const outcome = over.get(owner.session_id)
      if (outcome === 'ended') endSocketsOf(owner.user_id, owner.session_id)
      else if (outcome === 'suspended') suspendSocketsOf(owner.user_id)
    }
    for (const [userId, seq] of newest) topics.storedElsewhere(userId, seq)
  }

  const ear: Omit<Ear, 'forget' | 'forgetAll'> = {
    isHere: topics.has,
    stored: topics.storedElsewhere,
    passed: topics.deliver,
    sessionEnded: endSocketsOf,
    // What was stored before, such as the notice of it, is told before the sockets close.
    suspended: (userId) => topics.whenRead(userId, () => suspendSocketsOf(userId)),
    cameOrWent: (userId, online) => void tellTruly(userId, online),

    mayHaveMissed: (users) => void lookAt(users === 'everybody' ? topics.users() : users),
  }

  /** As `announce`, unless it is no longer so: the user came again, or went, or is on another node too. */
  async function tellTruly(userId: string, online: boolean) {
    const isOnline = topics.has(userId) || (await nodes!.online([userId])).has(userId)
    if (isOnline === online) await announce(userId, online)
  }

  return {
    push,
    control,
    ear,

    /** Begins to look after the sockets, with the server's way of publishing to a topic. */
    start(publisher: (topic: string, frame: string) => void) {
      topics.start(publisher)
      expiry ??= setInterval(() => this.endExpired(), expiryEveryMs).unref()
      if (mayMiss) looks ??= setInterval(() => ear.mayHaveMissed('everybody'), lookEveryMs).unref()
    },

    /** Takes no new sockets from now on, and says so: they go to another node. */
    drain() {
      draining = true
    },

    /** Refuses new sockets once the server is about to stop. */
    refuseWhileDraining() {
      if (draining) throw new Refusal('shutting_down', 'This server is restarting: connect again shortly.')
    },

    /** Takes a new socket in: `hello`, then what it missed after `since`, then live events. */
    async open(socket: Socket, owner: Owner, since: number | null) {
      const connection: Connection = { socket, owner, sent: 0, joined: false, closed: false, drained: null }
      connections.set(socket.id, connection)
      const comesOnline = topics.enter(connection)
      if (comesOnline) nodes?.settle(owner.user_id)
      const [oldest, ...others] = topics.socketsOf(owner.user_id)
      if (others.length >= socketsPerUser) shut(oldest!, closing.tooMany, 'too many sockets')
      try {
        const { seq, resume } = await replay.state(owner.user_id, since)
        if (connection.closed) return
        socket.send(passing('hello', { connection_id: socket.id, seq, resume, heartbeat_s: heartbeatS }))
        connection.sent = resume === 'ok' ? since! : seq
        await topics.catchUp(connection)
        if (connection.closed) return
        if (comesOnline && !nodes) void announce(owner.user_id, true)
        const concerned = await peers(owner.user_id)
        const elsewhere = nodes && (await nodes.online(concerned.filter((peer) => !topics.has(peer))))
        for (const peer of concerned)
          if ((topics.has(peer) || elsewhere?.has(peer)) && !connection.closed)
            socket.send(passing('presence', { user_id: peer, online: true, last_seen_at: iso(now()) }))
      } catch (error) {
        topics.giveUp(connection, error)
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
      if (!nodes && !topics.has(userId)) return
      const frame = passing(type, data)
      topics.deliver(userId, frame)
      nodes?.pass(userId, frame)
    },

    passing,

    /** Closes the sockets whose access token has ended: they come back with a new one and lose nothing. */
    endExpired() {
      for (const connection of [...connections.values()]) {
        if (connection.owner.token_expires_at > now()) continue
        endSocket(connection, closing.sessionEnded, 'token ended')
      }
    },

    /**
     * Closes all sockets, for a restart: each at some moment within that time, so that not all come back in one, and at
     * once without it.
     */
    async closeAll(withinMs = 0) {
      draining = closingDown = true
      const close = (connection: Connection) => shut(connection, closing.restart, 'restart')
      if (withinMs > 0) {
        for (const connection of connections.values()) setTimeout(close, Math.random() * withinMs, connection)
        await Bun.sleep(withinMs)
      }
      if (expiry) clearInterval(expiry)
      if (looks) clearInterval(looks)
      for (const connection of [...connections.values()]) close(connection)
    },

    isDraining: () => draining,

    /** Open sockets, users who have one, and the durable events told to such users so far. */
    counts: () => ({ sockets: connections.size, users: topics.count(), pushed }),
  }
}
