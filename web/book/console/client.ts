// In the book, this stands in the place of web/console/client.ts: the same client, with a device and a server that are made up.
import { createClient } from 'convene-client'
import { device } from '../device.ts'

export const client = createClient({ url: location.origin, cookies: false, storage: device, locks: null })
