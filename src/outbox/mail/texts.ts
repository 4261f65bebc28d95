import { type Mail, type MailKind, type MailLanguage } from './mails.ts'

/** What one mail says. Paragraphs are plain text. */
type MailText = {
  subject: string
  paragraphs: string[]
  /** The label of the link, where the mail has one. */
  button?: string
  /** What stands below the link. */
  after?: string[]
}

type Of<About extends MailKind> = Extract<Mail, { about: About }>
type Texts = { [About in MailKind]: (mail: Of<About>, context: { community: string; unsubscribe: string }) => MailText }

const time = (at: number, language: MailLanguage) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at)

/**
 * A user agent without anything that looks like a web address. A client chooses its own user agent, and mail readers turn
 * such text into links.
 */
const shownDevice = (userAgent: string | null) => (userAgent === null ? null : withoutLinks(userAgent))

const withoutLinks = (text: string) =>
  text
    .replaceAll(/\S*(?:\/\/|@|[\p{L}\d-]\.\p{L}{2,})\S*/gu, '…')
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 200)

/** A way to sign in, by name. The name of a passkey comes from the person who added it. */
function shownWayIn({ kind, label, language }: Of<'way_in_added'> | Of<'way_in_removed'>): string {
  if (kind === undefined) return label
  if (kind === 'password') return language === 'ru' ? 'пароль' : 'password'
  return language === 'ru' ? `ключ доступа «${withoutLinks(label)}»` : `Passkey “${withoutLinks(label)}”`
}

const en: Texts = {
  verify: (_, { community }) => ({
    subject: `Confirm your e-mail address for ${community}`,
    paragraphs: ['Somebody, most likely you, made an account with this address. Please confirm that it was you.'],
    button: 'Confirm address',
    after: [
      'The link works once, for 48 hours.',
      'If it was not you, ignore this mail. The account is somebody else’s, who can sign in to it even after you confirm.',
    ],
  }),
  reset: (_, { community }) => ({
    subject: `Set a new password for ${community}`,
    paragraphs: ['Somebody asked for a new password for your account, most likely you.'],
    button: 'Set a new password',
    after: [
      'The link works once, for 1 hour. It ends every session, so you sign in again on all your devices.',
      'If you did not ask for this, ignore this mail: your password stays as it is.',
    ],
  }),
  email_change: (_, { community }) => ({
    subject: `Confirm your new address for ${community}`,
    paragraphs: [
      'Somebody, most likely you, asked to use this address for an account. Please confirm that it was you.',
    ],
    button: 'Use this address',
    after: [
      'The link works once, for 1 hour. Until then your old address stays in use.',
      'If it was not you, ignore this mail. The account is somebody else’s, who can sign in to it even after you confirm.',
    ],
  }),
  email_changed: ({ new_email_hint }, { community }) => ({
    subject: `The e-mail address of your ${community} account is about to change`,
    paragraphs: [
      `Somebody signed in to your account asked to change its address to ${new_email_hint}.`,
      'If this was you, there is nothing to do. If it was not, undo it now: that also ends every session.',
    ],
    button: 'Keep this address',
    after: ['The link works for 7 days.'],
  }),
  password_changed: (_, { community }) => ({
    subject: `Your ${community} password was changed`,
    paragraphs: [
      'The password of your account was changed just now, and other sessions were ended.',
      'If this was not you, set a new password at once with “Forgot password”.',
    ],
  }),
  new_device: ({ user_agent, at, language }, { community }) => ({
    subject: `New sign-in to your ${community} account`,
    paragraphs: [
      'Your account was signed in to from a device that it had not been used on before.',
      `Time: ${time(at, language)} UTC`,
      `Device: ${shownDevice(user_agent) ?? 'unknown'}`,
      'If this was not you, change your password: that ends every other session.',
    ],
  }),
  way_in_added: (mail, { community }) => ({
    subject: `A new way to sign in to your ${community} account`,
    paragraphs: [
      `Your account can now be signed in to with: ${shownWayIn(mail)}.`,
      'If you did not add it, remove it in your settings and change your password.',
    ],
  }),
  way_in_removed: (mail, { community }) => ({
    subject: `A way to sign in to your ${community} account was removed`,
    paragraphs: [
      `Your account can no longer be signed in to with: ${shownWayIn(mail)}.`,
      'If you did not remove it, change your password.',
    ],
  }),
  account_erased: (_, { community }) => ({
    subject: `Your ${community} account was erased`,
    paragraphs: ['Your account and what belonged to it were erased, as asked. This is the last mail to this address.'],
  }),
  digest: ({ messages, chats }, { community, unsubscribe }) => ({
    subject: messages === 1 ? `An unread message on ${community}` : `${messages} unread messages on ${community}`,
    paragraphs: [
      messages === 1
        ? 'You have not read a message yet.'
        : `You have not read ${messages} messages in ${chats === 1 ? 'one chat' : `${chats} chats`} yet.`,
    ],
    button: `Open ${community}`,
    after: ['You get this mail once a day at most. To get no more of them, open this page:', unsubscribe],
  }),
  test: (_, { community }) => ({
    subject: `Test mail from ${community}`,
    paragraphs: ['If you can read this, your server can send mail.'],
  }),
}

