import { createClient } from 'convene-client'
import { indexedDb } from 'convene-client/indexeddb'
import { isInTelegram } from './telegram/launch.ts'

/**
 * The client of this page's server. In a browser, the refresh token stays in a cookie that no script can read. Telegram shows
 * the app in a frame of its own site, where browsers keep no such cookies. Chats are stored in the browser, so that people can
 * read them without a network.
 */
export const client = createClient({ url: location.origin, cookies: !isInTelegram, storage: indexedDb() })
