import { Elysia } from 'elysia'

// The first part makes ids unique across restarts. They only serve to find a request in the log, so they may be guessable.
const start = Bun.randomUUIDv7('hex').slice(0, 13).replace('-', '')
let count = 0

export const nextRequestId = () => `${start}-${++count}`

/** Gives every response an `x-request-id`. */
export const requestId = new Elysia({ name: 'request-id' }).onRequest(({ set }) => {
  set.headers['x-request-id'] = nextRequestId()
})

/** The request id of an answer. Elysia turns the headers into `Headers` when several cookies are set. */
export function requestIdOf(headers: Record<string, unknown> | Headers): string | undefined {
  const id = headers instanceof Headers ? headers.get('x-request-id') : headers['x-request-id']
  return typeof id === 'string' ? id : undefined
}
