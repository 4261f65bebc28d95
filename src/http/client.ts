import { Elysia } from 'elysia'
import { addressIn } from '../address.ts'
import type { Config } from '../config.ts'
import type { Client } from '../features/auth/consents.ts'

/**
 * Where a request comes from. Behind `trustProxy` proxies the address is that many places from the end of
 * `X-Forwarded-For`: what stands before it was written by the client and may be anything.
 */
export const client = ({ trustProxy }: Pick<Config, 'trustProxy'>) =>
  new Elysia({ name: 'client' }).derive({ as: 'scoped' }, ({ headers, request, server }): { client: Client } => ({
    client: {
      // Asked for by few routes: not looked up for the others.
      get address() {
        const forwarded = trustProxy > 0 ? headers['x-forwarded-for']?.split(',').at(-trustProxy) : undefined
        return addressIn(forwarded?.trim() ?? '') ?? server?.requestIP(request)?.address ?? ''
      },
      user_agent: headers['user-agent'] ?? null,
      language: headers['accept-language'] ?? null,
    },
  }))
