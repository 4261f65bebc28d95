import type { SharedPlaces } from '../features/location/search-budget.ts'
import { days } from '../time.ts'
import type { Commands } from './connect.ts'

// Answers -1 where the place was counted, or was before; else after how many milliseconds there is room again.
const spend = `
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return -1 end
local count = redis.call('SCARD', KEYS[1])
if count >= tonumber(ARGV[2]) then return redis.call('PTTL', KEYS[1]) end
redis.call('SADD', KEYS[1], ARGV[1])
if count == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return -1`

type Scripts = { conveneSpend(key: string, place: string, most: number, withinMs: number): Promise<number> }

/** The places that an account has searched, over all nodes. Redis knows neither: both are sealed. */
export function openPlaces({
  commands,
  prefix,
  seal,
}: {
  commands: Commands
  prefix: string
  seal(text: string): string
}): SharedPlaces {
  commands.defineCommand('conveneSpend', { numberOfKeys: 1, lua: spend })
  const scripts = commands as unknown as Scripts
  return async (userId, cell, most) => {
    // Short: a day's 500 of them are to fit into little room, and no two of one account are likely to be alike.
    const place = seal(`${userId} ${cell}`).slice(0, 8)
    const waitMs = await scripts.conveneSpend(`${prefix}places:${seal(userId)}`, place, most, days)
    return waitMs === -1 ? null : waitMs
  }
}
