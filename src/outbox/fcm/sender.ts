import { minutes } from '../../lib/time.ts'
import { TryLater, Undeliverable } from '../carrier.ts'
import { ChannelGone, type Notification, type PushSender } from '../push.ts'
import { retryAfterMs } from '../retry-after.ts'
import { isUrgent, keptForS, shownText } from '../shown-text.ts'
import { openAccessTokens } from './access-token.ts'
import type { ServiceAccount } from './account.ts'
import { whyNoAnswer } from './no-answer.ts'

type Deps = {
  account: ServiceAccount
  /** The server, without a slash at the end. */
  url?: string
  now: () => number
  timeoutMs?: number
}

type Answer = { status: number; retryAfter: string | null; error: FcmError }
/**
 * `code` is FCM's own, `status` that of any Google API, `field` the field of the request that is wrong. `namesToken`: the message
 * says that the device's token is malformed, for which FCM has no code and often names no field. `namesDevice`: too many
 * messages went to this device; the other quotas are those of the project.
 */
type FcmError = {
  code: string | null
  status: string | null
  field: string | null
  namesToken: boolean
  namesDevice: boolean
}

// The time that FCM asks for if it names none.
const quotaPauseMs = minutes

/** Sends to phones by Firebase Cloud Messaging, HTTP v1. */
export function fcmSender({
  account,
  url = 'https://fcm.googleapis.com',
  now,
  timeoutMs = 15_000,
}: Deps): PushSender<'fcm'> {
  const tokens = openAccessTokens({ account, now, timeoutMs })
  const path = `${url}/v1/projects/${account.projectId}/messages:send`

  async function send(message: object): Promise<void> {
    const body = JSON.stringify({ message })
    const token = await tokens.get()
    let answer = await post(token, body)
    if (answer.status === 401 && answer.error.code !== 'THIRD_PARTY_AUTH_ERROR') {
      tokens.forget(token)
      answer = await post(await tokens.get(), body)
    }
    refuse(answer, now())
  }

  async function post(token: string, body: string): Promise<Answer> {
    try {
      const answer = await fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      // Read to its end, so that the connection can be reused.
      const text = await answer.text()
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), error: errorIn(text) }
    } catch (error) {
      throw new Error(`no answer of FCM (${whyNoAnswer(error)})`)
    }
  }

  return {
    atOnce: 20,
    async show({ token }, notification) {
      await send(shown(token, notification))
      return null
    },
    async takeBack({ token }, tag) {
      await send(takenBack(token, tag))
    },
  }
}

function shown(token: string, notification: Notification) {
  const { kind, tag, chat_id, unread, language } = notification
  return {
    token,
    notification: shownText(notification),
    data: { kind, tag, unread: `${unread}`, language, ...(chat_id === null ? {} : { chat_id }) },
    android: {
      collapse_key: tag,
      priority: isUrgent(notification) ? 'HIGH' : 'NORMAL',
      ttl: `${keptForS}s`,
      notification: { tag, notification_count: unread },
    },
    // For tokens of apps on iOS, which FCM forwards to Apple.
    apns: {
      headers: { 'apns-collapse-id': tag },
      payload: { aps: { badge: unread, 'thread-id': tag, 'mutable-content': 1, sound: 'default' } },
    },
  }
}

/** A message that the app sees and the user does not. With the same collapse_key, it replaces a notification that still waits. */
function takenBack(token: string, tag: string) {
  return {
    token,
    data: { type: 'take_back', tag },
    // FCM stops waking up apps for urgent messages that show nothing.
    android: { collapse_key: tag, priority: 'NORMAL', ttl: `${keptForS}s` },
    apns: {
      headers: { 'apns-push-type': 'background', 'apns-priority': '5' },
      payload: { aps: { 'content-available': 1 } },
    },
  }
}

function refuse({ status, retryAfter, error }: Answer, now: number) {
  if (status === 200) return
  const answered = `FCM answered ${status} (${error.code ?? error.status ?? 'unknown'})`
  // A 404 without Google's error is no answer of FCM: FCM_URL leads elsewhere.
  const isGone =
    error.code === 'UNREGISTERED' ||
    error.code === 'SENDER_ID_MISMATCH' ||
    (status === 404 && error.status === 'NOT_FOUND') ||
    (status === 400 && (error.field === 'message.token' || error.namesToken))
  if (isGone) throw new ChannelGone(answered)
  if (status === 400 || status === 413) throw new Undeliverable(answered)
  const afterMs = retryAfterMs(retryAfter, now) ?? (status === 429 ? quotaPauseMs : null)
  if (afterMs !== null && (status === 429 || status >= 500)) throw new TryLater(answered, afterMs, !error.namesDevice)
  throw new Error(answered)
}

/** The error of a Google API (google.rpc.Status), with FCM's details where there are some. */
function errorIn(text: string): FcmError {
  const none: FcmError = { code: null, status: null, field: null, namesToken: false, namesDevice: false }
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return none
  }
  const error = fieldOf(body, 'error')
  const details = fieldOf(error, 'details')
  const list: unknown[] = Array.isArray(details) ? details : []
  const codes = list.map((detail) => word(fieldOf(detail, 'errorCode')))
  const violations = list.flatMap((detail) => fieldOf(detail, 'fieldViolations') ?? [])
  const fields = violations.map((violation) => word(fieldOf(violation, 'field')))
  const message = fieldOf(error, 'message')
  const quotas = list.flatMap((detail) => fieldOf(detail, 'violations') ?? [])
  const exceeded = [message, ...quotas.map((quota) => fieldOf(quota, 'description'))]
  return {
    code: codes.find((code) => code !== null) ?? null,
    status: word(fieldOf(error, 'status')),
    field: fields.find((field) => field !== null) ?? null,
    namesToken: typeof message === 'string' && /registration token is not a valid/i.test(message),
    namesDevice: exceeded.some((text) => typeof text === 'string' && /\bdevice\b.*\b(rate|quota)\b/i.test(text)),
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined

/** A code that is safe to log; null if it is anything else. */
const word = (value: unknown): string | null =>
  typeof value === 'string' && /^[\w.]{1,64}$/.test(value) ? value : null
