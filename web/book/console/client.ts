// Replaces web/console/client.ts in the book: the same client, with a simulated device and a fake server.
import { createClient } from 'convene-client'
import { device } from '../device.ts'

export const client = createClient({ url: location.origin, cookies: false, storage: device, locks: null })
