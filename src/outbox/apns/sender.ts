import { createHash, type KeyObject } from 'node:crypto'
import { minutes } from '../../lib/time.ts'
import { TryLater, Undeliverable } from '../carrier.ts'
import { ChannelGone, type ChannelTargets, type Notification, type PushSender } from '../push.ts'
import { retryAfterMs } from '../retry-after.ts'
import { isUrgent, keptForS, shownText } from '../shown-text.ts'
import { type Http2Answer, openHttp2 } from './connection.ts'
import { isDeviceToken } from './device-token.ts'
import { openProviderTokens } from './provider-token.ts'

export const apnsUrls = { production: 'https://api.push.apple.com', sandbox: 'https://api.sandbox.push.apple.com' }

type Deps = {
  key: KeyObject
  keyId: string
  teamId: string
  /** The bundle id of the app. */
  topic: string
  /** The server, without a slash at the end. */
  url: string
  now: () => number
  timeoutMs?: number
  pingEveryMs?: number
  pingTimeoutMs?: number
  /** A certificate authority besides the usual ones. */
  ca?: string
}

// Used because Apple does not name a time.
const calmPauseMs = minutes

/** The device is unknown, or its token is for another environment. */
const goneReasons = new Set(['Unregistered', 'ExpiredToken', 'BadDeviceToken'])
/** Errors of the settings, which the operator has to correct. Until then the delivery is retried. */
const settingReasons = new Set(['BadTopic', 'MissingTopic', 'TopicDisallowed'])

/** Sends to apps on iOS by the Apple Push Notification service, over one HTTP/2 connection. */
export function apnsSender({
  key,
  keyId,
  teamId,
  topic,
  url,
  now,
  timeoutMs = 15_000,
  ...options
}: Deps): PushSender<'apns'> {
  const tokens = openProviderTokens({ key, keyId, teamId, now })
  const connection = openHttp2(new URL(url).origin, { ...options, timeoutMs })
  const path = new URL(url).pathname.replace(/\/$/, '')

  async function send(
    { token: device, since = 0 }: ChannelTargets['apns'],
    headers: Record<string, string>,
    payload: object,
  ): Promise<void> {
    if (!isDeviceToken(device)) throw new ChannelGone('the device token is malformed')
    const post = async (token: string) => {
      const request = {
        ':method': 'POST',
        ':path': `${path}/3/device/${device}`,
        authorization: `bearer ${token}`,
        'apns-topic': topic,
        'apns-expiration': `${Math.floor(now() / 1000) + keptForS}`,
        'content-type': 'application/json',
        ...headers,
      }
      const answer = await connection.request(request, JSON.stringify(payload)).catch((error: Error) => {
        throw new Error(`no answer of APNs (${error.message})`)
      })
      return { ...answer, reason: reasonIn(answer) }
    }
    const token = await tokens.get()
    let answer = await post(token)
    if (answer.status === 403 && answer.reason === 'ExpiredProviderToken') {
      await tokens.forget(token)
      answer = await post(await tokens.get())
    }
    refuse(answer, since, now())
  }

  return {
    // APNs accepts about 1000 simultaneous requests over a connection.
    atOnce: 50,
    async show(target, notification) {
      await send(target, headersOf(notification), payloadOf(notification))
      return null
    },
    /** A background push, which Apple delivers only if the app may run, and not often. */
    async takeBack(target, tag) {
      const headers = { 'apns-push-type': 'background', 'apns-priority': '5', 'apns-collapse-id': collapseId(tag) }
      await send(target, headers, { aps: { 'content-available': 1 }, type: 'take_back', tag })
    },
    close: connection.close,
  }
}

const headersOf = (notification: Notification) => ({
  'apns-push-type': 'alert',
  'apns-priority': isUrgent(notification) ? '10' : '5',
  'apns-collapse-id': collapseId(notification.tag),
})

function payloadOf(notification: Notification) {
  const { kind, tag, chat_id, unread } = notification
  const aps = {
    alert: shownText(notification),
    badge: unread,
    sound: 'default',
    'thread-id': tag,
    'mutable-content': 1,
  }
  return { aps, kind, tag, chat_id }
}

/** A notification replaces an earlier one with the same id: 64 bytes at most. */
export const collapseId = (tag: string): string =>
  /^[\x21-\x7e]{1,64}$/.test(tag) ? tag : createHash('sha256').update(tag).digest('base64url')

function refuse(answer: Http2Answer & { reason: string | null }, since: number, now: number) {
  const { status, headers, reason } = answer
  if (status === 200) return
  const answered = `APNs answered ${status} (${reason ?? 'unknown'})`
  // The device has registered again since Apple took its token for ended: the token is good again.
  if (status === 410 && (endedAt(answer) ?? Infinity) < since) throw new Undeliverable(answered)
  if (status === 410 || (status === 400 && reason !== null && goneReasons.has(reason))) throw new ChannelGone(answered)
  const isFinal = status === 413 || (status === 400 && reason !== null && !settingReasons.has(reason))
  if (isFinal) throw new Undeliverable(answered)
  const retryAfter = headers['retry-after']
  const afterMs = retryAfterMs(retryAfter, now) ?? (status === 429 ? calmPauseMs : null)
  // Too many requests are those to one device.
  const isForAll = reason !== 'TooManyRequests'
  if (afterMs !== null && (status === 429 || status >= 500)) throw new TryLater(answered, afterMs, isForAll)
  throw new Error(answered)
}

/** When Apple found that the token has ended, in milliseconds; null if it does not say so. */
function endedAt({ body }: Http2Answer): number | null {
  const [, timestamp] = /"timestamp"\s*:\s*(\d{1,15})\s*[,}]/.exec(body) ?? []
  return timestamp === undefined ? null : Number(timestamp)
}

/** The reason that APNs names, in a form that is safe to log. */
function reasonIn({ body }: Http2Answer): string | null {
  return /^\s*\{\s*"reason"\s*:\s*"(\w{1,64})"/.exec(body)?.[1] ?? null
}
