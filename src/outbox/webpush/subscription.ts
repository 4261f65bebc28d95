import { ECDH } from 'node:crypto'
import type { Outbound } from '../../lib/outbound.ts'
import type { ChannelTargets } from '../push.ts'
import { isRecord } from '../../lib/record.ts'

export type WebPushTarget = ChannelTargets['webpush']

export type SubscriptionProblem = { problem: string }

const longestEndpoint = 2048

/**
 * A subscription as a browser gives it (`PushSubscription.toJSON()`), without fields that are not needed; or what is wrong
 * with it, for the client's developer. What a name resolves to is checked when a push is sent.
 *
 * `publicUrl` is where people reach this server, which must not call itself, but may call a push service beside it that the
 * operator has listed.
 */
export function parseSubscription(
  input: unknown,
  { outbound, publicUrl }: { outbound: Pick<Outbound, 'isPrivate' | 'isListed'>; publicUrl: string | null },
): WebPushTarget | SubscriptionProblem {
  if (!isRecord(input) || !isRecord(input.keys)) return { problem: 'subscription must have endpoint and keys' }
  const { endpoint, keys } = input
  if (typeof endpoint !== 'string' || endpoint.length > longestEndpoint)
    return { problem: `endpoint must be a URL of ${longestEndpoint} characters at most` }
  const url = URL.parse(endpoint)
  if (url === null || url.protocol !== 'https:' || url.hostname === '')
    return { problem: 'endpoint must be an https URL' }
  if (url.username !== '' || url.password !== '') return { problem: 'endpoint must not name a user' }
  if (outbound.isPrivate(url) || (isSameHost(url, publicUrl) && !outbound.isListed(url)))
    return { problem: 'endpoint must be that of a push service' }
  const p256dh = bytesOf(keys.p256dh)
  if (p256dh === null || !isPoint(p256dh))
    return { problem: 'keys.p256dh must be an uncompressed point of P-256, as base64url' }
  const auth = bytesOf(keys.auth)
  if (auth?.length !== 16) return { problem: 'keys.auth must be 16 bytes, as base64url' }
  // Normalised, so that the same subscription is recognised.
  url.hash = ''
  return { endpoint: url.href, keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') } }
}

function isSameHost({ hostname }: URL, publicUrl: string | null): boolean {
  const plain = (name: string) => name.replace(/\.$/, '')
  return publicUrl !== null && plain(hostname) === plain(new URL(publicUrl).hostname)
}

/** Null if it is not base64url, with or without padding. */
function bytesOf(text: unknown): Buffer | null {
  return typeof text === 'string' && text.length <= 100 && /^[\w-]+={0,2}$/.test(text)
    ? Buffer.from(text, 'base64url')
    : null
}

function isPoint(bytes: Buffer): boolean {
  if (bytes.length !== 65 || bytes[0] !== 4) return false
  try {
    // Throws for a point that is not on the curve.
    ECDH.convertKey(bytes, 'prime256v1')
    return true
  } catch {
    return false
  }
}
