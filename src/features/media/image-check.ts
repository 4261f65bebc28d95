import { Value } from '@sinclair/typebox/value'
import { Type } from '@sinclair/typebox'
import { Webhook as Signer } from 'standardwebhooks'
import { codeOf, isTimeout } from '../../lib/errors.ts'
import { semaphore } from '../../lib/semaphore.ts'
import { iso, seconds } from '../../lib/time.ts'

const checkActions = ['allow', 'flag', 'hold', 'refuse'] as const
type CheckAction = (typeof checkActions)[number]

type CheckAnswer = { action: CheckAction; label: string; score: number }

/** The operator's checker of images: a classifier, or people. */
export type ImageCheck = {
  /** Whether an image is held until there is an answer. */
  isRequired: boolean
  /** `id` is the image's; `picture` is WebP. Throws if there is no valid answer. */
  ask(id: string, picture: Uint8Array): Promise<CheckAnswer>
}

type Settings = {
  /** It may hold a secret, so it is never logged. */
  url: string
  secret: string
  isRequired: boolean
  timeoutMs?: number
  now?: () => number
}

// An upload waits for its check.
const atOnce = 8
const waiting = 64
const longestAnswer = 64 * 1024

const answer = Type.Object({
  action: Type.Union(checkActions.map((action) => Type.Literal(action))),
  label: Type.String({ maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]*$' }),
  score: Type.Number({ minimum: 0, maximum: 1 }),
})

/**
 * Posts images to the operator's own server, signed by Standard Webhooks. The body does not reveal the owner. Only an answer
 * with status 200 and the expected JSON counts.
 */
export function openImageCheck({
  url,
  secret,
  isRequired,
  timeoutMs = 5 * seconds,
  now = Date.now,
}: Settings): ImageCheck {
  const signer = new Signer(secret)
  const limited = semaphore({ atOnce, waiting, refuse: () => new Error('too many images are being checked') })

  async function post(body: string, headers: Record<string, string>): Promise<string> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers,
        // A redirect would send the image to a place that the operator did not choose.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (response.status !== 200) {
        await response.body?.cancel().catch(() => {})
        throw new NoAnswer(`the checker answered ${response.status}`)
      }
      return await textOf(response)
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      // Without the URL, which the library's own message contains.
      throw new NoAnswer(isTimeout(error) ? 'the checker did not answer in time' : `no connection (${codeOf(error)})`)
    }
  }

  return {
    isRequired,
    ask: (id, picture) =>
      limited(async () => {
        const at = new Date(now())
        const data = { content_type: 'image/webp', image: Buffer.from(picture).toString('base64') }
        const body = JSON.stringify({ id, type: 'image.check', timestamp: iso(at.getTime()), data })
        const text = await post(body, {
          'content-type': 'application/json',
          'user-agent': 'Convene',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
          'webhook-signature': signer.sign(id, at, body),
        })
        return readAnswer(text)
      }),
  }
}

/** There is no valid answer; the message tells why. */
class NoAnswer extends Error {}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    if (bytes > longestAnswer) throw new NoAnswer('the checker answered too much')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function readAnswer(text: string): CheckAnswer {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    throw new NoAnswer('the checker did not answer JSON')
  }
  if (!Value.Check(answer, read)) throw new NoAnswer('the checker did not answer action, label and score')
  return { action: read.action, label: read.label, score: read.score }
}
