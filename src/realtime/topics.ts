import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { semaphore } from '../lib/semaphore.ts'
import { iso } from '../lib/time.ts'
import { closing, type Connection } from './connection.ts'
import type { DurableEvent, Event } from './events.ts'
import type { Replay } from './replay.ts'
import { type Audience, isBehind, type Sockets, topicOf } from './sockets.ts'

/** Whether any events were sent, and whether more may follow. */
type Sent = { any: boolean; more: boolean }

/** A user with events up to `seq` that another node stored, and the range to read. */
type Unread = { user_id: string; since: number; limit: number; audience: Audience; seq: number }

const replayBatch = 100
// Events that a socket is sent before it has to wait for one of the `concurrentReplays`.
const shortReplay = 20
const concurrentReplays = 2
const usersPerRead = 100
/**
 * The shortest interval between reads of what other nodes stored. A read costs about as much for a few users as for some
 * tens, and the more nodes there are, the fewer users each of them reports at a time.
 */
const readEveryMs = 20
const drainTimeoutMs = 20_000

/**
 * One topic per user who has a socket on this node. Storage is the source of truth; a notification is only a hint. If the
 * notified event is the next one in sequence, the topic publishes it; otherwise it reads the missing events from storage
 * first. A socket joins the topic when it has caught up. Every event therefore arrives exactly once and in order, even when
 * notifications are late or lost. Events of other nodes arrive as numbers only, and are read from storage.
 */
