import { Cluster, ReplyError } from 'ioredis'
import type { Logger } from 'pino'
import type { Listener, Nodes } from '../realtime/nodes.ts'
import { type Connected, causeOf } from './connect.ts'
import { openHearing } from './hearing.ts'
import { openPresence } from './presence.ts'
import type { Signatures } from './signed.ts'
import { messageOf } from '../lib/errors.ts'

/** Intervals of the work in the background. */
export type Pace = {
  /** Between checks of the connections, which also retry what could not be sent. */
  tendMs: number
  /** How long a silent node counts as alive. Nodes send a heartbeat three times as often. */
  aliveMs: number
}

// Messages that may wait. Beyond that, they are dropped and the other nodes are told to read everything from storage.
const maxQueued = 20_000
const quitWithinMs = 1000

const stored = 's'
const frame = 'f'
const close = 'e'
const forget = 'c'
const rules = 'r'
const announced = 'a'
const lost = 'l'

// Returns 1 and stores the time, unless a time less than `every` ago is stored. A time in the future does not count.
const takeFirst = `
local last = tonumber(redis.call('GET', KEYS[1]))
local at, every = tonumber(ARGV[1]), tonumber(ARGV[2])
if last and at >= last and at - last < every then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', every)
return 1`

type Deps = Connected & { prefix: string; signatures: Signatures; pace: Pace; isLate: boolean; log: Logger }

/**
 * Messages between the nodes of one service, through Redis. Nodes exchange sequence numbers, not events. Each user has a
 * channel, to which the nodes with a socket of theirs subscribe: `s<seq>` (stored up to), `f<node><frame>` (an ephemeral
 * frame), `e<reason>[ <session>]` (close sockets). Every node subscribes to one more: `c<user>` (invalidate what is cached),
 * `l<node>` (messages of that node were dropped), `r` (the rules about texts changed), `a` (the announcements changed). Each
 * message is signed.
 *
 * With a channel for each user, the load of a node grows with the people connected to it, not with the whole service.
 */
