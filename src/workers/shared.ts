import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import type { Counter } from '../lib/rate-limits.ts'
import type { Listener, Nodes } from '../realtime/nodes.ts'
import type { Shared } from '../redis/open.ts'
import type { Counted, Desk, Told } from './exchange.ts'
import type { Remote } from './link.ts'

/**
 * What the services of a thread share with those of the others, through the exchange; and what the exchange tells this
 * thread. To the services, threads are nodes that always reach each other.
 */
export function sharedBy(desk: Remote<Desk>): { shared: Shared; told: Told } {
  let listener: Listener | null = null

  const nodes: Nodes = {
    listen(given) {
      listener = given
    },
    stored: (events) => void desk.stored(events),
    relay: (userId, frame) => void desk.relay(userId, frame),
    close: (userId, sessionId, reason) => void desk.close(userId, sessionId, reason),
    forget: desk.forget,
    rulesChanged: () => desk.rulesChanged(),
    announced: () => desk.announced(),
    async syncPresence(userId) {
      if (listener === null) return
      const isHere = listener.isHere(userId)
      const { isChange, cameOrWent } = await desk.presence(userId, isHere, listener.isForeground(userId))
      if (cameOrWent) listener.cameOrWent(userId, isHere)
      // Events that were stored before the exchange knew of this thread.
      if (isChange && isHere) listener.mayHaveMissed([userId])
    },
    online: async (userIds) => new Set(await desk.onlineElsewhere(userIds)),
    foreground: desk.foregroundElsewhere,
    isFirst: desk.isFirst,
    hears: () => true,
  }

  const counter: Counter = ({ name, points, duration }) => {
    const resultOf = ({ remainingPoints, msBeforeNext, consumedPoints }: Counted) =>
      new RateLimiterRes(remainingPoints, msBeforeNext, consumedPoints)
    return {
      async consume(key) {
        const result = resultOf(await desk.consume(name, points, duration, key))
        // As the library does.
        if (result.consumedPoints > points) throw result
        return result
      },
      async get(key) {
        const found = await desk.consumed(name, points, duration, key)
        return found && resultOf(found)
      },
      delete: (key) => desk.reset(name, points, duration, key),
    }
  }

  return {
    shared: {
      nodes,
      counter,
      budget: desk.budget,
      isRedis: false,
      prefix: '',
      refused: () => 0,
      isUp: () => true,
      hears: () => true,
      queued: () => 0,
      close: async () => {},
    },
    told: {
      stored: (userId, seq) => listener?.stored(userId, seq),
      relayed: (userId, frame) => listener?.relayed(userId, frame),
      close: (userId, sessionId, reason) => listener?.close(userId, sessionId, reason),
      forget: (userId) => listener?.forget(userId),
      rulesChanged: () => listener?.rulesChanged(),
      announced: () => listener?.announced(),
    },
  }
}
