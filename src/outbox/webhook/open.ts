import type { Logger } from 'pino'
import type { Config } from '../../config.ts'

type Given = Pick<Config, 'webhookUrl' | 'webhookSecret' | 'webhookPreviousSecret'>

/** The carrier of webhooks; null if WEBHOOK_URL is not set. */
export function openWebhookCarrier(
  { webhookUrl, webhookSecret, webhookPreviousSecret }: Given,
  log: Logger,
  now: () => number,
) {
  // `config.ts` has made sure that these are set together.
  if (webhookUrl === null || webhookSecret === null) return null
  const secrets = [webhookSecret, webhookPreviousSecret].filter((secret) => secret !== null)
  // Loaded here, so that a server without webhooks does not load the library.
  const { webhookCarrier }: typeof import('./carrier.ts') = require('./carrier.ts')
  return webhookCarrier({ url: webhookUrl, secrets, log, now })
}
