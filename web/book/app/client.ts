// Replaces web/app/client.ts in the book: the same client, with a simulated device and a fake server.
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
