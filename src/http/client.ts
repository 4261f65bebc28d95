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
  (request) =>
    new RequestClient(request, trustProxy, peerOf)

// A class, as one is made for each request: an object with getters of its own costs ten times as much.
class RequestClient implements Client {
  readonly #request: Request
  readonly #trustProxy: number
  readonly #peerOf: (request: Request) => string | undefined

  constructor(request: Request, trustProxy: number, peerOf: (request: Request) => string | undefined) {
    this.#request = request
    this.#trustProxy = trustProxy
    this.#peerOf = peerOf
  }

  get address() {
    const { headers } = this.#request
    const forwarded =
      this.#trustProxy > 0 ? headers.get('x-forwarded-for')?.split(',').at(-this.#trustProxy) : undefined
    return addressIn(forwarded?.trim() ?? '') ?? this.#peerOf(this.#request) ?? ''
  }

  get user_agent() {
    return this.#request.headers.get('user-agent')
  }

  get language() {
    return this.#request.headers.get('accept-language')
  }
}
