import { parseArgs } from 'node:util'
import { ConfigError, readConfig } from '../config.ts'
import { ids } from '../lib/ids.ts'
import { mailCarrier } from '../outbox/mail/carrier.ts'
import { linkUrl } from '../outbox/mail/links.ts'
import { type MailKind, mailKinds, type MailLanguage, mailLanguages, sampleMail } from '../outbox/mail/mails.ts'
import { render } from '../outbox/mail/render.ts'
import { UsageError } from './command.ts'

export const help = `usage: convene mail preview KIND [--language en|ru] [--to FILE.html]
       convene mail test ADDRESS

  preview  writes a mail with made-up data to a file (mail-KIND.html)
  test     sends a mail through SMTP_URL, and prints what went wrong if the mail server refuses it

Kinds: ${mailKinds.join(', ')}.`

export async function run(args: string[]): Promise<void> {
  const options = { language: { type: 'string', default: 'en' }, to: { type: 'string' } } as const
  const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
  const [action, what, ...more] = positionals
  if (what === undefined || more.length > 0 || (action !== 'preview' && action !== 'test'))
    throw new UsageError('mail takes preview KIND, or test ADDRESS')
  const language = oneOf<MailLanguage>('--language', values.language, mailLanguages)
  if (action === 'preview') await preview(oneOf<MailKind>('KIND', what, mailKinds), language, values.to)
  else await sendTo(what, language)
}

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value)
  if (found === undefined) throw new UsageError(`${name} must be one of: ${known.join(', ')}`)
  return found
}

async function preview(about: MailKind, language: MailLanguage, file = `mail-${about}.html`) {
  const { publicUrl, mailFrom } = readConfig()
  const mail = sampleMail(about, language)
  const sampleKey = new Uint8Array(32)
  const link = 'link' in mail ? linkUrl(publicUrl ?? 'https://meet.example.org', sampleKey, mail.link) : null
  const { subject, html } = render(mail, { community: mailFrom?.name ?? 'Convene', link })
  await Bun.write(file, html)
  console.log(`${file}: ${subject}`)
}

async function sendTo(to: string, language: MailLanguage) {
  const { smtpUrl, mailFrom, publicUrl, dkim } = readConfig()
  if (smtpUrl === null || mailFrom === null || publicUrl === null)
    throw new ConfigError('SMTP_URL, MAIL_FROM and PUBLIC_URL must be set to send mail')
  if (!/^[^@\s<>"]+@[^@\s<>"]+$/.test(to)) throw new UsageError('ADDRESS must be an e-mail address')
  const carrier = mailCarrier({ smtpUrl, from: mailFrom, publicUrl, dkim, linkKey: new Uint8Array(32) })
  try {
    const payload = { to, language, about: 'test' } as const
    const parcel = { id: ids.next(), kind: 'mail' as const, user_id: null, payload, created_at: 0, due_at: 0 }
    await carrier.deliver({ ...parcel, attempts: 0, last_error: null })
  } finally {
    carrier.close()
  }
  console.log(`The mail server accepted a mail to ${to}.`)
}
