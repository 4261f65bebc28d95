import { Elysia } from 'elysia'
import type { Caller } from '../features/auth/callers.ts'
import type { Client } from '../features/auth/consents.ts'
import { allowanceHeaders, holderOf, type LimitName, type Limits, limitTable } from '../lib/rate-limits.ts'

/**
 * `limit: 'search'` on a route counts its requests against that limit, by account or by address, before its input is
 * validated; `limit: ['send', 'send_day']` counts against each, and the headers report the one with the least left.
 * Refusal: 429 `rate_limited`.
 */
export const rateLimit = ({ limits, enabled }: { limits: Limits; enabled: boolean }) =>
  new Elysia({ name: 'rate-limit' }).macro({
    limit: (names: LimitName | LimitName[]) => ({
      // For the documentation, which is the same when limits are off.
      detail: { limit: [names].flat() },
      ...(enabled && { transform: counting(limits, [names].flat()) }),
    }),
  })

// A macro does not see the types of the guard's context, so what the guard adds is optional here. The parameters are
// destructured in the list, because Elysia reads there what a request needs.
const counting =
  (limits: Limits, names: readonly LimitName[]) =>
  async ({ caller, client, set }: { caller?: Caller; client?: Client; set: { headers: object } }) => {
    if (client === undefined) throw new Error('a limit needs the guard before it')
    const keyOf = (name: LimitName) =>
      limitTable[name].by === 'account' && caller ? caller.id : holderOf(client.address)
    // Concurrently, so that they share a round trip to Redis.
    const left = await Promise.all(names.map((name) => limits.take(name, keyOf(name))))
    const [least] = left.filter((each) => each !== null).toSorted((a, b) => a.remaining - b.remaining)
    if (least) Object.assign(set.headers, allowanceHeaders(least))
  }
