import { hours, minutes, seconds } from '../../lib/time.ts'
import { TryLater, Undeliverable } from '../carrier.ts'
import { ChannelGone, type Notification, type PushSender } from '../push.ts'
import type { BotText, Telegram } from './api.ts'
import { TelegramError } from './error.ts'
import { appLink } from './links.ts'
import { texts } from './texts.ts'

type Deps = {
  telegram: Pick<Telegram, 'name' | 'send' | 'edit' | 'remove'>
  /** The short name of the mini-app; null for the bot's main one. */
  app: string | null
  /** Called when the messenger refuses messages to a chat. */
  refused(messengerId: string): Promise<void>
  now?: () => number
}

// A bot can remove its messages for 48 hours; a little less, as clocks differ.
const removable = 48 * hours - 10 * minutes

/** Shows notifications as messages of the bot. `show` returns the message's number and its date in seconds. */
export function telegramSender({ telegram, app, refused, now = Date.now }: Deps): PushSender<'telegram'> {
  async function textOf({ title, body, chat_id, language }: Notification): Promise<BotText> {
    const url = appLink(await telegram.name(), app, chat_id === null ? null : `chat_${chat_id}`)
    return { title, text: body, button: { text: texts[language].open, url } }
  }

  /** Runs a call to the messenger. Throws errors as `outboxError` gives them. */
  async function attempt<T>(chat: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (error instanceof TelegramError && isGone(error)) await refused(chat)
      throw outboxError(error)
    }
  }

  return {
    atOnce: 8,

    async show({ messenger_id: chat }, notification, replaces) {
      return attempt(chat, async () => {
        const text = await textOf(notification)
        const shown = replaces === null ? null : readShown(replaces)
        if (shown !== null) {
          try {
            await telegram.edit(chat, shown.message_id, text)
            return replaces
          } catch (error) {
            if (isUnchanged(error)) return replaces
            // The user has removed it, or it is too old.
            if (!isRefusedEdit(error)) throw error
          }
        }
        const { message_id, date } = await telegram.send(chat, text)
        return `${message_id}@${date}`
      })
    },

    async takeBack({ messenger_id: chat }, _tag, shown) {
      const message = shown === null ? null : readShown(shown)
      if (message === null) return
      await attempt(chat, async () => {
        try {
          if (now() - message.date * seconds < removable) return await telegram.remove(chat, message.message_id)
        } catch (error) {
          if (!isRefusedEdit(error)) throw error
        }
        try {
          await telegram.edit(chat, message.message_id, { title: null, text: '✓', button: null })
        } catch (error) {
          // It has been removed, or shows the check mark already.
          if (!isRefusedEdit(error)) throw error
        }
      })
    },
  }
}

function readShown(shown: string): { message_id: number; date: number } | null {
  const [, message_id, date] = /^(\d{1,15})@(\d{1,12})$/.exec(shown) ?? []
  return message_id === undefined ? null : { message_id: Number(message_id), date: Number(date) }
}

/** The user has blocked the bot, has never let it write, or is gone. */
export const isGone = ({ code, description }: TelegramError): boolean =>
  code === 403 || (code === 400 && /chat not found|user is deactivated|PEER_ID_INVALID/i.test(description))

const isUnchanged = (error: unknown) =>
  error instanceof TelegramError && error.code === 400 && error.description.includes('message is not modified')

const isRefusedEdit = (error: unknown) => error instanceof TelegramError && error.code === 400 && !isGone(error)

/** The error that tells the outbox whether to remove the channel, to try again, or to give up. */
export function outboxError(error: unknown): unknown {
  if (!(error instanceof TelegramError)) return error
  const { message, code, retryAfterMs } = error
  if (isGone(error)) return new ChannelGone(message)
  if (code === 429) return new TryLater(message, retryAfterMs ?? 5 * seconds, true)
  // 401 and 404 say that the token is wrong, which the operator can change.
  return code === 400 ? new Undeliverable(`${message}: ${error.description}`) : error
}
