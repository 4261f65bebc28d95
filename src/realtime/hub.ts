import type { Logger } from 'pino'
import { Refusal } from '../refusal.ts'
import { iso } from '../time.ts'
import type { DurableEvent, Push, SocketControl } from './events.ts'
import type { Ear, Nodes } from './nodes.ts'
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
  subscribe(topic: string): void
  close(code: number, reason: string): void
  terminate(): void
  getBufferedAmount(): number
}

export type Owner = { user_id: string; session_id: string; token_expires_at: number }

type Connection = {
  socket: Socket
  owner: Owner
  /** Number of the last event sent while catching up, or passed over as not wanted. */
  sent: number
  /** Has caught up and subscribed to the user's topic. */
  joined: boolean
  closed: boolean
  drained: (() => void) | null
}

/** A user's sockets on this node, and how far their topic has come. */
type Audience = {
  connections: Set<Connection>
  /** Number of the last event published on the topic; null until a socket has joined. */
  published: number | null
  /** Counts what this node was told of. */
  news: number
  /** The reading of what the topic has missed, while it runs. */
  advancing: Promise<void> | null
}

/** A user with events up to `seq` that another node stored, and what to read of them. */
type Told = { user_id: string; since: number; limit: number; audience: Audience; seq: number }

const socketsPerUser = 20
export const heartbeatS = 30
const replayBatch = 200
const lookBatch = 500
// Of how many users events are read in one.
const readAtOnce = 100
/**
 * How often what the other nodes may have failed to tell is looked up: one that died between a commit and telling of it,
 * or could not reach the others.
 */
export const lookEveryMs = 30_000
/**
 * How often, at most, what other nodes tell of is read: it takes as much for a few users as for some tens, and the more
 * nodes there are, the fewer each of them tells of at a time.
 */
const readEveryMs = 20
// What a reader may leave unread before it is cut off; its events wait in storage.
const bufferLimit = 256 * 1024
const drainTimeoutMs = 20_000
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
 * The sockets of this process, a topic for each user. Storage is the truth and what is told a hint: a topic carries the
 * event after its last one as it is told, and reads any other from storage first; a socket joins the topic once it stands
 * at the same event. So each event reaches it once and in order, however late one is told, or never. What another node
 * stored is only a number here, and read from storage like what was not told in time.
 */
