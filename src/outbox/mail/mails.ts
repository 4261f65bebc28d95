/** The languages that mails are written in. */
export const mailLanguages = ['en', 'ru'] as const
export type MailLanguage = (typeof mailLanguages)[number]

/** Where a mail's link leads, below PUBLIC_URL. The token is in the fragment, which appears in no log. */
export const linkPaths = {
  verify: '/verify',
  reset: '/reset',
  email_undo: '/email-undo',
  unsubscribe: '/unsubscribe',
} as const
export type LinkKind = keyof typeof linkPaths

/** The data of a mail, without its texts. No token is stored: it is derived from `link.id` when the mail is sent. */
export type Mail = { to: string; language: MailLanguage } & MailContent

export type MailContent =
  | { about: 'verify' | 'reset' | 'email_change'; link: Link }
  | { about: 'email_changed'; link: Link; new_email_hint: string }
  | { about: 'password_changed' | 'account_erased' | 'test' }
  | { about: 'new_device'; user_agent: string | null; at: number }
  | { about: 'way_in_added' | 'way_in_removed'; kind?: 'passkey' | 'password'; label: string }
  /** What a user has not read. It names nobody, because who may be named can change before it is delivered. */
  | { about: 'digest'; user_id: string; messages: number; chats: number }

export type Link = { kind: LinkKind; id: string }
export type MailKind = Mail['about']

export const mailKinds: readonly MailKind[] = [
  'verify',
  'reset',
  'email_change',
  'email_changed',
  'password_changed',
  'new_device',
  'way_in_added',
  'way_in_removed',
  'account_erased',
  'digest',
  'test',
]

/** The language of a mail to somebody whose preferred language is this BCP 47 tag. */
export function mailLanguageOf(language: string): MailLanguage {
  const primary = language.toLowerCase().split('-')[0]
  return mailLanguages.find((known) => known === primary) ?? 'en'
}

/** An address, masked for somebody who may not be its owner: `a…@example.org`. */
export function emailHint(email: string): string {
  const [name = '', domain = ''] = email.split('@')
  return `${[...name][0] ?? ''}…@${domain}`
}

/** A mail with made-up data: for previews and tests. */
export function sampleMail(about: MailKind, language: MailLanguage): Mail {
  const to = 'ada@example.org'
  const id = '019aa5c7-0000-7000-8000-000000000000'
  switch (about) {
    case 'verify':
    case 'email_change':
      return { to, language, about, link: { kind: 'verify', id } }
    case 'reset':
      return { to, language, about, link: { kind: 'reset', id } }
    case 'email_changed':
      return { to, language, about, link: { kind: 'email_undo', id }, new_email_hint: 'a…@example.com' }
    case 'new_device':
      return { to, language, about, user_agent: 'Firefox 151 on Linux', at: Date.UTC(2026, 10, 22, 14, 3) }
    case 'way_in_added':
    case 'way_in_removed':
      return { to, language, about, kind: 'passkey', label: 'Phone' }
    case 'digest':
      return { to, language, about, user_id: id, messages: 3, chats: 2 }
    case 'password_changed':
    case 'account_erased':
    case 'test':
      return { to, language, about }
  }
}
