import { Elysia } from 'elysia'
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
      // For the documentation, which stays the same where limits are off.
      detail: { limit: name },
      ...(enabled && { transform: counting(limits, name) as unknown as () => Promise<void> }),
    }),
  })

// A macro does not see what the guard puts into the context, hence the cast. The parameters are taken apart in the list,
// as Elysia reads from there what a request needs.
const counting =
  (limits: Limits, name: LimitName) =>
  async ({ caller, client, set }: { caller?: Caller; client: Client; set: { headers: Record<string, unknown> } }) => {
    const key = limitTable[name].by === 'account' && caller ? caller.id : holderOf(client.address)
    const left = await limits.take(name, key)
    if (left) Object.assign(set.headers, allowanceHeaders(left))
  }
