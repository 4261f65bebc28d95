import type { Config } from '../../config.ts'

type Given = Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl' | 'dkim'>

/** The way out for mails; null where none are sent. */
export function openMailCarrier({ smtpUrl, mailFrom, publicUrl, dkim }: Given, linkKey: Uint8Array) {
  // The settings come together: `config.ts` sees to it.
  if (smtpUrl === null || mailFrom === null || publicUrl === null) return null
  // Required here: loading the library costs time and memory, and many servers send no mails.
  const { mailCarrier }: typeof import('./carrier.ts') = require('./carrier.ts')
  return mailCarrier({ smtpUrl, from: mailFrom, publicUrl, dkim, linkKey })
}