export async function openNodes({ prefix, signatures, pace, isLate, log, ...connected }: Deps) {
  const { commands, sharded } = connected
  const everyNode = `${prefix}nodes`
  const ofUsers = `${prefix}user:`
  const self = crypto.randomUUID()
  commands.defineCommand('conveneFirst', { numberOfKeys: 1, lua: takeFirst })
  let listener: Listener | null = null

  /** Queued until the end of this turn, or until Redis is back: the newest number of each user, and other messages. */
  let numbers = new Map<string, number>()
  let messages = new Set<string>()
  let isLost = isLate
  let isFlushScheduled = false

  const opened = Promise.withResolvers<void>()
  let isUp = false
  let started = false
  /** Whether a part of the cluster is unreachable. */
  let isBroken = false
  let reason: unknown = null
  /** Whether Redis answers, but refuses the heartbeat: it is full, or has become a replica. */
  let isRefusing = false
  let beating = false
  let beatAgain = false
  let closed = false

  const hearing = openHearing({
    ...connected,
    onHeard(channels) {
      opened.resolve()
      const userIds = channels.flatMap((channel) => userOf(channel) ?? [])
      if (userIds.length > 0) listener?.mayHaveMissed(userIds)
      if (channels.includes(everyNode)) listener?.forgetAll()
      checkUp()
    },
    onMessage: hear,
    onChange: checkUp,
  })
  const presence = openPresence({
    commands,
    prefix,
    aliveMs: pace.aliveMs,
    isLate,
    isHere: (userId) => listener?.isHere(userId) === true,
    isForeground: (userId) => listener?.isForeground(userId) === true,
    cameOrWent: (userId, online) => listener?.cameOrWent(userId, online),
    log,
  })
  commands.on('error', (error: unknown) => (reason = error))
  for (const change of ['ready', 'close']) commands.on(change, checkUp)

  function userOf(channel: string) {
    return channel.startsWith(ofUsers) ? channel.slice(ofUsers.length) : null
  }

  function hear(channel: string, signed: string) {
    if (!listener) return
    const message = signatures.read(channel, signed)
    if (message === null) return
    const userId = userOf(channel)
    const [kind, text] = [message[0], message.slice(1)]
    // Other kinds, of a later release, are ignored.
    if (userId === null) {
      if (kind === forget) listener.forget(text)
      if (kind === rules) listener.rulesChanged()
      if (kind === announced) listener.announced()
      if (kind !== lost || text === self) return
      listener.forgetAll()
      listener.mayHaveMissed('everybody')
    } else if (kind === stored) {
      const seq = Number(text)
      if (Number.isSafeInteger(seq)) listener.stored(userId, seq)
    } else if (kind === frame) {
      if (!text.startsWith(self)) listener.relayed(userId, text.slice(self.length))
    } else if (kind === close) {
      const [reason = '', sessionId = null] = text.split(' ')
      listener.close(userId, sessionId, reason)
    }
  }

  function publish(channel: string, message: string): Promise<unknown> {
    const signed = signatures.sign(channel, message)
    return sharded ? commands.spublish(channel, signed) : commands.publish(channel, signed)
  }

  function queue(channel: string, message: string) {
    messages.add(`${channel} ${message}`)
    flushSoon()
  }

  function flushSoon() {
    if (isFlushScheduled) return
    isFlushScheduled = true
    setImmediate(flush)
  }

  /** Publishes what is queued. What fails is queued again. */
  function flush() {
    isFlushScheduled = false
    if (numbers.size + messages.size > maxQueued) {
      numbers.clear()
      messages.clear()
      isLost = true
    }
    if (commands.status !== 'ready') return
    const [numbersNow, messagesNow] = [numbers, messages]
    numbers = new Map()
    messages = new Set()
    for (const [userId, seq] of numbersNow) publish(ofUsers + userId, `${stored}${seq}`).catch(() => note(userId, seq))
    for (const message of messagesNow) {
      const end = message.indexOf(' ')
      publish(message.slice(0, end), message.slice(end + 1)).catch(() => messages.add(message))
    }
    if (!isLost) return
    isLost = false
    publish(everyNode, lost + self).catch(() => (isLost = true))
  }

  function note(userId: string, seq: number) {
    if (seq > (numbers.get(userId) ?? 0)) numbers.set(userId, seq)
  }

  /** Finds out whether Redis is up, and logs a change. */
  function checkUp() {
    if (!started || closed) return
    const wasUp = isUp
    isUp = commands.status === 'ready' && !isBroken && !isRefusing && hearing.isWhole() && hearing.isHeard(everyNode)
    if (isUp === wasUp) return
    if (!isUp) {
      return log.warn(
        { reason: reason === null ? undefined : messageOf(reason) },
        'Redis is away: other nodes are notified when it is back',
      )
    }
    log.info('Redis is back')
    presence.regained()
    void beat()
    flushSoon()
  }

  async function beat() {
    beatAgain = beating
    if (beating || closed || commands.status !== 'ready') return
    beating = true
    try {
      await presence.beat()
      isRefusing = false
    } catch (error) {
      isRefusing = error instanceof ReplyError
      if (isRefusing) reason = causeOf(error)
      log.debug({ err: error }, 'the heartbeat failed')
    } finally {
      beating = false
      checkUp()
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
    if (numbers.size + messages.size > 0 || isLost) flushSoon()
    if (isRefusing) void beat()
    checkUp()
  }

  // Missing permissions are found before anybody is served.
  hearing.hear(everyNode)
  await Promise.all([opened.promise, presence.beat()])
  started = isUp = true
  const timers = [setInterval(tend, pace.tendMs), setInterval(beat, pace.aliveMs / 3)]
  for (const timer of timers) timer.unref()

  const nodes: Nodes = {
    listen(given) {
      listener = given
    },

    stored(events) {
      for (const { user_id, seq } of events) note(user_id, seq)
      flushSoon()
    },

    relay(userId, text) {
      if (commands.status === 'ready') publish(ofUsers + userId, frame + self + text).catch(() => {})
    },

    close: (userId, sessionId, reason) =>
      queue(ofUsers + userId, close + reason + (sessionId === null ? '' : ` ${sessionId}`)),
    async forget(userId) {
      if (commands.status !== 'ready') return queue(everyNode, forget + userId)
      await publish(everyNode, forget + userId).catch(() => messages.add(`${everyNode} ${forget}${userId}`))
    },

    async rulesChanged() {
      if (commands.status !== 'ready') return queue(everyNode, rules)
      await publish(everyNode, rules).catch(() => messages.add(`${everyNode} ${rules}`))
    },

    async announced() {
      if (commands.status !== 'ready') return queue(everyNode, announced)
      await publish(everyNode, announced).catch(() => messages.add(`${everyNode} ${announced}`))
    },

    async syncPresence(userId) {
      if (closed) return
      if (listener?.isHere(userId)) hearing.hear(ofUsers + userId)
      else hearing.leave(ofUsers + userId)
      await presence.sync(userId)
    },

    online: (userIds) => presence.online(userIds).catch(() => new Set<string>()),

    foreground: (userId) => presence.foreground(userId).catch(() => false),

    isFirst: async (name, at, everyMs) =>
      commands.status !== 'ready' ||
      commands.conveneFirst(`${prefix}first:${name}`, at, everyMs).then(
        (isFirst) => isFirst === 1,
        () => true,
      ),

    hears: () => hearing.isHeard(everyNode),
  }

  return {
    nodes,
    isUp: () => isUp,
    /** Whether messages about a user reach this node now. */
    hears: (userId: string) => hearing.isHeard(ofUsers + userId),
    /** How many messages are queued. */
    queued: () => numbers.size + messages.size,
    /** Publishes what is queued and disconnects. This node's users stay online until its heartbeat expires. */
    async close() {
      for (const timer of timers) clearInterval(timer)
      flush()
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
