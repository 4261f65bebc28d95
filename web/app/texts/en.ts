import type { Texts } from '../../shared/texts.ts'

export const en = {
  'app.name': 'Convene',
  'app.loading': 'Loading',
  'app.back': 'Back',
  'app.close': 'Close',
  'app.retry': 'Try again',
  'app.offline': 'No connection. What you write is sent when it is back.',
  'app.failed': 'That did not work.',
  'app.notFound': 'This page does not exist.',
  'places.nearby': 'Nearby',
  'places.chats': 'Chats',
  'places.me': 'Me',
  'places.navigation': 'Places',
  'places.unread': { one: '{count} unread message', other: '{count} unread messages' },
} satisfies Texts
