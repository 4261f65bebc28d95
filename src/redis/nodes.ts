import { Cluster } from 'ioredis'
import type { Logger } from 'pino'
import type { Ear, Nodes } from '../realtime/nodes.ts'
import type { Connected } from './connect.ts'
import { openHearing } from './hearing.ts'
import { openPresence } from './presence.ts'

/** How often things come round. */
export type Pace = {
  /** Looking after the connections, and saying again what could not be said. */
  tendMs: number
  /** How long a node that says nothing is taken for alive; it says so three times as often. */
  aliveMs: number
}

// Users to be told of, and other words. Where more wait, the others are told to look everybody up instead.
const mostUnsaid = 20_000
const quitWithinMs = 1000

const stored = 's'
const frame = 'f'
const sessionEnded = 'e'
const suspended = 'x'
const forget = 'c'
const lost = 'l'

type Deps = Connected & { prefix: string; pace: Pace; log: Logger }

/**
 * The nodes of one service, by Redis. Each user has a channel, heard where they have a socket: `s<seq>` (stored),
 * `f<node><frame>`, `e[<session>]` (ended), `x` (suspended). One more is heard by every node: `c<user>` (forget what is
 * cached), `l<node>` (what that node had to say was too much, and is lost).
 *
 * A channel for each user, and not some for all: so what a node hears grows with the people connected to it, and not with
 * what happens on all the others.
 */
