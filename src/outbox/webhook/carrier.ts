import type { Logger } from 'pino'
import { Webhook as Signer } from 'standardwebhooks'
import { codeOf, isTimeout } from '../../lib/errors.ts'
import { iso, seconds } from '../../lib/time.ts'
import { type Carrier, patienceOf, TryLater, Undeliverable } from '../carrier.ts'
import { retryAfterMs } from '../retry-after.ts'
import type { Parcel } from '../store.ts'

type WebhookSettings = {
  /** The receiver. The URL may contain a secret, so it is never logged. */
  url: string
  /** The newest first: a webhook carries the signature of each. */
  secrets: readonly string[]
  log: Logger
  /** How long the receiver may take to answer. */
  timeoutMs?: number
  now?: () => number
}

/** What is sent: the body that the signatures cover. */
export const webhookBody = ({
  id,
  payload,
  created_at,
}: Pick<Parcel<'webhook'>, 'id' | 'payload' | 'created_at'>): string =>
  JSON.stringify({ id, type: payload.about, timestamp: iso(created_at), data: payload.data })

/** Posts webhooks as Standard Webhooks says (https://www.standardwebhooks.com). Only a 2xx answer counts as received. */
export function webhookCarrier({
  url,
  secrets,
  log,
  timeoutMs = 15 * seconds,
  now = Date.now,
}: WebhookSettings): Carrier<'webhook'> {
  const signers = secrets.map((secret) => new Signer(secret))
  return {
    atOnce: 8,
    patienceMs: patienceOf.webhook,
    async deliver(parcel) {
      const body = webhookBody(parcel)
      // The time of this attempt, because receivers refuse old signatures.
      const at = new Date(now())
      const answer = await post(body, {
        'content-type': 'application/json',
        'user-agent': 'Convene',
        'webhook-id': parcel.id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signers.map((signer) => signer.sign(parcel.id, at, body)).join(' '),
      })
      if (answer.ok) return
      if (answer.status === 410) {
        log.error(
          { parcel: parcel.id, type: parcel.payload.about },
          'the receiver of webhooks answers 410 Gone: this one is dropped. Change WEBHOOK_URL, or leave it out',
        )
        throw new Undeliverable('the receiver answered 410')
      }
      throw failureOf(answer, now())
    },
  }

  async function post(body: string, headers: Record<string, string>): Promise<Response> {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body,
        headers,
        // A redirect would send the webhook to a server that the operator did not choose.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      // The content is not needed, and may be long.
      await answer.body?.cancel().catch(() => {})
      return answer
    } catch (error) {
      // The message contains neither the URL nor the library's message, which may contain it.
      throw new Error(isTimeout(error) ? 'the receiver did not answer in time' : `no connection (${codeOf(error)})`)
    }
  }
}

function failureOf({ status, headers }: Response, now: number): Error {
  const message = `the receiver answered ${status}`
  const wait = status === 429 || status === 503 ? retryAfterMs(headers.get('retry-after'), now) : null
  return wait === null ? new Error(message) : new TryLater(message, wait)
}
