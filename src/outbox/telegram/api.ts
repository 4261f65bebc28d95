import { autoRetry } from '@grammyjs/auto-retry'
import { apiThrottler } from '@grammyjs/transformer-throttler'
import { Api, GrammyError } from 'grammy'
import type { Update } from 'grammy/types'
import { codeOf } from '../../lib/errors.ts'
import { seconds } from '../../lib/time.ts'
import { TelegramError } from './error.ts'

/** A message with one button, which opens a link. The first line is bold. */
export type BotText = { title: string | null; text: string; button: { text: string; url: string } | null }

export type Telegram = ReturnType<typeof openTelegram>

type Options = {
  token: string
  /** Without a slash at its end. */
  apiUrl: string
  /** Waits until the next message may be sent, if several nodes send. */
  pace?: (chat: string) => Promise<void>
  /** The time between two messages to one chat. */
  pauseInChatMs?: number
  now?: () => number
}

/** How long one request for updates waits at Telegram for the next. */
const pollS = 25
// Telegram accepts 4096 characters.
const longestText = 3500
const retriedWithinS = 3
const allowed_updates = ['message', 'my_chat_member'] as const

/** The Bot API as the server uses it: within Telegram's limits, and with errors that hold no secret. */
export function openTelegram({
  token,
  apiUrl,
  pace = async () => {},
  pauseInChatMs = seconds,
  now = Date.now,
}: Options) {
  const api = new Api(token, {
    apiRoot: apiUrl,
    timeoutSeconds: pollS + 20,
    // The library's type is that of node-fetch. A redirect would carry the token, which is part of the path, elsewhere.
    fetch: ((url: string, init: RequestInit) => fetch(url, { ...init, redirect: 'error' })) as never,
  })
  // Short waits are done here. After a longer one, the outbox sends the message again.
  api.config.use(
    autoRetry({
      maxDelaySeconds: retriedWithinS,
      maxRetryAttempts: 1,
      rethrowHttpErrors: true,
      rethrowInternalServerErrors: true,
    }),
  )
  // Telegram does not say whether the chat or the bot has to wait, and messages in between prolong the pause of a bot.
  let pausedUntil = 0
  api.config.use(async (proceed, method, payload, signal) => {
    if (!('chat_id' in payload)) return proceed(method, payload, signal)
    const rest = pausedUntil - now()
    if (rest > 0) return refusedForNow(rest)
    const answer = await proceed(method, payload, signal)
    if (!answer.ok && answer.error_code === 429 && answer.parameters?.retry_after !== undefined)
      pausedUntil = Math.max(pausedUntil, now() + answer.parameters.retry_after * seconds)
    return answer
  })
  // 25 messages a second over all, one a second in a chat.
  api.config.use(
    apiThrottler({
      global: { reservoir: 25, reservoirRefreshAmount: 25, reservoirRefreshInterval: seconds },
      out: { maxConcurrent: 1, minTime: pauseInChatMs },
    }),
  )

  async function call<T>(method: () => Promise<T>): Promise<T> {
    try {
      return await method()
    } catch (error) {
      throw failureOf(error, token)
    }
  }

  let asked: Promise<string> | null = null
  let known: string | null = null

  const optionsOf = ({ title, button }: BotText) => ({
    ...(title !== null && title !== '' && { entities: [{ type: 'bold' as const, offset: 0, length: title.length }] }),
    ...(button !== null && { reply_markup: { inline_keyboard: [[{ text: button.text, url: button.url }]] } }),
    link_preview_options: { is_disabled: true },
  })
  const textOf = ({ title, text }: BotText) => cut([title, text].filter(Boolean).join('\n'))

  return {
    /** The bot's user name, without the @. Asked for once. */
    async name(): Promise<string> {
      asked ??= call(() => api.getMe()).then(({ username }) => (known = username))
      try {
        return await asked
      } catch (error) {
        asked = null
        throw error
      }
    },

    /** The same, or null if Telegram has not answered yet. */
    knownName: () => known,

    async send(chat: string, text: BotText): Promise<{ message_id: number; date: number }> {
      await pace(chat)
      const { message_id, date } = await call(() => api.sendMessage(chat, textOf(text), optionsOf(text)))
      return { message_id, date }
    },

    async edit(chat: string, messageId: number, text: BotText): Promise<void> {
      await pace(chat)
      await call(() => api.editMessageText(chat, messageId, textOf(text), optionsOf(text)))
    },

    async remove(chat: string, messageId: number): Promise<void> {
      await pace(chat)
      await call(() => api.deleteMessage(chat, messageId))
    },

    /** The updates from `offset` on; waits for the next if there is none. Confirms all earlier ones. */
    updates: (offset: number | undefined, signal: AbortSignal): Promise<Update[]> =>
      // The library's type is that of a polyfill, which the platform's own signal fits.
      call(() => api.getUpdates({ offset, timeout: pollS, allowed_updates }, signal as never)),

    /** Updates come one at a time, so that the later of `/start` and `/stop` counts. */
    useWebhook: (url: string, secret_token: string): Promise<true> =>
      call(() => api.setWebhook(url, { secret_token, allowed_updates, max_connections: 1 })),

    usePolling: (): Promise<true> => call(() => api.deleteWebhook()),
  }
}

const cut = (text: string) =>
  text.length <= longestText ? text : `${text.slice(0, longestText).toWellFormed().trimEnd()}…`

/** What Telegram would answer, so that the message waits as long as if it had been asked. */
const refusedForNow = (ms: number) => ({
  ok: false as const,
  error_code: 429,
  description: 'Too Many Requests',
  parameters: { retry_after: Math.ceil(ms / seconds) },
})

function failureOf(error: unknown, token: string): Error {
  if (error instanceof GrammyError) {
    const { method, error_code, parameters } = error
    const description = error.description.replaceAll(token, '…').slice(0, 200)
    const wait = parameters.retry_after === undefined ? null : parameters.retry_after * seconds
    return new TelegramError(`Telegram answered ${error_code} to ${method}`, error_code, description, wait)
  }
  const cause = typeof error === 'object' && error !== null && 'error' in error ? error.error : error
  return new TelegramError(`no connection to Telegram (${codeOf(cause) || nameOf(cause)})`)
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'unknown')
