import { type Context, setting, textOf } from '../lib/settings.ts'
import { keyFile } from './readers.ts'

/** How mail is sent. */
export const mailSettings = {
  smtpUrl: setting({
    name: 'SMTP_URL',
    type: 'URL',
    default: null,
    help: '`smtp://USER:PASSWORD@HOST:587` or `smtps://…`: [sends mail](docs/accounts.md#mail). Needs `MAIL_FROM` and `PUBLIC_URL` too.',
    secret: true,
    read: smtpUrl,
  }),
  mailFrom: setting({
    name: 'MAIL_FROM',
    type: 'name and address',
    default: null,
    help: 'Sender of mails, such as `Convene <hello@example.org>`. Mails call the community by its name.',
    read: mailFrom,
  }),
  dkim: setting({
    name: 'MAIL_DKIM',
    type: 'domain, selector and file',
    default: null,
    help: '`DOMAIN:SELECTOR:FILE` of a private key in PEM form, to sign mails. Leave it out if the mail server signs them.',
    read: dkimKey,
  }),
}

function smtpUrl(value: string, { env }: Context): string {
  const url = URL.parse(value)
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// with TLS from the start')
  for (const name of ['MAIL_FROM', 'PUBLIC_URL'])
    if (textOf(env, name) === null) throw new Error(`must come with MAIL_FROM and PUBLIC_URL, and ${name} is not set`)
  return value
}

function mailFrom(value: string): { name: string; address: string } {
  const [, quoted, plain, address] = /^(?:"([^"<>]+)"|([^"<>]+?))\s*<([^<>\s@]+@[^<>\s@]+)>$/.exec(value) ?? []
  const name = quoted ?? plain
  // oxlint-disable-next-line no-control-regex -- a line break would begin another header
  if (name === undefined || address === undefined || /[\x00-\x1f]/.test(value))
    throw new Error('must be a name and an address, such as Convene <hello@example.org>')
  return { name, address }
}

function dkimKey(value: string): { domainName: string; keySelector: string; privateKey: string } {
  const [, domainName, keySelector, file] = /^([a-z0-9.-]+):([a-z0-9._-]+):(.+)$/i.exec(value) ?? []
  if (domainName === undefined || keySelector === undefined || file === undefined)
    throw new Error('must be DOMAIN:SELECTOR:FILE, such as example.org:convene:/etc/convene/dkim.pem')
  const privateKey = keyFile(file)
  if (!privateKey.includes('PRIVATE KEY-----'))
    throw new Error(`must name a private key in PEM form, and ${file} holds none`)
  return { domainName, keySelector, privateKey }
}
