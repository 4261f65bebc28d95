import { createTransport } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { type Carrier, patienceOf, Undeliverable } from '../carrier.ts'
import { linkUrl, unsubscribeUrls } from './links.ts'
import { render } from './render.ts'
import { codeOf } from '../../lib/errors.ts'

export type MailSettings = {
  /** `smtp://` or `smtps://`, with user and password if the server requires them. */
  smtpUrl: string
  /** The name is what mails call the community. */
  from: { name: string; address: string }
  publicUrl: string
  dkim: { domainName: string; keySelector: string; privateKey: string } | null
  /** Derives the tokens of links. */
  linkKey: Uint8Array
  /** How long to wait for a silent server. */
  timeoutMs?: number
}

const signedHeaders =
  'From:Subject:Date:Message-ID:To:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post'

/** Sends mails over a pool of SMTP connections. */
export function mailCarrier({
  smtpUrl,
  from,
  publicUrl,
  dkim,
  linkKey,
  timeoutMs = 15_000,
}: MailSettings): Carrier<'mail'> & {
  /** Connects and signs in without sending anything. Throws if that fails. */
  probe(): Promise<void>
  close(): void
} {
  const options: SMTPPool.Options = {
    pool: true,
    url: smtpUrl,
    maxConnections: 4,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // RFC 8058 requires signed List-Unsubscribe headers, which the library does not sign by default.
    ...(dkim === null ? {} : { dkim: { ...dkim, headerFieldNames: signedHeaders } }),
  }
  const transport = createTransport(options)
  const host = new URL(publicUrl).hostname
  return {
    atOnce: 4,
    patienceMs: patienceOf.mail,
    async deliver({ id, payload: mail }) {
      const unsubscribe = mail.about === 'digest' ? unsubscribeUrls(publicUrl, linkKey, mail.user_id) : null
      const link =
        'link' in mail ? linkUrl(publicUrl, linkKey, mail.link) : unsubscribe === null ? null : `${publicUrl}/`
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: mail.to },
          ...render(mail, { community: from.name, link, unsubscribe: unsubscribe?.page }),
          // The same for every attempt, so that a mail that was accepted twice shows once.
          messageId: `<${id}@${host}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribe !== null && {
              'List-Unsubscribe': { prepared: true, value: `<${unsubscribe.oneClick}>` },
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        })
      } catch (error) {
        throw failureOf(error)
      }
    },
    async probe() {
      try {
        await transport.verify()
      } catch (error) {
        throw failureOf(error)
      }
    },
    close: () => transport.close(),
  }
}

/**
 * An error without the server's message, which may quote the mail. A 5xx answer to the recipient is final; one to the sender
 * says that the settings are wrong, which the operator can change.
 */
function failureOf(error: unknown): Error {
  const code = codeOf(error) || 'unknown'
  const responseCode = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : undefined
  const isAboutRecipient = error instanceof Error && 'command' in error && error.command === 'RCPT TO'
  if (responseCode !== undefined && responseCode >= 500 && isAboutRecipient)
    return new Undeliverable(`the mail server refused the recipient (${responseCode})`)
  return new Error(responseCode === undefined ? `no connection (${code})` : `SMTP ${responseCode} (${code})`)
}
