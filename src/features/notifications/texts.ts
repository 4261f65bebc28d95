import type { MailLanguage } from '../../outbox/mail/mails.ts'
import { shownAge } from '../../outbox/telegram/texts.ts'
import type { MessageKind } from '../chats/content.ts'
import type { Preview } from './rules.ts'

export type NotificationContent =
  | { about: 'message'; name: string; kind: MessageKind; text: string | null }
  | { about: 'chat'; name: string }
  | { about: 'review' }
  | { about: 'notice' }
  | { about: 'report'; open: number; oldestMs: number }
  | { about: 'test' }

type Words = { title: string; body: string }
type Texts = {
  message: string
  from(name: string): string
  /** The words for a message that is not only text. */
  kinds: Record<Exclude<MessageKind, 'text'>, string>
  chat: string
  chatFrom(name: string): string
  review: string
  notice: string
  report(open: number, age: string): string
  test: string
}

const texts: Record<MailLanguage, Texts> = {
  en: {
    message: 'New message',
    from: (name) => `${name} sent a message`,
    kinds: { photo: 'Photo' },
    chat: 'New chat',
    chatFrom: (name) => `${name} opened a chat with you`,
    review: 'You have a new review',
    notice: 'There is a decision about your account',
    report: (open, age) => `Open reports: ${open}. The oldest is ${age} old.`,
    test: 'This is a test: notifications arrive here.',
  },
  ru: {
    message: 'Новое сообщение',
    from: (name) => `${name}: новое сообщение`,
    kinds: { photo: 'Фото' },
    chat: 'Новый чат',
    chatFrom: (name) => `${name}: новый чат с вами`,
    review: 'У вас новый отзыв',
    notice: 'Есть решение о вашем аккаунте',
    report: (open, age) => `Открытых жалоб: ${open}. Самой старой ${age}.`,
    test: 'Это проверка: уведомления приходят сюда.',
  },
}

// Lock screens show less, and providers limit a payload to some 4 KiB.
const longest = 200

function shortened(text: string): string {
  const characters = [...text.replaceAll(/\s+/g, ' ')]
  return characters.length <= longest ? characters.join('') : `${characters.slice(0, longest - 1).join('')}…`
}

/** The words that a device shows. Only `full` contains the text of a message, and only `none` leaves out the sender. */
export function wordsOf(
  content: NotificationContent,
  preview: Preview,
  language: MailLanguage,
  community: string,
): Words {
  const say = texts[language]
  switch (content.about) {
    case 'message': {
      if (preview === 'none') return { title: community, body: say.message }
      if (preview === 'name') return { title: community, body: say.from(content.name) }
      const text = shortened(content.text ?? '')
      if (content.kind === 'text') return { title: content.name, body: text }
      const what = say.kinds[content.kind]
      return { title: content.name, body: text === '' ? what : `${what}: ${text}` }
    }
    case 'chat':
      return { title: community, body: preview === 'none' ? say.chat : say.chatFrom(content.name) }
    case 'report':
      return { title: community, body: say.report(content.open, shownAge(content.oldestMs, language)) }
    default:
      return { title: community, body: say[content.about] }
  }
}
