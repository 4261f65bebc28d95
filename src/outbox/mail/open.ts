import type { Config } from '../../config.ts'
import { mailCarrier } from './carrier.ts'

type Given = Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl' | 'dkim'>

/** The way out for mails; null where none are sent. */
export function openMailCarrier({ smtpUrl, mailFrom, publicUrl, dkim }: Given, linkKey: Uint8Array) {
  // The settings come together: `config.ts` sees to it.
  if (smtpUrl === null || mailFrom === null || publicUrl === null) return null
  return mailCarrier({ smtpUrl, from: mailFrom, publicUrl, dkim, linkKey })
}
