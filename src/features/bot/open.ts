import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { messageOf } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import type { JobLeaseStore, openJobLeases } from '../../lib/job-leases.ts'
import type { Counter } from '../../lib/rate-limits.ts'
import { botCarrier } from '../../outbox/telegram/carrier.ts'
import { sharedPace } from '../../outbox/telegram/pace.ts'
import { telegramSender } from '../../outbox/telegram/sender.ts'
import { openIntake } from './intake.ts'
import { botPermissions } from './permissions.ts'
import { botService } from './service.ts'
import type { BotStore } from './store.ts'

type Deps = {
  config: Pick<Config, 'messengerBot' | 'messengerBotToken' | 'messengerApp' | 'messengerApiUrl' | 'publicUrl'>
  storage: { bot: BotStore; jobLeases: JobLeaseStore }
  /** The secrets of the webhook are derived from it. */
  key: Uint8Array
  /** Counts for all nodes; null for a single one. */
  counter: Counter | null
  leases: ReturnType<typeof openJobLeases>
  node: string
  log: Logger
  metrics: { botUpdate(outcome: 'done' | 'repeated' | 'ignored'): void }
  ids: Ids
  now: () => number
}

/** Where the messenger posts updates, below `PUBLIC_URL`. */
const updatesPath = '/api/v1/messenger/updates/'

/** The bot with all its parts. Without `MESSENGER_BOT` it does nothing and may write to nobody. */
export function openBot({ config, storage, key, counter, leases, node, log, metrics, ids, now }: Deps) {
  const { messengerBot: isOn, messengerBotToken: token, messengerApp: app, messengerApiUrl, publicUrl } = config
  const permissions = botPermissions({ store: storage.bot, isOn, now })
  if (!isOn || token === null)
    return {
      permissions,
      sender: null,
      carrier: null,
      intake: null,
      door: null,
      name: () => null,
      receive: null,
      reminderParcels: () => [],
      settled: async () => {},
    }

  // Loaded here, so that a server without a bot does not load the libraries.
  const { openTelegram }: typeof import('../../outbox/telegram/api.ts') = require('../../outbox/telegram/api.ts')
  const telegram = openTelegram({ token, apiUrl: messengerApiUrl, now, ...(counter && { pace: sharedPace(counter) }) })
  const failed = (error: unknown) => log.warn({ reason: messageOf(error) }, 'the bot could not answer')
  const bot = botService({ store: storage.bot, telegram, permissions, app, failed, ids, now })
  const secret = (purpose: string) =>
    new Bun.CryptoHasher('sha256', key).update(`convene bot ${purpose} v1\0${token}`).digest('base64url')
  // Telegram itself posts to https only; a self-hosted Bot API server posts to any address.
  const isReachable = publicUrl !== null && (publicUrl.startsWith('https:') || !isTelegrams(messengerApiUrl))
  const path = secret('path')
  const receive = async (update: unknown) => metrics.botUpdate(await bot.receive(update))
  const webhook = isReachable ? { url: `${publicUrl}${updatesPath}${path}`, secret: secret('token') } : null
  return {
    permissions,
    /** Shows notifications in the chats with the bot. */
    sender: telegramSender({ telegram, app, refused: permissions.refused, now }),
    carrier: botCarrier(bot),
    intake: openIntake({
      telegram,
      bot,
      leases,
      store: storage.jobLeases,
      node,
      webhook,
      log,
      onUpdate: metrics.botUpdate,
      now,
    }),
    door: webhook && { path, secret: webhook.secret, receive },
    /** The bot's user name, without the @; null while it is not known. */
    name: telegram.knownName,
    receive: bot.receive,
    reminderParcels: bot.reminderParcels,
    settled: bot.settled,
  }
}

const isTelegrams = (apiUrl: string) => new URL(apiUrl).hostname === 'api.telegram.org'
