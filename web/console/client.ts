import { createClient } from 'convene-client'
import { indexedDb } from 'convene-client/indexeddb'
import { readClock } from '../shared/clock.ts'

/**
 * The client of this page's server. It shares its session with the app in the same browser. The console opens no socket, so that
 * moderators do not appear online while they work.
 */
export const client = createClient({
  url: location.origin,
  cookies: true,
  storage: indexedDb(),
  async fetch(url, init) {
    const response = await fetch(url, init)
    readClock(response)
    return response
  },
})
