import { createHmac } from 'node:crypto'
import { encryptNotification } from '@block65/webcrypto-web-push'
import { type Outbound, OutboundError } from '../../lib/outbound.ts'
import { TryLater, Undeliverable } from '../carrier.ts'
import { ChannelGone, type Notification, type PushSender } from '../push.ts'
import { retryAfterMs } from '../retry-after.ts'
import { isUrgent, keptForS, shownText } from '../shown-text.ts'
import type { WebPushTarget } from './subscription.ts'
import type { Vapid } from './vapid.ts'

type Deps = {
  vapid: Vapid
  outbound: Outbound
  now: () => number
  /** How long to wait for a push service, including the look-up of its name. */
  timeoutMs?: number
}

/**
 * Sends to browsers by Web Push (RFC 8030, 8291, 8292). It has no `takeBack`: browsers demand that every push shows something
 * (`userVisibleOnly`), and punish sites whose push does not. The app closes what was read when it is open.
 */
export function webPushSender({ vapid, outbound, now, timeoutMs = 15_000 }: Deps): PushSender<'webpush'> {
  return {
    atOnce: 20,
    async show(target, notification) {
      const { endpoint, keys } = target
      const headers = {
        authorization: await vapid.authorization(endpoint),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: `${keptForS}`,
        topic: topicOf(target, notification.tag),
        urgency: isUrgent(notification) ? 'high' : 'normal',
      }
      // Always padded to the same length, so that the push service does not learn how long a text is.
      const body = await encryptNotification({ endpoint, expirationTime: null, keys }, payloadOf(notification)).catch(
        () => {
          throw new ChannelGone('the keys of the subscription are broken')
        },
      )
      const wanted = { method: 'POST' as const, headers, body, maxBytes: 16_384, timeoutMs, keepAlive: true }
      const answer = await outbound.fetch(endpoint, wanted).catch((error: unknown) => {
        throw failureOf(error)
      })
      refuse(answer.status, answer.headers['retry-after'], now())
      return null
    },
    close: outbound.close,
  }
}

/** The content that the service worker reads: see docs/push-providers.md. */
export function payloadOf(notification: Notification): Uint8Array {
  const { kind, tag, chat_id, unread, language } = notification
  return new TextEncoder().encode(JSON.stringify({ ...shownText(notification), kind, tag, chat_id, unread, language }))
}

/**
 * A push that waits at the push service is replaced by a newer one with the same topic: 32 characters of base64url. It is keyed,
 * so that the subscriptions of two people in the same chat do not have it in common.
 */
const topicOf = ({ keys }: WebPushTarget, tag: string): string =>
  createHmac('sha256', Buffer.from(keys.auth, 'base64url')).update(tag).digest('base64url').slice(0, 32)

function refuse(status: number, retryAfter: string | undefined, now: number) {
  if (status >= 200 && status < 300) return
  const answered = `the push service answered ${status}`
  if (status === 404 || status === 410) throw new ChannelGone(answered)
  // Microsoft answers 406 in place of 429.
  if (status === 406 || status === 408 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(retryAfter, now)
    // Too many requests are those to one subscription (RFC 8030, section 8.4).
    throw afterMs === null ? new Error(answered) : new TryLater(answered, afterMs, status >= 500)
  }
  throw new Undeliverable(answered)
}

function failureOf(error: unknown): Error {
  if (!(error instanceof OutboundError)) return new Error('the push could not be sent')
  const failed = `no answer of the push service (${error.reason})`
  // The subscription itself is at fault, so another attempt would fail too.
  const isRefused = ['url', 'host', 'address', 'redirect'].includes(error.reason)
  return isRefused ? new Undeliverable(failed) : new Error(failed)
}
