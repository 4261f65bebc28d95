import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import type { Counter } from '../../lib/rate-limits.ts'
import { seconds } from '../../lib/time.ts'
import { TryLater } from '../carrier.ts'

// Some seconds, in which hundreds of other messages are sent.
const mostTurns = 20

/** Waits until a message may be sent: 25 a second over all nodes, and one a second in a chat. */
export function sharedPace(counter: Counter): (chat: string) => Promise<void> {
  const all = counter({ name: 'telegram', points: 25, duration: 1 })
  const chats = counter({ name: 'telegram_chat', points: 1, duration: 1 })

  async function turn(limiter: typeof all, key: string) {
    for (let turns = 0; turns < mostTurns; turns++) {
      try {
        await limiter.consume(key)
        return
      } catch (refused) {
        if (!(refused instanceof RateLimiterRes)) throw refused
        await Bun.sleep(Math.max(10, refused.msBeforeNext))
      }
    }
    throw new TryLater('too many messages wait for their turn', 5 * seconds)
  }

  return async (chat) => {
    await turn(chats, chat)
    await turn(all, 'all')
  }
}
