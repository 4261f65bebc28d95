import { addressIn } from '../address.ts'
import type { Config } from '../config.ts'
import type { Client } from '../features/auth/consents.ts'

/** Where a request comes from. Its parts are looked up where they are asked for: by few routes. */
export type ClientOf = (request: Request) => Client

/**
 * `peerOf` answers the address at the other end of the connection. Behind `trustProxy` proxies the client's is that many
 * places from the end of `X-Forwarded-For`: what stands before it was written by the client and may be anything.
 */
export const openClients =
  ({ trustProxy }: Pick<Config, 'trustProxy'>, peerOf: (request: Request) => string | undefined): ClientOf =>
  (request) => ({
    get address() {
      const forwarded = trustProxy > 0 ? request.headers.get('x-forwarded-for')?.split(',').at(-trustProxy) : undefined
      return addressIn(forwarded?.trim() ?? '') ?? peerOf(request) ?? ''
    },
    get user_agent() {
      return request.headers.get('user-agent')
    },
    get language() {
      return request.headers.get('accept-language')
    },
  })
