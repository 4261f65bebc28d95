import type { Logger } from 'pino'
import { iso } from '../time.ts'
import { closing, type Connection } from './connection.ts'
import type { DurableEvent } from './events.ts'
import type { Replay } from './replay.ts'

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

const replayBatch = 200
// Of how many users events are read in one.
const readAtOnce = 100
/**
 * How often, at most, what other nodes tell of is read: it takes as much for a few users as for some tens, and the more
 * nodes there are, the fewer each of them tells of at a time.
 */
const readEveryMs = 20
// What a reader may leave unread before it is cut off; its events wait in storage.
const bufferLimit = 256 * 1024
const drainTimeoutMs = 20_000

type Deps = {
  replay: Replay
  /** Closes a socket, which then leaves its topic. */
  shut(connection: Connection, code: number, reason: string): void
  log: Logger
}

/**
 * A topic for each user with sockets on this node. Storage is the truth and what is told a hint: a topic carries the event
 * after its last one as it is told, and reads any other from storage first; a socket joins the topic once it stands at the
 * same event. So each event reaches it once and in order, however late one is told, or never. What another node stored is
 * only a number here, and read from storage like what was not told in time.
 */
export function openTopics({ replay, shut, log }: Deps) {
  const audiences = new Map<string, Audience>()
  let publish: (topic: string, frame: string) => void = () => {}
  /** The newest events that other nodes told of and that are still to be read, by user. */
  const told = new Map<string, number>()
  let readAt = -Infinity
  let isReadSoon = false

  const topicOf = (userId: string) => `user:${userId}`

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

  /** Publishes what is stored up to that number, and what else is stored by then. */
  function advanceTo(userId: string, audience: Audience, seq: number) {
    advance(userId, audience)
      .then(
        // A reading that was under way may have ended before this one was stored.
        () => (audience.published! < seq ? advance(userId, audience) : undefined),
      )
      .catch((error) => giveUpAll(audience, error))
  }

  /** As `advanceTo`, of many users in one reading. What that leaves over is read for each user alone. */
  function advanceTogether(users: readonly Told[]) {
    const reading = replay.afterEach(users).then(
      (framesOf) => {
        for (const { audience } of users) audience.advancing = null
        for (const [i, { user_id, audience, seq }] of users.entries()) {
          const frames = framesOf[i]!
          if (frames instanceof Error) {
            giveUpAll(audience, frames)
            continue
          }
          // As in `advance`.
          if (audiences.get(user_id) !== audience) continue
          for (const frame of frames) {
            audience.published = frame.seq
            deliver(user_id, JSON.stringify(frame))
          }
          if (audience.published! < seq) advanceTo(user_id, audience, seq)
        }
      },
      (error) => {
        for (const { audience } of users) {
          audience.advancing = null
          giveUpAll(audience, error)
        }
      },
    )
    for (const { audience } of users) audience.advancing = reading
  }

  /** Closes a socket whose events cannot be read: it comes back and asks for them anew. */
  function giveUp(connection: Connection, error: unknown) {
    log.error({ err: error }, 'a socket could not catch up')
    shut(connection, closing.restart, 'try again')
  }

  function giveUpAll(audience: Audience, error: unknown) {
    for (const connection of [...audience.connections]) giveUp(connection, error)
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

  return {
    /** Takes the server's way of publishing. */
    start(publisher: typeof publish) {
      publish = publisher
    },

    has: (userId: string) => audiences.has(userId),
    users: () => audiences.keys(),
    count: () => audiences.size,
    /** A user's sockets here, the oldest first. */
    socketsOf: (userId: string): Connection[] => [...(audiences.get(userId)?.connections ?? [])],

    /** Takes a socket in, which gets nothing before it has caught up. Answers whether it is the user's first one here. */
    enter(connection: Connection): boolean {
      const { user_id } = connection.owner
      const audience = audiences.get(user_id)
      if (audience) audience.connections.add(connection)
      else audiences.set(user_id, { connections: new Set([connection]), published: null, news: 0, advancing: null })
      return !audience
    },

    /** Answers whether it was the user's last one here. */
    leave(connection: Connection): boolean {
      const { user_id } = connection.owner
      const audience = audiences.get(user_id)
      audience?.connections.delete(connection)
      if (audience?.connections.size !== 0) return false
      audiences.delete(user_id)
      return true
    },

    /** Sends a socket what it missed, and lets it join the topic where both stand at the same event. */
    async catchUp(connection: Connection) {
      const { user_id } = connection.owner
      const audience = audiences.get(user_id)
      while (audience && !connection.closed) {
        const { news } = audience
        const frames = await replay.after(user_id, connection.sent, replayBatch)
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
    },

    giveUp,
    deliver,

    /** Tells of an event that this node stored. Answers whether its user has sockets here. */
    tell({ user_id, seq, type, at, data }: DurableEvent): boolean {
      const audience = audiences.get(user_id)
      if (!audience) return false
      audience.news++
      // Nobody has joined: who catches up finds it in storage. Or it was found there before it was told.
      if (audience.published === null || seq <= audience.published) return true
      if (seq === audience.published + 1 && !audience.advancing && data !== undefined) {
        audience.published = seq
        deliver(user_id, JSON.stringify({ type, seq, at: iso(at), data }))
      } else {
        // One before it is stored and not told yet.
        advanceTo(user_id, audience, seq)
      }
      return true
    },

    /** Another node stored a user's events up to that number. */
    storedElsewhere(userId: string, seq: number) {
      const audience = audiences.get(userId)
      if (!audience) return
      audience.news++
      if (audience.published === null || seq <= audience.published) return
      if (seq > (told.get(userId) ?? 0)) told.set(userId, seq)
      readSoon()
    },

    /** Calls back once everything is published that other nodes have told of so far: at once where that is so. */
    whenRead(userId: string, go: () => void) {
      const seq = told.get(userId)
      const audience = audiences.get(userId)
      told.delete(userId)
      if (seq !== undefined && audience && audience.published !== null && seq > audience.published)
        advanceTo(userId, audience, seq)
      if (audience?.advancing) void audience.advancing.catch(() => {}).then(go)
      else go()
    },
  }
}
