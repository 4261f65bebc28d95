import { Elysia } from 'elysia'

// Unique across restarts by the first part, and cheap: a request's id is for finding it in the log.
const start = Bun.randomUUIDv7('hex').slice(0, 13).replace('-', '')
let count = 0

export const nextRequestId = () => `${start}-${++count}`

/** Gives every response an `x-request-id`. */
export const requestId = new Elysia({ name: 'request-id' }).onRequest(({ set }) => {
  set.headers['x-request-id'] = nextRequestId()
})
