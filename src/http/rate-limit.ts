import { type Context, Elysia } from 'elysia'
import type { Caller } from '../features/auth/callers.ts'
import type { Client } from '../features/auth/consents.ts'
import { allowanceHeaders, holderOf, type LimitName, type Limits, limitTable } from '../limits.ts'

/**
 * `limit: 'search'` on a route counts its requests against that limit, by account or by address, before its input is
 * validated. Refusal: 429 `rate_limited`.
 */
export const rateLimit = ({ limits, enabled }: { limits: Limits; enabled: boolean }) =>
  new Elysia({ name: 'rate-limit' }).macro({
    limit: (name: LimitName) => ({
      detail: { limit: name },
      ...(enabled && {
        async transform(context: { set: Context['set'] }) {
          const { caller, client, set } = context as typeof context & { caller?: Caller; client: Client }
          const key = limitTable[name].by === 'account' && caller ? caller.id : holderOf(client.address)
          const left = await limits.take(name, key)
          if (left) Object.assign(set.headers, allowanceHeaders(left))
        },
      }),
    }),
  })
