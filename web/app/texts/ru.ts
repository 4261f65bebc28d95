import type { Translation } from '../../shared/texts.ts'
import type { en } from './en.ts'

export const ru: Translation<typeof en> = {
  'app.name': 'Convene',
  'app.loading': 'Загрузка',
  'app.back': 'Назад',
  'app.close': 'Закрыть',
  'app.retry': 'Повторить',
  'app.offline': 'Нет связи. Написанное уйдёт, когда она вернётся.',
  'app.failed': 'Не получилось.',
  'app.notFound': 'Такой страницы нет.',
  'places.nearby': 'Рядом',
  'places.chats': 'Чаты',
  'places.me': 'Я',
  'places.navigation': 'Разделы',
  'places.unread': {
    one: '{count} непрочитанное сообщение',
    few: '{count} непрочитанных сообщения',
    many: '{count} непрочитанных сообщений',
    other: '{count} непрочитанного сообщения',
  },
}