export function openTopics({ sockets, replay, log }: { sockets: Sockets; replay: Replay; log: Logger }) {
  /** By user, the newest event that another node has stored and that is still to be read. */
  const unread = new Map<string, number>()
  let readAt = -Infinity
  let isReadSoon = false
  const longReplay = semaphore({
    atOnce: concurrentReplays,
    waiting: Infinity,
    refuse: () => new Error('too many replays'),
  })

  function publish(userId: string, audience: Audience, event: Event) {
    audience.published = event.seq
    sockets.deliver(userId, JSON.stringify(event))
  }

  /** Sends a socket the next events that it missed, until it is behind. */
  async function sendNext(connection: Connection, limit: number): Promise<Sent> {
    // It may have closed while it waited for its turn.
    const events = connection.closed ? [] : await replay.after(connection.owner.user_id, connection.sent, limit)
    for (const event of events) {
      // The rest is read again later, so that a client that does not read holds none of it in memory.
      if (connection.closed || isBehind(connection)) return { any: true, more: true }
      connection.socket.send(JSON.stringify(event))
      connection.sent = event.seq
    }
    return { any: events.length > 0, more: events.length === limit }
  }

  /** Waits until a socket that is behind has read, and closes it if it does not. */
  async function drained(connection: Connection) {
    while (!connection.closed && isBehind(connection)) {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), drainTimeoutMs)
      connection.drained = () => resolve(true)
      const hasRead = await promise
      clearTimeout(timer)
      connection.drained = null
      if (!hasRead) sockets.close(connection, closing.tooSlow, 'too slow')
    }
  }

  /** Publishes what is stored and not published yet. At most one read runs for each user. */
  function advance(userId: string, audience: Audience): Promise<void> {
    audience.advancing ??= (async () => {
      try {
        while (audience.published !== null) {
          const events = await replay.after(userId, audience.published, replayBatch)
          // The last socket has closed. Newer sockets belong to another audience, which may be further on.
          if (sockets.audienceOf(userId) !== audience) return
          for (const event of events) publish(userId, audience, event)
          // A caller that knows of a later event calls again.
          if (events.length < replayBatch) return
          await nextTurn()
        }
      } finally {
        audience.advancing = null
      }
    })()
    return audience.advancing
  }

  /** Publishes what is stored, at least up to that number. */
  function advanceTo(userId: string, audience: Audience, seq: number) {
    advance(userId, audience)
      .then(
        // A read that was already running may not have seen this event.
        () => (isPublished(audience, seq) ? undefined : advance(userId, audience)),
      )
      .catch((error) => giveUpAll(audience, error))
  }

  /** `advanceTo` for many users in one read. What exceeds the limit is read for each user alone. */
  function advanceMany(users: readonly Unread[]) {
    const reading = replay.afterEach(users).then(
      (eventsOf) => {
        for (const { audience } of users) audience.advancing = null
        for (const [i, { user_id, audience, seq }] of users.entries()) {
          const events = eventsOf[i] ?? []
          if (events instanceof Error) {
            giveUpAll(audience, events)
            continue
          }
          // As in `advance`.
          if (sockets.audienceOf(user_id) !== audience) continue
          for (const event of events) publish(user_id, audience, event)
          if (!isPublished(audience, seq)) advanceTo(user_id, audience, seq)
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

  /** Closes a socket whose events cannot be read: the client reconnects and asks for them again. */
  function giveUp(connection: Connection, error: unknown) {
    log.error({ err: error }, 'a socket could not catch up')
    sockets.close(connection, closing.restart, 'try again')
  }

  function giveUpAll(audience: Audience, error: unknown) {
    for (const connection of audience.connections) giveUp(connection, error)
  }

  /** Reads what other nodes stored at the end of this turn of the event loop, or when `readEveryMs` has passed. */
  function readSoon() {
    if (isReadSoon) return
    isReadSoon = true
    const inMs = readAt + readEveryMs - performance.now()
    if (inMs > 0) setTimeout(readUnread, inMs).unref()
    else setImmediate(readUnread)
  }

  function readUnread() {
    isReadSoon = false
    readAt = performance.now()
    const users: Unread[] = []
    for (const [userId, seq] of unread) {
      const audience = sockets.audienceOf(userId)
      if (!audience || audience.published === null || seq <= audience.published) continue
      if (audience.advancing) advanceTo(userId, audience, seq)
      else users.push({ user_id: userId, since: audience.published, limit: replayBatch, audience, seq })
    }
    unread.clear()
    for (let i = 0; i < users.length; i += usersPerRead) advanceMany(users.slice(i, i + usersPerRead))
  }

  const isPublished = ({ published }: Audience, seq: number) => published !== null && published >= seq

  return {
    /** Sends a socket what it missed. It joins the topic when both are at the same event. */
    async catchUp(connection: Connection) {
      const { user_id } = connection.owner
      const audience = sockets.audienceOf(user_id)
      let isLong = false
      while (audience && !connection.closed) {
        const { news } = audience
        const { any, more }: Sent = isLong
          ? await longReplay(async () => {
              // SQLite answers synchronously: without this, one long replay would block everybody else.
              await nextTurn()
              return sendNext(connection, replayBatch)
            })
          : await sendNext(connection, shortReplay)
        isLong = more
        await drained(connection)
        // More was stored during the read.
        if (any || audience.news !== news) continue
        audience.published ??= connection.sent
        // Nothing else runs between this check and the subscription.
        if (audience.published === connection.sent && !audience.advancing) {
          if (connection.closed) return
          connection.socket.subscribe(topicOf(user_id))
          connection.joined = true
          return
        }
        // The topic is behind storage: publish first, so that nobody receives an event twice.
        await advance(user_id, audience)
      }
    },

    giveUp,

    /** Publishes an event that this node stored. Returns whether its user has sockets here. */
    storedHere({ user_id, seq, type, at, data }: DurableEvent): boolean {
      const audience = sockets.audienceOf(user_id)
      if (!audience) return false
      audience.news++
      // Either no socket has joined, and those that catch up will read the event; or the topic has already read it.
      if (audience.published === null || seq <= audience.published) return true
      if (seq === audience.published + 1 && !audience.advancing && data !== undefined) {
        audience.published = seq
        sockets.deliver(user_id, JSON.stringify({ type, seq, at: iso(at), data }))
      } else {
        // An earlier event is stored and not published yet.
        advanceTo(user_id, audience, seq)
      }
      return true
    },

    /** Another node has stored a user's events up to that number. */
    storedElsewhere(userId: string, seq: number) {
      const audience = sockets.audienceOf(userId)
      if (!audience) return
      audience.news++
      if (audience.published === null || seq <= audience.published) return
      if (seq > (unread.get(userId) ?? 0)) unread.set(userId, seq)
      readSoon()
    },

    /** Calls `then` when everything that this node and others have stored so far is published, which may be at once. */
    whenRead(userId: string, then: () => void) {
      const seq = unread.get(userId)
      const audience = sockets.audienceOf(userId)
      unread.delete(userId)
      if (seq !== undefined && audience && audience.published !== null && seq > audience.published)
        advanceTo(userId, audience, seq)
      if (!audience?.advancing) return then()
      const read = async () => {
        // After one read, another may follow for what was stored meanwhile.
        while (audience.advancing) await audience.advancing.catch(() => {})
        then()
      }
      void read()
    },
  }
}
