import type { Logger } from 'pino'
import type { Config } from '../../config.ts'

type Given = Pick<Config, 'webhookUrl' | 'webhookSecret' | 'webhookPreviousSecret'>

/** The way out for webhooks; null if there are none. */
export function openWebhookCarrier(
  { webhookUrl, webhookSecret, webhookPreviousSecret }: Given,
  log: Logger,
  now: () => number,
) {
  // The settings come together: `config.ts` sees to it.
  if (webhookUrl === null || webhookSecret === null) return null
  const secrets = [webhookSecret, webhookPreviousSecret].filter((secret) => secret !== null)
  // Required here, so that a server without webhooks does not load the library.
  const { webhookCarrier }: typeof import('./carrier.ts') = require('./carrier.ts')
  return webhookCarrier({ url: webhookUrl, secrets, log, now })
}