export function openHub({ replay, peers, standing, nodes, mayMiss, log, now }: Deps) {
  const connections = new Map<string, Connection>()
  const audiences = new Map<string, Audience>()
  let publish: (topic: string, frame: string) => void = () => {}
  let draining = false
  let closingDown = false
  let pushed = 0
  let expiry: Timer | null = null
  let looks: Timer | null = null
  const toLookAt = new Set<string>()
  let looking = false
  /** The newest events that other nodes told of and that are still to be read, by user. */
  const told = new Map<string, number>()
  let readAt = -Infinity
  let isReadSoon = false

  const topicOf = (userId: string) => `user:${userId}`
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
    const audience = audiences.get(user_id)
    audience?.connections.delete(connection)
    if (audience?.connections.size === 0) {
      audiences.delete(user_id)
      // Who leaves a node that ends comes back to another: the others wait a while before they say that somebody went.
      if (closingDown) return
      if (nodes) nodes.settle(user_id)
      else void announce(user_id, false)
    }
  }

  /** Tells those whom it concerns that a user came or went. */
  async function announce(userId: string, online: boolean) {
    const frame = passing('presence', { user_id: userId, online, last_seen_at: iso(now()) })
    try {
      for (const peer of await peers(userId)) {
        deliver(peer, frame)
        nodes?.pass(peer, frame)
      }
    } catch (error) {
      log.error({ err: error }, 'presence was not told')
    }
  }

  /** Sends a frame to every socket that has joined a user's topic, and cuts off those that do not read. */
  function deliver(userId: string, frame: string) {
    const audience = audiences.get(userId)
    if (!audience) return
    publish(topicOf(userId), frame)
    for (const connection of audience.connections)
      if (connection.joined && connection.socket.getBufferedAmount() > bufferLimit)
        shut(connection, closing.tooSlow, 'too slow')
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

  /** Publishes what is stored and was not published yet. One reading at a time for each user. */
  function advance(userId: string, audience: Audience): Promise<void> {
    audience.advancing ??= (async () => {
      try {
        while (audience.published !== null) {
          const frames = await replay.after(userId, audience.published, replayBatch)
          // Its last socket went meanwhile. Whoever came after it is somebody else's audience, which may be further on.
          if (audiences.get(userId) !== audience) return
          for (const frame of frames) {
            audience.published = frame.seq
            deliver(userId, JSON.stringify(frame))
          }
          // Whoever knows of a later one looks again.
          if (frames.length < replayBatch) return
        }
      } finally {
        audience.advancing = null
      }
    })()
    return audience.advancing
  }

  /** Sends a socket what it missed, and lets it join the topic where both stand at the same event. */
  async function catchUp(connection: Connection, audience: Audience) {
    const { user_id } = connection.owner
    while (!connection.closed) {
      const { news } = audience
      const frames: Frame[] = await replay.after(user_id, connection.sent, replayBatch)
      for (const frame of frames) {
        if (!(await sendOrWait(connection, JSON.stringify(frame)))) return
        connection.sent = frame.seq
      }
      // Something more was stored while this was read.
      if (frames.length > 0 || audience.news !== news) continue
      audience.published ??= connection.sent
      // From this look to the subscription nothing else runs.
      if (audience.published === connection.sent && !audience.advancing) {
        if (connection.closed) return
        connection.socket.subscribe(topicOf(user_id))
        connection.joined = true
        return
      }
      // The topic is behind storage: what it has missed is told to those who have joined, and then to nobody twice.
      await advance(user_id, audience)
    }
  }

  /** Closes a socket whose events cannot be read: it comes back and asks for them anew. */
  function giveUp(connection: Connection, error: unknown) {
    log.error({ err: error }, 'a socket could not catch up')
    shut(connection, closing.restart, 'try again')
  }

  function giveUpAll(audience: Audience, error: unknown) {
    for (const connection of [...audience.connections]) giveUp(connection, error)
  }

  /** Sends what is stored up to that number to the sockets that have joined, and what else is stored by then. */
  function advanceTo(userId: string, audience: Audience, seq: number) {
    advance(userId, audience)
      .then(
        // A reading that was under way may have ended before this one was stored.
        () => (audience.published! < seq ? advance(userId, audience) : undefined),
      )
      .catch((error) => giveUpAll(audience, error))
  }

  const push: Push = {
    isConnected: (userId) => audiences.has(userId),

    events(events: readonly DurableEvent[]) {
      nodes?.stored(events)
      for (const { user_id, seq, type, at, data } of events) {
        const audience = audiences.get(user_id)
        if (!audience) continue
        pushed++
        audience.news++
        // Nobody has joined: who catches up finds it in storage. Or it was found there before it was told.
        if (audience.published === null || seq <= audience.published) continue
        if (seq === audience.published + 1 && !audience.advancing && data !== undefined) {
          audience.published = seq
          deliver(user_id, JSON.stringify({ type, seq, at: iso(at), data }))
          continue
        }
        // One before it is stored and not told yet.
        advanceTo(user_id, audience, seq)
      }
    },
  }

  const socketsOf = (userId: string) => [...(audiences.get(userId)?.connections ?? [])]

  /** Closes a user's sockets, of one session or of all. */
  function endSocketsOf(userId: string, sessionId: string | null) {
    for (const connection of socketsOf(userId))
      if (sessionId === null || connection.owner.session_id === sessionId)
        endSocket(connection, closing.sessionEnded, 'session ended')
  }

  function suspendSocketsOf(userId: string) {
    for (const connection of socketsOf(userId)) endSocket(connection, closing.suspended, 'suspended')
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
        await lookAtBatch(batch.filter((userId) => audiences.has(userId)))
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
    const open = userIds.flatMap(socketsOf)
    const [newest, over] = await Promise.all([replay.newest(userIds), standing(open.map(({ owner }) => owner))])
    for (const { owner } of open) {
      const outcome = over.get(owner.session_id)
      if (outcome === 'ended') endSocketsOf(owner.user_id, owner.session_id)
      else if (outcome === 'suspended') suspendSocketsOf(owner.user_id)
    }
    for (const [userId, seq] of newest) ear.stored(userId, seq)
  }

  /** Reads what was told of at the end of this turn of the event loop, or once it is time for that. */
  function readSoon() {
    if (isReadSoon) return
    isReadSoon = true
    const inMs = readAt + readEveryMs - performance.now()
    if (inMs > 0) setTimeout(readTold, inMs).unref()
    else setImmediate(readTold)
  }

  function readTold() {
    isReadSoon = false
    readAt = performance.now()
    const users: Told[] = []
    for (const [userId, seq] of told) {
      const audience = audiences.get(userId)
      if (!audience || audience.published === null || seq <= audience.published) continue
      if (audience.advancing) advanceTo(userId, audience, seq)
      else users.push({ user_id: userId, since: audience.published, limit: replayBatch, audience, seq })
    }
    told.clear()
    for (let i = 0; i < users.length; i += readAtOnce) advanceTogether(users.slice(i, i + readAtOnce))
  }

  /** As `advanceTo`, of many users in one reading. What that leaves over is read for each user alone. */
  function advanceTogether(users: readonly Told[]) {
    const reading = replay
      .afterEach(users)
      .catch((error) => {
        // Storage is away: to ask it again for each of them would only keep them waiting.
        if (error instanceof Refusal) for (const { audience } of users) giveUpAll(audience, error)
        return []
      })
      .then((framesOf) => {
        for (const { audience } of users) audience.advancing = null
        for (const [i, { user_id, audience, seq }] of users.entries()) {
          // As in `advance`.
          if (audiences.get(user_id) !== audience) continue
          for (const frame of framesOf[i] ?? []) {
            audience.published = frame.seq
            deliver(user_id, JSON.stringify(frame))
          }
          if (audience.published! < seq) advanceTo(user_id, audience, seq)
        }
      })
    for (const { audience } of users) audience.advancing = reading
  }

  function readToldOf(userId: string) {
    const seq = told.get(userId)
    const audience = audiences.get(userId)
    told.delete(userId)
    if (seq !== undefined && audience && audience.published !== null && seq > audience.published)
      advanceTo(userId, audience, seq)
  }

  const ear: Omit<Ear, 'forget' | 'forgetAll'> = {
    isHere: (userId) => audiences.has(userId),

    stored(userId, seq) {
      const audience = audiences.get(userId)
      if (!audience) return
      audience.news++
      if (audience.published === null || seq <= audience.published) return
      if (seq > (told.get(userId) ?? 0)) told.set(userId, seq)
      readSoon()
    },

    passed(userId, frame) {
      deliver(userId, frame)
    },

    sessionEnded: endSocketsOf,

    suspended(userId) {
      // What was stored before, such as the notice of it, is told before the sockets close.
      readToldOf(userId)
      const advancing = audiences.get(userId)?.advancing
      if (advancing) void advancing.catch(() => {}).then(() => suspendSocketsOf(userId))
      else suspendSocketsOf(userId)
    },

    cameOrWent: (userId, online) => void tellTruly(userId, online),

    mayHaveMissed: (users) => void lookAt(users === 'everybody' ? audiences.keys() : users),
  }

  /** As `announce`, unless it is no longer so: the user came again, or went, or is on another node too. */
  async function tellTruly(userId: string, online: boolean) {
    const isOnline = audiences.has(userId) || (await nodes!.online([userId])).has(userId)
    if (isOnline === online) await announce(userId, online)
  }

  return {
    push,
    control,
    ear,

    /** Begins to look after the sockets, with the server's way of publishing to a topic. */
    start(publisher: (topic: string, frame: string) => void) {
      publish = publisher
      expiry ??= setInterval(() => this.endExpired(), expiryEveryMs).unref()
      if (mayMiss) looks ??= setInterval(() => ear.mayHaveMissed('everybody'), lookEveryMs).unref()
    },

    /** Takes no new sockets from now on, and says so: they go to another node. */
    drain() {
      draining = true
    },

    /** Refuses new sockets once the server is about to stop. */
    refuseWhileClosing() {
      if (draining) throw new Refusal('shutting_down', 'This server is restarting: connect again shortly.')
    },

    /** Takes a new socket in: `hello`, then what it missed after `since`, then live events. */
    async open(socket: Socket, owner: Owner, since: number | null) {
      const audience = audiences.get(owner.user_id) ?? {
        connections: new Set(),
        published: null,
        news: 0,
        advancing: null,
      }
      const comesOnline = audience.connections.size === 0
      const connection: Connection = { socket, owner, sent: 0, joined: false, closed: false, drained: null }
      connections.set(socket.id, connection)
      audiences.set(owner.user_id, audience)
      audience.connections.add(connection)
      if (comesOnline) nodes?.settle(owner.user_id)
      if (audience.connections.size > socketsPerUser)
        shut(audience.connections.values().next().value!, closing.tooMany, 'too many sockets')
      try {
        const { seq, resume } = await replay.state(owner.user_id, since)
        if (connection.closed) return
        socket.send(passing('hello', { connection_id: socket.id, seq, resume, heartbeat_s: heartbeatS }))
        connection.sent = resume === 'ok' ? since! : seq
        await catchUp(connection, audience)
        if (connection.closed) return
        if (comesOnline && !nodes) void announce(owner.user_id, true)
        const concerned = await peers(owner.user_id)
        const elsewhere = nodes && (await nodes.online(concerned.filter((peer) => !audiences.has(peer))))
        for (const peer of concerned)
          if ((audiences.has(peer) || elsewhere?.has(peer)) && !connection.closed)
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
      if (!nodes && !audiences.has(userId)) return
      const frame = passing(type, data)
      deliver(userId, frame)
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

    isClosing: () => draining,

    /** Open sockets, users who have one, and the durable events told to such users so far. */
    counts: () => ({ sockets: connections.size, users: audiences.size, pushed }),
  }
}
