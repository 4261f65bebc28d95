import type { Config } from '../../config.ts'

type Given = Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl' | 'dkim'>

/** The carrier of mails; null if none are sent. */
export function openMailCarrier({ smtpUrl, mailFrom, publicUrl, dkim }: Given, linkKey: Uint8Array) {
  // `config.ts` has made sure that these are set together.
  if (smtpUrl === null || mailFrom === null || publicUrl === null) return null
  // Loaded here, because the library costs time and memory, and many servers send no mails.
  const { mailCarrier }: typeof import('./carrier.ts') = require('./carrier.ts')
  return mailCarrier({ smtpUrl, from: mailFrom, publicUrl, dkim, linkKey })
}
