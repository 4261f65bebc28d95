import type { SharedBudget } from '../features/location/search-budget.ts'
import { days } from '../lib/time.ts'
import type { Commands } from './connect.ts'

// Returns -1 if all things are counted, now or before; otherwise the milliseconds until the budget allows more.
const spend = `
local fresh = {}
for i = 3, #ARGV do
  if redis.call('SISMEMBER', KEYS[1], ARGV[i]) == 0 then fresh[#fresh + 1] = ARGV[i] end
end
local count = redis.call('SCARD', KEYS[1])
if count + #fresh > tonumber(ARGV[1]) then
  return count == 0 and tonumber(ARGV[2]) or redis.call('PTTL', KEYS[1])
end
if #fresh > 0 then redis.call('SADD', KEYS[1], unpack(fresh)) end
if count == 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return -1`

/**
 * The places that an account has searched and the people it was shown within a day, on all nodes. Redis sees only keyed hashes. A
 * set holds as many things as an account may have in a day, and expires a day after its first.
 */
export function openBudget({
  commands,
  prefix,
  seal,
}: {
  commands: Commands
  prefix: string
  seal(text: string): string
}): SharedBudget {
  commands.defineCommand('conveneSpend', { numberOfKeys: 1, lua: spend })
  return async (what, userId, things, most) => {
    // Short, because there are up to 3,000 a day, yet long enough that two of one account hardly ever collide.
    const sealed = [...new Set(things.map((thing) => seal(`${userId} ${thing}`).slice(0, 8)))]
    const waitMs = await commands.conveneSpend(`${prefix}${what}:${seal(userId)}`, most, days, ...sealed)
    return waitMs === -1 ? null : waitMs
  }
}
