import type { Config } from '../../config.ts'
import { fine, type Finding } from './finding.ts'

/** Where webhooks go. Nothing is sent. The path and the query may hold a secret, so they are not shown. */
export function* webhooks({ webhookUrl, webhookPreviousSecret }: Config): Generator<Finding> {
  if (webhookUrl === null) return
  const { origin, protocol } = new URL(webhookUrl)
  yield fine(`webhooks go to ${origin}${protocol === 'http:' ? ', unencrypted' : ''}`)
  if (webhookPreviousSecret !== null) yield fine('webhooks are signed with WEBHOOK_PREVIOUS_SECRET too')
}
