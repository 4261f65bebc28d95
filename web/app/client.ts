import { createClient } from 'convene-client'
import { indexedDb } from 'convene-client/indexeddb'

/**
 * The client of this page's server. The refresh token stays in a cookie that no script can read. What was read last is kept
 * in the browser, so that chats can be read without a network.
 */
export const client = createClient({ url: location.origin, cookies: true, storage: indexedDb() })