const ru: Texts = {
  verify: (_, { community }) => ({
    subject: `Подтвердите адрес почты для ${community}`,
    paragraphs: ['Кто-то, скорее всего вы, создал аккаунт с этим адресом. Пожалуйста, подтвердите, что это были вы.'],
    button: 'Подтвердить адрес',
    after: [
      'Ссылка действует один раз, 48 часов.',
      'Если это были не вы, не обращайте внимания на это письмо. Аккаунт чужой: его владелец сможет входить в него и после подтверждения.',
    ],
  }),
  reset: (_, { community }) => ({
    subject: `Новый пароль для ${community}`,
    paragraphs: ['Кто-то запросил новый пароль для вашего аккаунта — скорее всего, вы сами.'],
    button: 'Задать новый пароль',
    after: [
      'Ссылка действует один раз, 1 час. Все сеансы завершатся, и на каждом устройстве нужно будет войти заново.',
      'Если вы этого не запрашивали, просто не отвечайте: пароль останется прежним.',
    ],
  }),
  email_change: (_, { community }) => ({
    subject: `Подтвердите новый адрес для ${community}`,
    paragraphs: [
      'Кто-то, скорее всего вы, хочет использовать этот адрес для аккаунта. Пожалуйста, подтвердите, что это были вы.',
    ],
    button: 'Использовать этот адрес',
    after: [
      'Ссылка действует один раз, 1 час. До этого остаётся прежний адрес.',
      'Если это были не вы, не обращайте внимания на это письмо. Аккаунт чужой: его владелец сможет входить в него и после подтверждения.',
    ],
  }),
  email_changed: ({ new_email_hint }, { community }) => ({
    subject: `Адрес почты вашего аккаунта ${community} скоро изменится`,
    paragraphs: [
      `В вашем аккаунте запросили смену адреса на ${new_email_hint}.`,
      'Если это были вы, делать ничего не нужно. Если нет, отмените смену сейчас: это завершит и все сеансы.',
    ],
    button: 'Оставить этот адрес',
    after: ['Ссылка действует 7 дней.'],
  }),
  password_changed: (_, { community }) => ({
    subject: `Пароль ${community} изменён`,
    paragraphs: [
      'Пароль вашего аккаунта только что изменили, остальные сеансы завершены.',
      'Если это были не вы, сразу задайте новый пароль через «Забыли пароль».',
    ],
  }),
  new_device: ({ user_agent, at, language }, { community }) => ({
    subject: `Новый вход в аккаунт ${community}`,
    paragraphs: [
      'В ваш аккаунт вошли с устройства, на котором его раньше не использовали.',
      `Время: ${time(at, language)} UTC`,
      `Устройство: ${shownDevice(user_agent) ?? 'неизвестно'}`,
      'Если это были не вы, смените пароль: это завершит все остальные сеансы.',
    ],
  }),
  way_in_added: (mail, { community }) => ({
    subject: `Новый способ входа в аккаунт ${community}`,
    paragraphs: [
      `Теперь в ваш аккаунт можно войти так: ${shownWayIn(mail)}.`,
      'Если вы его не добавляли, удалите его в настройках и смените пароль.',
    ],
  }),
  way_in_removed: (mail, { community }) => ({
    subject: `Способ входа в аккаунт ${community} удалён`,
    paragraphs: [
      `Больше нельзя войти в ваш аккаунт так: ${shownWayIn(mail)}.`,
      'Если вы его не удаляли, смените пароль.',
    ],
  }),
  account_erased: (_, { community }) => ({
    subject: `Ваш аккаунт ${community} удалён`,
    paragraphs: [
      'Ваш аккаунт и всё, что к нему относилось, удалены по вашей просьбе. Это последнее письмо на этот адрес.',
    ],
  }),
  digest: ({ messages, chats }, { community, unsubscribe }) => ({
    subject: `Непрочитанные сообщения (${messages}) — ${community}`,
    paragraphs: [`Непрочитанных сообщений: ${messages}, чатов с ними: ${chats}.`],
    button: `Открыть ${community}`,
    after: ['Это письмо приходит не чаще раза в день. Чтобы больше его не получать, откройте страницу:', unsubscribe],
  }),
  test: (_, { community }) => ({
    subject: `Пробное письмо от ${community}`,
    paragraphs: ['Если вы это читаете, сервер умеет отправлять почту.'],
  }),
}

const texts: Record<MailLanguage, Texts> = { en, ru }

export function textOf(mail: Mail, context: { community: string; unsubscribe: string }): MailText {
  const write = texts[mail.language][mail.about] as (
    mail: Mail,
    context: { community: string; unsubscribe: string },
  ) => MailText
  return write(mail, context)
}
