import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import type { Counter } from '../lib/rate-limits.ts'
import type { Commands } from './connect.ts'

/** Counts for all nodes together; while Redis is down, each node counts for itself. Redis sees only keyed hashes of the keys. */
export function openCounter({
  commands,
  prefix,
  seal,
}: {
  commands: Commands
  prefix: string
  seal(text: string): string
}): Counter {
  // Defines the library's script on the connection before any command is sent. ioredis collects the commands of a turn of the
  // event loop in a pipeline that knows only scripts defined before it: a later one would fail and end the process.
  new RateLimiterRedis({ storeClient: commands, points: 1, duration: 1 })
  return ({ name, points, duration }) => {
    const limiter = new RateLimiterRedis({
      storeClient: commands,
      keyPrefix: `${prefix}limit:${name}`,
      points,
      duration,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points, duration }),
    })
    return {
      consume: (key) => limiter.consume(seal(key)),
      get: (key) => limiter.get(seal(key)),
      delete: (key) => limiter.delete(seal(key)),
    }
  }
}
