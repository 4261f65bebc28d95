import { timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import { minutes } from '../lib/time.ts'

// No kind of message begins with it, so nodes of releases without signatures ignore the message.
const mark = '1'
const macLength = 22
// The tolerated difference between the clocks of nodes.
const validFor = 5 * minutes
const logEvery = minutes

type Deps = { key: Uint8Array; log: Pick<Logger, 'warn'>; now?: () => number }

/**
 * Messages between the nodes of one service, with a MAC over the channel, the time and the text. Somebody who can write to
 * Redis, but does not have the nodes' secret, can neither forge a message, nor move one to another channel, nor replay one
 * after more than five minutes. Form: `1`, 22 characters of HMAC-SHA256 in base64url, the milliseconds in base 36, a
 * space, the text.
 */
export function openSignatures({ key, log, now = Date.now }: Deps) {
  let refused = 0
  let unlogged = 0
  let loggedAt: number | null = null

  const macOf = (channel: string, timed: string) =>
    new Bun.CryptoHasher('sha256', key).update(`${channel}\n${timed}`).digest('base64url').slice(0, macLength)

  function refuse(): null {
    refused++
    unlogged++
    const at = now()
    if (loggedAt === null || Math.abs(at - loggedAt) >= logEvery) {
      log.warn(
        { count: unlogged },
        'messages in Redis were dropped, because no node of this service signed them in the last five minutes: check who can write there, REDIS_URL, and the clocks of the nodes',
      )
      loggedAt = at
      unlogged = 0
    }
    return null
  }

  return {
    sign(channel: string, text: string): string {
      const timed = `${now().toString(36)} ${text}`
      return mark + macOf(channel, timed) + timed
    },

    /** The text of a message; null unless a node has signed it for this channel recently. */
    read(channel: string, message: string): string | null {
      const mac = message.slice(1, 1 + macLength)
      const timed = message.slice(1 + macLength)
      const space = timed.indexOf(' ')
      const expected = macOf(channel, timed)
      // Compared as bytes, because characters outside base64 may take several.
      const [given, wanted] = [Buffer.from(mac), Buffer.from(expected)]
      if (message[0] !== mark || space < 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted))
        return refuse()
      if (!(Math.abs(now() - parseInt(timed.slice(0, space), 36)) < validFor)) return refuse()
      return timed.slice(space + 1)
    },

    /** How many messages were dropped. */
    refused: () => refused,
  }
}

export type Signatures = ReturnType<typeof openSignatures>
