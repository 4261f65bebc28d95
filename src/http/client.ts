import { addressIn } from '../lib/network-address.ts'
import type { Config } from '../config.ts'
import type { Client } from '../features/auth/consents.ts'

/** Where a request comes from. Computed lazily, as few routes need it. */
export type ClientOf = (request: Request) => Client

/**
 * `peerOf` returns the address at the other end of the connection. Behind `trustProxy` proxies, the client's address is that
 * many places from the end of `X-Forwarded-For`. Earlier entries come from the client and cannot be trusted.
 */
export const openClients =
  ({ trustProxy }: Pick<Config, 'trustProxy'>, peerOf: (request: Request) => string | undefined): ClientOf =>
  (request) =>
    new RequestClient(request, trustProxy, peerOf)

// A class, because an object with its own getters takes ten times as long to create, and every request needs one.
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
    return this.#request.headers.get('user-agent') || null
  }

  get language() {
    return this.#request.headers.get('accept-language')
  }
}
