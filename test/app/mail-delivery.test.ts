import { afterEach, describe, expect, test } from 'bun:test'
import { Undeliverable } from '../../src/outbox/carrier.ts'
import { mailCarrier, type MailSettings } from '../../src/outbox/mail/carrier.ts'
import { tokenOfLink } from '../../src/outbox/mail/links.ts'
import { type Mail, type MailKind, mailKinds, mailLanguages, sampleMail } from '../../src/outbox/mail/mails.ts'
import { render } from '../../src/outbox/mail/render.ts'
import type { Parcel } from '../../src/outbox/store.ts'
import { certificate, smtpServer } from '../smtp.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const linkKey = new Uint8Array(32).fill(7)

async function serverOf(options?: Parameters<typeof smtpServer>[0]) {
  const server = await smtpServer(options)
  closing.push(server.close)
  return server
}

function carrierOf(smtpUrl: string, given: Partial<MailSettings> = {}) {
  const carrier = mailCarrier({
    smtpUrl,
    from: { name: 'Convene', address: 'hello@example.org' },
    publicUrl: 'https://meet.example.org',
    dkim: null,
    linkKey,
    timeoutMs: 20_000,
    ...given,
  })
  closing.push(carrier.close)
  return carrier
}

const parcelOf = (payload: Mail, id = 'parcel-1'): Parcel<'mail'> => ({
  id,
  kind: 'mail',
  user_id: null,
  payload,
  created_at: 0,
  due_at: 0,
  attempts: 0,
  last_error: null,
})
const reset: Mail = { to: 'ada@example.org', language: 'en', about: 'reset', link: { kind: 'reset', id: 'link-1' } }

describe('a mail', () => {
  test('arrives as text and HTML, with its headers and the token in the fragment of its link', async () => {
    const server = await serverOf()
    await carrierOf(server.url).deliver(parcelOf(reset))
    const mail = await server.received(1)
    expect(mail.recipients).toEqual(['ada@example.org'])
    expect(mail.from?.text).toBe('"Convene" <hello@example.org>')
    expect(mail.subject).toBe('Set a new password for Convene')
    expect(mail.messageId).toBe('<parcel-1@meet.example.org>')
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated')
    expect(mail.headers.has('list-unsubscribe')).toBe(false)
    const link = `https://meet.example.org/reset#token=${tokenOfLink(linkKey, { kind: 'reset', id: 'link-1' })}`
    expect(mail.text).toContain(link)
    expect(mail.html).toContain(`href="${link}"`)
  })

  test('uses STARTTLS or TLS if the server supports it, with a user and a password', async () => {
    const tls = certificate()
    for (const secure of [false, true]) {
      const server = await serverOf({ secure, tls, user: 'convene', password: 'p@ss/word' })
      await carrierOf(`${server.url}?tls.rejectUnauthorized=false`).deliver(parcelOf(reset))
      expect((await server.received(1)).recipients).toEqual(['ada@example.org'])
    }
  })

  test('is not sent to a server with an untrusted certificate', async () => {
    const server = await serverOf({ secure: true, tls: certificate() })
    await expect(carrierOf(server.url).deliver(parcelOf(reset))).rejects.toThrow('no connection')
    expect(server.mails).toEqual([])
  })

  test('is signed by DKIM if a key is set', async () => {
    const server = await serverOf()
    const { privateKey } = await import('node:crypto').then(({ generateKeyPairSync }) =>
      generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      }),
    )
    const dkim = { domainName: 'example.org', keySelector: 'convene', privateKey }
    await carrierOf(server.url, { dkim }).deliver(parcelOf(reset))
    expect((await server.received(1)).raw).toMatch(/^DKIM-Signature: .*d=example\.org;.*s=convene;/ms)
  })
})

describe('a failure', () => {
  test('of the recipient is final, and every other one may be temporary', async () => {
    const server = await serverOf()
    const carrier = carrierOf(server.url)
    server.behave('refuse the recipient')
    await expect(carrier.deliver(parcelOf(reset))).rejects.toEqual(
      new Undeliverable('the mail server refused the recipient (550)'),
    )
    for (const behaviour of ['refuse the sender', 'refuse temporarily', 'cut in the middle', 'hang'] as const) {
      server.behave(behaviour)
      // The client waits only this long for a server that hangs.
      const one = behaviour === 'hang' ? carrierOf(server.url, { timeoutMs: 300 }) : carrier
      const failed = await one.deliver(parcelOf(reset)).then(
        () => null,
        (error: Error) => error,
      )
      expect([behaviour, failed === null, failed instanceof Undeliverable]).toEqual([behaviour, false, false])
      expect(failed!.message).not.toMatch(/ada|secret|token/)
    }
    server.behave('accept')
    await carrier.deliver(parcelOf(reset))
    expect(server.mails).toHaveLength(1)
  })

  test('of the connection or of the login may be temporary, and does not reveal the password', async () => {
    const server = await serverOf({ tls: certificate(), user: 'convene', password: 'right' })
    const wrong = server.url.replace('right', 'hunter2')
    const failures = [`${wrong}?tls.rejectUnauthorized=false`, 'smtp://127.0.0.1:1'].map((url) =>
      carrierOf(url)
        .deliver(parcelOf(reset))
        .then(
          () => null,
          (error: Error) => error,
        ),
    )
    for (const failure of await Promise.all(failures)) {
      expect(failure).not.toBeNull()
      expect(failure).not.toBeInstanceOf(Undeliverable)
      expect(failure!.message).not.toContain('hunter2')
    }
  })
})

describe('the texts', () => {
  const link = 'https://meet.example.org/reset#token=x'
  const cases = mailKinds.flatMap((about) => mailLanguages.map((language) => [about, language] as const))

  test.each(cases)(
    'of %s in %s have a subject, and no image or style from other hosts',
    (about: MailKind, language) => {
      const mail = sampleMail(about, language)
      const { subject, text, html } = render(mail, { community: 'Ada & <Friends>', link: 'link' in mail ? link : null })
      expect(subject.length).toBeGreaterThan(10)
      expect(subject).not.toMatch(/[\r\n]/)
      expect(text.includes(link)).toBe('link' in mail)
      expect(html).not.toMatch(/<img|src=|@import|url\(/)
      expect(html).toContain('Ada &#38; &#60;Friends&#62;')
      expect(html).toContain('prefers-color-scheme: dark')
      expect(/[а-я]/i.test(text)).toBe(language === 'ru')
    },
  )

  test('escape text by other users', () => {
    const mail = {
      to: 'a@example.org',
      language: 'en',
      about: 'new_device',
      user_agent: '<img src=x>"',
      at: 0,
    } as const
    expect(render(mail, { community: 'C', link: null }).html).not.toContain('<img')
  })
})
