import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from './address.ts'
import { Refusal } from './refusal.ts'
import { days, hours, minutes } from './time.ts'

type Limit = { points: number; per: number; by: 'address' | 'account' }

/**
 * How often what may be done. Limits by address are wide, as whole offices and mobile networks share one; those that
 * guard an account are narrow.
 */
export const limitTable = {
  register: { points: 20, per: hours, by: 'address' },
  login: { points: 100, per: 15 * minutes, by: 'address' },
  messenger: { points: 100, per: 5 * minutes, by: 'address' },
  refresh: { points: 120, per: 5 * minutes, by: 'address' },
  read: { points: 600, per: minutes, by: 'address' },
  search: { points: 60, per: minutes, by: 'account' },
  write: { points: 120, per: minutes, by: 'account' },
  send: { points: 120, per: minutes, by: 'account' },
  socket: { points: 120, per: minutes, by: 'account' },
  upload: { points: 60, per: hours, by: 'account' },
  report: { points: 20, per: days, by: 'account' },
  export: { points: 10, per: hours, by: 'account' },
  password: { points: 10, per: 15 * minutes, by: 'account' },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof limitTable

/** Whom an address stands for: one of IPv6 for the whole /64, as that is the least that a subscriber gets. */
export const holderOf = (address: string) => networkOf(address, { v4: 32, v6: 64 }) ?? address

/** What is left of a limit: for the `RateLimit-*` headers. */
export type Allowance = { limit: number; remaining: number; resetS: number }

export type Limits = {
  /** Counts one more and answers what is left, or refuses with 429. Null where limits are off. */
  take(name: LimitName, key: string): Promise<Allowance | null>
  /** Refuses with 429 where nothing is left, without counting. */
  check(name: LimitName, key: string): Promise<void>
  /** Forgets what was counted. */
  reset(name: LimitName, key: string): Promise<void>
}

const unlimited: Limits = {
  take: async () => null,
  check: async () => {},
  reset: async () => {},
}

/** Makes what counts for one limit; `duration` in seconds. */
export type Counter = (limit: { name: LimitName; points: number; duration: number }) => {
  consume(key: string): Promise<RateLimiterRes>
  get(key: string): Promise<RateLimiterRes | null>
  delete(key: string): Promise<boolean>
}

const inMemory: Counter = ({ name, ...limit }) => new RateLimiterMemory({ keyPrefix: name, ...limit })

/** The limits, counted in the memory of this process where nothing else counts. */
export function openLimits({ enabled, counter = inMemory }: { enabled: boolean; counter?: Counter }): Limits {
  if (!enabled) return unlimited
  const limiters = Object.fromEntries(
    Object.entries(limitTable).map(([name, { points, per }]) => [
      name,
      counter({ name: name as LimitName, points, duration: per / 1000 }),
    ]),
  ) as Record<LimitName, ReturnType<Counter>>

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
      if (state && state.consumedPoints >= limitTable[name].points) throw rateLimited(allowance(name, state))
    },
    async reset(name, key) {
      await limiters[name].delete(key)
    },
  }
}

const allowance = (name: LimitName, state: RateLimiterRes): Allowance => ({
  limit: limitTable[name].points,
  remaining: Math.max(0, state.remainingPoints),
  resetS: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
})

export const allowanceHeaders = ({ limit, remaining, resetS }: Allowance) => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetS),
})

/** The refusal for who asked too often. */
export const rateLimited = (left: Allowance) =>
  new Refusal('rate_limited', 'Too many requests. Try again later.', undefined, {
    'retry-after': String(left.resetS),
    ...allowanceHeaders({ ...left, remaining: 0 }),
  })
