import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import { networkOf } from './network-address.ts'
import { Refusal } from './refusal.ts'
import { days, hours, minutes, seconds } from './time.ts'
import { hasKey, keysOf, recordOf } from './record.ts'

type Limit = { points: number; per: number; by: 'address' | 'account' }

/**
 * The default limits. Limits by address are wide, because offices and mobile networks share one address; limits that protect
 * an account are narrow. `RATE_LIMIT` changes single ones.
 */
export const limitTable = {
  register: { points: 60, per: hours, by: 'address' },
  login: { points: 100, per: 15 * minutes, by: 'address' },
  messenger: { points: 100, per: 5 * minutes, by: 'address' },
  oidc: { points: 100, per: 5 * minutes, by: 'address' },
  // The messenger posts the updates of all users from a few addresses.
  bot_update: { points: 6000, per: minutes, by: 'address' },
  refresh: { points: 120, per: 5 * minutes, by: 'address' },
  read: { points: 600, per: minutes, by: 'address' },
  request: { points: 600, per: 10 * seconds, by: 'account' },
  search: { points: 60, per: minutes, by: 'account' },
  write: { points: 120, per: minutes, by: 'account' },
  new_chat: { points: 50, per: days, by: 'account' },
  location: { points: 6, per: minutes, by: 'account' },
  location_hour: { points: 60, per: hours, by: 'account' },
  consents: { points: 10, per: days, by: 'account' },
  send: { points: 120, per: minutes, by: 'account' },
  send_day: { points: 5000, per: days, by: 'account' },
  socket: { points: 120, per: minutes, by: 'account' },
  upload: { points: 60, per: hours, by: 'account' },
  block: { points: 500, per: days, by: 'account' },
  report: { points: 20, per: days, by: 'account' },
  export: { points: 10, per: hours, by: 'account' },
  session: { points: 300, per: days, by: 'account' },
  password: { points: 10, per: 15 * minutes, by: 'account' },
  // Far above `password`: one address can use only a tenth of it, so that a neighbour in the network locks nobody out.
  password_network: { points: 100, per: 15 * minutes, by: 'account' },
  photos: { points: 300, per: days, by: 'account' },
  passkey: { points: 200, per: 15 * minutes, by: 'address' },
  mail_link: { points: 100, per: 15 * minutes, by: 'address' },
  // For one e-mail address, whether or not an account has it.
  forgot: { points: 3, per: hours, by: 'account' },
  // For one e-mail address that nobody has verified for the account: it may be a stranger's. Of the account that has the address.
  mail_to: { points: 10, per: hours, by: 'account' },
  // The same of accounts that ask for the address: apart, so that they use up no mail of the one that has it.
  mail_change: { points: 10, per: hours, by: 'account' },
  verify_mail: { points: 1, per: minutes, by: 'account' },
  email_change: { points: 5, per: hours, by: 'account' },
  channel_test: { points: 3, per: hours, by: 'account' },
  unsubscribe: { points: 60, per: minutes, by: 'address' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limitTable

/** Every limit as it is configured. */
export type LimitTable = Readonly<Record<LimitName, Limit>>

const units = { s: seconds, m: minutes, h: hours, d: days } as const
const mostPoints = 1_000_000
// Counts in memory end by a timer, and one of more than 2^31 - 1 ms, 24.8 days, ends at once.
const longest = 24 * days

/** A limit as `RATE_LIMIT` writes it, such as `60/1h`. */
function writtenLimit({ points, per }: Pick<Limit, 'points' | 'per'>): string {
  const [unit, ms] = Object.entries(units).findLast(([, ms]) => per % ms === 0) ?? ['s', units.s]
  return `${points}/${per / ms}${unit}`
}

/** Every limit with its default, as `RATE_LIMIT` writes them. */
export const limitsShown = Object.entries(limitTable)
  .map(([name, limit]) => `${name}=${writtenLimit(limit)}`)
  .join(', ')

/** The form of a list of limits. */
export const limitListForm = `a list such as register=200/1h,search=600/1m, with s, m, h or d, of these: ${Object.keys(limitTable).join(', ')}`

/** The table with the changes in the list; null if the list is malformed. */
export function limitsOf(list: string): LimitTable | null {
  const changed = new Map<string, Limit>()
  for (const entry of list.split(',')) {
    const [, name = '', points, count, unit = ''] = /^\s*(\w+)=(\d{1,7})\/(\d{1,7})([smhd])\s*$/.exec(entry) ?? []
    if (!hasKey(limitTable, name) || !hasKey(units, unit) || changed.has(name)) return null
    const limit = { points: Number(points), per: Number(count) * units[unit] }
    if (limit.points < 1 || limit.points > mostPoints || limit.per < seconds || limit.per > longest) return null
    changed.set(name, { ...limitTable[name], ...limit })
  }
  return { ...limitTable, ...Object.fromEntries(changed) }
}

/** The network of one subscriber: for IPv6 the /64, which is the least that a subscriber gets. */
export const holderOf = (address: string) => networkOf(address, { v4: 32, v6: 64 }) ?? address

/**
 * The largest network that one subscriber may have: for IPv6 a /48, with 65,536 of the above. An IPv4 address stands for
 * itself, as its neighbours mostly belong to others.
 */
export const networkHolderOf = (address: string) => networkOf(address, { v4: 32, v6: 48 }) ?? address

/** What is left of a limit: for the `RateLimit-*` headers. */
export type Allowance = { limit: number; remaining: number; resetS: number }

export type Limits = {
  /** Counts one more and returns what is left, or refuses with 429. Null if limits are off. */
  take(name: LimitName, key: string): Promise<Allowance | null>
  /** Refuses with 429 if nothing is left, without counting. */
  check(name: LimitName, key: string): Promise<void>
  /** Resets the count. */
  reset(name: LimitName, key: string): Promise<void>
  /** Counts one more in this process alone, which costs next to nothing, or refuses with 429. */
  takeHere(name: LimitName, key: string): void
  /** Replaces the limits. Counts against unchanged limits are kept. */
  change(table: LimitTable | null): void
}

const unlimited: Limits = {
  take: async () => null,
  takeHere: () => {},
  check: async () => {},
  reset: async () => {},
  // Routes were built without limits.
  change: () => {},
}

/** Creates the counter of a limit; `duration` is in seconds. */
export type Counter = (limit: { name: string; points: number; duration: number }) => {
  consume(key: string): Promise<RateLimiterRes>
  get(key: string): Promise<RateLimiterRes | null>
  delete(key: string): Promise<boolean>
}

/** Counts in the memory of this process. */
export const inMemory: Counter = ({ name, ...limit }) => new RateLimiterMemory({ keyPrefix: name, ...limit })

type Options = {
  /** Null if limits are off. */
  table: LimitTable | null
  counter?: Counter
  /** Milliseconds. */
  now?: () => number
}

/** The limits, counted in this process unless `counter` is given. */
export function openLimits({ table: given, counter = inMemory, now = Date.now }: Options): Limits {
  if (!given) return unlimited
  let table = given
  const limiterOf = (name: LimitName) => {
    const { points, per } = table[name]
    return counter({ name, points, duration: per / 1000 })
  }
  const names = keysOf(table)
  const limiters = recordOf(names, limiterOf)
  const windows = new Map<LimitName, { since: number; counts: Map<string, number> }>()

  const allowance = (name: LimitName, state: RateLimiterRes): Allowance => ({
    limit: table[name].points,
    remaining: Math.max(0, state.remainingPoints),
    resetS: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  })

  return {
    async take(name, key) {
      try {
        return allowance(name, await limiters[name].consume(key))
      } catch (refused) {
        if (refused instanceof RateLimiterRes) throw rateLimited(allowance(name, refused))
        throw refused
      }
    },
    async check(name, key) {
      const state = await limiters[name].get(key)
      if (state && state.consumedPoints >= table[name].points) throw rateLimited(allowance(name, state))
    },
    async reset(name, key) {
      await limiters[name].delete(key)
    },
    takeHere(name, key) {
      const { points, per } = table[name]
      const at = now()
      let window = windows.get(name)
      // One window for all keys, so that they need not expire one by one. A clock that was set back starts a new window.
      if (!window || at - window.since >= per || at < window.since)
        windows.set(name, (window = { since: at, counts: new Map() }))
      const count = (window.counts.get(key) ?? 0) + 1
      if (count > points)
        throw rateLimited({
          limit: points,
          remaining: 0,
          resetS: Math.max(1, Math.ceil((window.since + per - at) / 1000)),
        })
      window.counts.set(key, count)
    },
    change(next) {
      if (next === null) return
      const before = table
      table = next
      for (const name of names) {
        if (before[name].points === next[name].points && before[name].per === next[name].per) continue
        limiters[name] = limiterOf(name)
        windows.delete(name)
      }
    },
  }
}

export const allowanceHeaders = ({ limit, remaining, resetS }: Allowance) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetS),
})

/** The refusal for too many requests. */
export const rateLimited = (left: Allowance) =>
  new Refusal('rate_limited', 'Too many requests. Try again later.', undefined, {
    'retry-after': String(left.resetS),
    ...allowanceHeaders({ ...left, remaining: 0 }),
  })
