// In the book, this stands in the place of web/app/client.ts: the same client, with a device and a server that are made up.
import { createClient } from 'convene-client'
import { device } from '../device.ts'

const never = { minMs: 3_600_000, maxMs: 3_600_000 }

export const client = createClient({
  url: location.origin,
  cookies: false,
  storage: device,
  locks: null,
  retry: never,
})
