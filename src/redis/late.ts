import { setTimeout } from 'node:timers/promises'
import type { RedisAddress } from '../lib/redis-url.ts'
import { type Counter, inMemory } from '../lib/rate-limits.ts'
import type { Listener, Nodes } from '../realtime/nodes.ts'
import { RedisAway } from './connect.ts'
import { type Deps, openRedis, prefixOf, type Shared, usualPace } from './open.ts'
import { messageOf } from '../lib/errors.ts'

/**
 * What the nodes share, even if Redis is down at the start: the node then runs as if it had lost Redis, and keeps trying in
 * the background. Throws ConfigError if Redis refuses the connection.
 */
export async function openShared(address: RedisAddress, deps: Deps): Promise<Shared> {
  try {
    return await openRedis(address, deps)
  } catch (error) {
    if (!(error instanceof RedisAway)) throw error
    deps.log.warn({ reason: error.message }, 'Redis is away: other nodes are notified when it is back')
    return openLate(address, deps)
  }
}

function openLate(address: RedisAddress, deps: Deps): Shared {
  const { log, pace = usualPace } = deps
  let there: Shared | null = null
  let listener: Listener | null = null
  /** Users whose first socket opened while Redis was away. */
  const came = new Set<string>()
  const closed = new AbortController()

  async function look() {
    let logged: string | null = null
    while (!closed.signal.aborted) {
      await setTimeout(pace.tendMs, undefined, { signal: closed.signal }).catch(() => {})
      if (closed.signal.aborted) return
      try {
        return await found(await openRedis(address, { ...deps, isLate: true }))
      } catch (error) {
        const message = messageOf(error)
        // The start could not detect that Redis refuses the connection.
        if (!(error instanceof RedisAway) && message !== logged) log.error({ reason: message }, 'Redis cannot be used')
        logged = message
      }
    }
  }

  async function found(shared: Shared) {
    if (closed.signal.aborted) return shared.close()
    there = shared
    if (listener) {
      shared.nodes.listen(listener)
      // Messages sent before this were lost.
      listener.forgetAll()
      listener.mayHaveMissed('everybody')
    }
    for (const userId of came) void shared.nodes.syncPresence(userId)
    came.clear()
    log.info('Redis is back')
  }

  // Nothing is queued: when Redis is back, the other nodes are told to read everything from storage.
  const nodes: Nodes = {
    listen(given) {
      listener = given
      there?.nodes.listen(given)
    },
    stored: (events) => there?.nodes.stored(events),
    relay: (userId, frame) => there?.nodes.relay(userId, frame),
    close: (userId, sessionId, reason) => there?.nodes.close(userId, sessionId, reason),
    forget: async (userId) => there?.nodes.forget(userId),
    rulesChanged: async () => there?.nodes.rulesChanged(),
    announced: async () => there?.nodes.announced(),
    async syncPresence(userId) {
      if (there) await there.nodes.syncPresence(userId)
      else if (listener?.isHere(userId)) came.add(userId)
      else came.delete(userId)
    },
    online: async (userIds) => (there ? there.nodes.online(userIds) : new Set()),
    foreground: async (userId) => (there ? there.nodes.foreground(userId) : false),
    isFirst: async (...asked) => (there ? there.nodes.isFirst(...asked) : true),
    hears: () => there?.nodes.hears() ?? false,
  }

  const counter: Counter = (limit) => {
    const here = inMemory(limit)
    let shared: ReturnType<Counter> | null = null
    const counting = () => (there ? (shared ??= there.counter(limit)) : here)
    return {
      consume: (key) => counting().consume(key),
      get: (key) => counting().get(key),
      delete: (key) => counting().delete(key),
    }
  }

  void look()
  return {
    nodes,
    counter,
    budget: async (...asked) => {
      if (!there) throw new Error('Redis is away')
      return there.budget(...asked)
    },
    isRedis: true,
    prefix: prefixOf(deps.secrets),
    isUp: () => there?.isUp() ?? false,
    hears: (userId) => there?.hears(userId) ?? false,
    queued: () => there?.queued() ?? 0,
    refused: () => there?.refused() ?? 0,
    async close() {
      // A connection that is being opened is closed by `found`.
      closed.abort()
      await there?.close()
    },
  }
}
