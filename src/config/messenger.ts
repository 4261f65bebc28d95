import { type Context, oneOf, setting, textOf, wholeNumber } from '../lib/settings.ts'
import { hostNames } from './readers.ts'

/** The bot. */
export const botSettings = {
  messengerBotToken: setting({
    name: 'MESSENGER_BOT_TOKEN',
    type: 'token',
    default: null,
    help: 'Token of the bot whose mini-app users log in from. Without it, that login answers 503.',
    secret: true,
    read: botToken,
  }),
  /** Whether this server runs the bot. */
  messengerBot: setting({
    name: 'MESSENGER_BOT',
    default: 'off',
    type: 'on or off',
    help: '`on`: this server [runs the bot](docs/telegram-bot.md) of `MESSENGER_BOT_TOKEN`: it answers `/start` and `/stop`, and sends notifications.',
    read: messengerBot,
  }),
  /** Null for the bot's main mini-app. */
  messengerApp: setting({
    name: 'MESSENGER_APP',
    type: 'short name',
    default: null,
    shownDefault: 'the bot’s main mini-app',
    help: 'Short name of the mini-app that the bot’s links open, as BotFather shows it.',
    read: messengerApp,
  }),
  messengerApiUrl: setting({
    name: 'MESSENGER_API_URL',
    type: 'URL',
    default: 'https://api.telegram.org',
    help: 'Address of the Bot API, for a Bot API server of your own.',
    read: (value) => plainUrl(value).replace(/\/+$/, ''),
  }),
}

/** Logins from the mini-app. */
export const miniAppSettings = {
  initDataMaxAgeS: setting({
    name: 'INIT_DATA_MAX_AGE_S',
    unit: 'seconds',
    default: '3600',
    help: 'Maximum age of the init data in a mini-app login, in seconds. `0` accepts any age.',
    ...wholeNumber(0, 31_536_000),
  }),
  /** With their subdomains. */
  messengerPhotoHosts: setting({
    name: 'MESSENGER_PHOTO_HOSTS',
    type: 'host names, separated by commas',
    default: 't.me,telegram.org',
    help: 'Hosts, with their subdomains, from which the server fetches the photos of messenger users, separated by commas.',
    read: hostNames,
  }),
}

function botToken(value: string): string {
  if (value.length < 8 || /\s/.test(value)) throw new Error('must be the token that the messenger gave for the bot')
  return value
}

function messengerBot(value: string, { env }: Context): boolean {
  const isOn = oneOf('on', 'off').read(value) === 'on'
  // The token becomes a part of the path of each call.
  if (isOn && !/^\d+:[\w-]+$/.test(textOf(env, 'MESSENGER_BOT_TOKEN') ?? ''))
    throw new Error('must come with MESSENGER_BOT_TOKEN, as BotFather gives it: digits, a colon and letters')
  return isOn
}

function messengerApp(value: string): string {
  if (!/^\w{3,30}$/.test(value)) throw new Error('must be the short name of a mini-app, such as app')
  return value
}

function plainUrl(value: string): string {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || /[?#]/.test(value))
    throw new Error('must be an http or https URL without a user, a query or a fragment')
  return url.href
}