export async function openNodes({ prefix, pace, log, ...connected }: Deps) {
  const { commands, sharded } = connected
  const everyNode = `${prefix}nodes`
  const ofUsers = `${prefix}user:`
  const self = crypto.randomUUID()
  let ear: Ear | null = null

  /** What is told at the end of this turn of the event loop, or once Redis is back: numbers by user, and other words. */
  let numbers = new Map<string, number>()
  let words = new Set<string>()
  let isLost = false
  let saying = false

  const opened = Promise.withResolvers<void>()
  let isUp = false
  let started = false
  /** Whether a part of a cluster cannot be reached. */
  let isBroken = false
  let reason: unknown = null
  let beating = false
  let beatAgain = false
  let closed = false

  const hearing = openHearing({
    ...connected,
    onHeard(channels) {
      opened.resolve()
      const userIds = channels.flatMap((channel) => userOf(channel) ?? [])
      if (userIds.length > 0) ear?.mayHaveMissed(userIds)
      if (channels.includes(everyNode)) ear?.forgetAll()
      look()
    },
    onMessage: hear,
    onChange: look,
  })
  const presence = openPresence({
    commands,
    prefix,
    aliveMs: pace.aliveMs,
    isHere: (userId) => ear?.isHere(userId) === true,
    cameOrWent: (userId, online) => ear?.cameOrWent(userId, online),
    log,
  })
  commands.on('error', (error: unknown) => (reason = error))
  for (const change of ['ready', 'close']) commands.on(change, look)

  function userOf(channel: string) {
    return channel.startsWith(ofUsers) ? channel.slice(ofUsers.length) : null
  }

  function hear(channel: string, message: string) {
    if (!ear) return
    const userId = userOf(channel)
    const [kind, text] = [message[0], message.slice(1)]
    // What a later release may say besides is passed over.
    if (userId === null) {
      if (kind === forget) ear.forget(text)
      if (kind !== lost || text === self) return
      ear.forgetAll()
      ear.mayHaveMissed('everybody')
    } else if (kind === stored) {
      const seq = Number(text)
      if (Number.isSafeInteger(seq)) ear.stored(userId, seq)
    } else if (kind === frame) {
      if (!text.startsWith(self)) ear.passed(userId, text.slice(self.length))
    } else if (kind === sessionEnded) {
      ear.sessionEnded(userId, text || null)
    } else if (kind === suspended) {
      ear.suspended(userId)
    }
  }

  const publish = (channel: string, message: string): Promise<unknown> =>
    sharded ? commands.spublish(channel, message) : commands.publish(channel, message)

  function say(channel: string, message: string) {
    words.add(`${channel} ${message}`)
    saySoon()
  }

  function saySoon() {
    if (saying) return
    saying = true
    setImmediate(sayNow)
  }

  /** Publishes what waits. What fails waits again. */
  function sayNow() {
    saying = false
    if (numbers.size + words.size > mostUnsaid) {
      numbers.clear()
      words.clear()
      isLost = true
    }
    if (commands.status !== 'ready') return
    const [numbersNow, wordsNow] = [numbers, words]
    numbers = new Map()
    words = new Set()
    for (const [userId, seq] of numbersNow) publish(ofUsers + userId, `${stored}${seq}`).catch(() => note(userId, seq))
    for (const word of wordsNow) {
      const end = word.indexOf(' ')
      publish(word.slice(0, end), word.slice(end + 1)).catch(() => words.add(word))
    }
    if (!isLost) return
    isLost = false
    publish(everyNode, lost + self).catch(() => (isLost = true))
  }

  function note(userId: string, seq: number) {
    if (seq > (numbers.get(userId) ?? 0)) numbers.set(userId, seq)
  }

  /** Whether Redis is there; told where that has changed. */
  function look() {
    if (!started || closed) return
    const wasUp = isUp
    isUp = commands.status === 'ready' && !isBroken && hearing.isWhole() && hearing.isHeard(everyNode)
    if (isUp === wasUp) return
    if (!isUp) {
      const { message } = (reason ?? {}) as { message?: string }
      return log.warn({ reason: message }, 'Redis is away: other nodes are told when it is back')
    }
    log.info('Redis is back')
    presence.regained()
    void beat()
    saySoon()
  }

  async function beat() {
    beatAgain = beating
    if (beating || closed || commands.status !== 'ready') return
    beating = true
    try {
      await presence.beat()
    } catch (error) {
      log.debug({ err: error }, 'presence could not be told')
    } finally {
      beating = false
      if (beatAgain) void beat()
    }
  }

  function tend() {
    hearing.tend()
    for (const client of commands instanceof Cluster ? commands.nodes('master') : [commands])
      client.ping().catch(() => {})
    if (commands instanceof Cluster) {
      isBroken = !isWhole(commands)
      if (isBroken) commands.refreshSlotsCache()
    }
    if (numbers.size + words.size > 0 || isLost) saySoon()
    look()
  }

  // What is not allowed here, or not writable, is found out before anybody is served.
  hearing.hear(everyNode)
  await Promise.all([opened.promise, presence.beat()])
  started = isUp = true
  const timers = [setInterval(tend, pace.tendMs), setInterval(beat, pace.aliveMs / 3)]
  for (const timer of timers) timer.unref()

  const nodes: Nodes = {
    listen(listener) {
      ear = listener
    },

    stored(events) {
      for (const { user_id, seq } of events) note(user_id, seq)
      saySoon()
    },

    pass(userId, text) {
      if (commands.status === 'ready') publish(ofUsers + userId, frame + self + text).catch(() => {})
    },

    sessionEnded: (userId, sessionId) => say(ofUsers + userId, sessionEnded + (sessionId ?? '')),
    suspended: (userId) => say(ofUsers + userId, suspended),
    async forget(userId) {
      if (commands.status !== 'ready') return say(everyNode, forget + userId)
      await publish(everyNode, forget + userId).catch(() => words.add(`${everyNode} ${forget}${userId}`))
    },

    settle(userId) {
      if (closed) return
      if (ear?.isHere(userId)) hearing.hear(ofUsers + userId)
      else hearing.leave(ofUsers + userId)
      presence.settle(userId)
    },

    online: (userIds) => presence.online(userIds).catch(() => new Set<string>()),

    hears: () => hearing.isHeard(everyNode),
  }

  return {
    nodes,
    isUp: () => isUp,
    /** Whether what others say of a user reaches this node now. */
    hears: (userId: string) => hearing.isHeard(ofUsers + userId),
    /** How many users and other words the others are still to be told of. */
    unsaid: () => numbers.size + words.size,
    /** Says what waits, and ends the connections. Users who were here stay online for as long as a node is taken for alive. */
    async close() {
      for (const timer of timers) clearInterval(timer)
      sayNow()
      closed = true
      if (commands.status === 'ready') await Promise.race([commands.quit().catch(() => {}), Bun.sleep(quitWithinMs)])
      commands.disconnect()
      hearing.close()
    },
  }
}

function isWhole(cluster: Cluster): boolean {
  const needed = new Set(cluster.slots.map(([master]) => master))
  for (const { status, options } of cluster.nodes('master'))
    if (status === 'ready') needed.delete(`${options.host}:${options.port}`)
  return needed.size === 0
}
