import type { Logger } from 'pino'
import type { JobLeaseStore, openJobLeases } from '../../lib/job-leases.ts'
import { messageOf } from '../../lib/errors.ts'
import { hours, minutes, seconds } from '../../lib/time.ts'
import type { Telegram } from '../../outbox/telegram/api.ts'
import { TelegramError } from '../../outbox/telegram/error.ts'
import type { Bot } from './service.ts'

type Deps = {
  telegram: Pick<Telegram, 'name' | 'updates' | 'useWebhook' | 'usePolling'>
  bot: Pick<Bot, 'receive'>
  leases: ReturnType<typeof openJobLeases>
  store: Pick<JobLeaseStore, 'last'>
  /** The id of this process. */
  node: string
  /** Where the messenger posts updates; null to poll for them. */
  webhook: { url: string; secret: string } | null
  log: Logger
  onUpdate?: (outcome: 'done' | 'repeated' | 'ignored') => void
  now: () => number
  /** Resolves after that time, or once the signal aborts. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

const lease = 'messenger-bot'
const longestPause = minutes
// The webhook is set again from time to time, because another program may have changed it.
const webhookIntervalMs = hours

const timer = async (ms: number, signal: AbortSignal) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const id = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(id)
}

/**
 * Receives the updates of the bot, by polling or by a webhook. One node at a time does so, by a lease, because the messenger
 * refuses a second one that polls.
 */
export function openIntake({
  telegram,
  bot,
  leases,
  store,
  node,
  webhook,
  log,
  onUpdate = () => {},
  now,
  pause = timer,
}: Deps) {
  const stopped = new AbortController()
  const { signal } = stopped
  let running: Promise<void> = Promise.resolve()

  const isMine = async () => (await store.last(lease))?.holder === node

  /** Polls until another node has the lease. Throws what the messenger or the database throws. */
  async function poll() {
    await telegram.usePolling()
    let offset: number | undefined
    while (!signal.aborted && (await isMine())) {
      for (const update of await telegram.updates(offset, signal)) {
        // If this throws, the next poll returns the update again.
        onUpdate(await bot.receive(update))
        offset = update.update_id + 1
      }
    }
  }

  async function keepWebhook({ url, secret }: { url: string; secret: string }) {
    while (!signal.aborted && (await isMine())) {
      await telegram.useWebhook(url, secret)
      await pause(webhookIntervalMs, signal)
    }
  }

  async function holdAndWork() {
    const last = await store.last(lease)
    const taken = await leases.take(lease, Math.max(now(), (last?.at ?? 0) + 1), signal)
    if (!taken.isMine) return
    log.info({ by: webhook === null ? 'polling' : 'webhook' }, 'this node takes the updates of the bot')
    try {
      await (webhook === null ? poll() : keepWebhook(webhook))
    } finally {
      await taken.over(true)
    }
  }

  async function run() {
    let failures = 0
    let logged = ''
    while (!signal.aborted) {
      let askedMs = 0
      try {
        await holdAndWork()
        failures = 0
        logged = ''
      } catch (error) {
        if (signal.aborted) return
        const reason = reasonOf(error)
        // An outage is one line, however long it lasts.
        if (reason !== logged) log.error({ reason }, 'the bot gets no updates')
        logged = reason
        failures++
        askedMs = askedPauseOf(error)
      }
      // Also after a lost lease, so that the nodes do not compete for it in a loop.
      const backoff = Math.min(longestPause, seconds * 2 ** Math.max(0, failures - 1))
      await pause(Math.max(backoff, askedMs), signal)
    }
  }

  /** Learns the bot's name for the list of providers. Links look it up themselves. */
  async function learnName() {
    for (let isKnown = false; !isKnown && !signal.aborted;) {
      try {
        await telegram.name()
        isKnown = true
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'the bot’s name is not known')
        await pause(Math.max(longestPause, askedPauseOf(error)), signal)
      }
    }
  }

  return {
    start() {
      running = run()
      void learnName()
    },

    async stop(): Promise<void> {
      stopped.abort()
      await running
    },
  }
}

/** The pause that Telegram asks for (429); 0 for any other error. */
const askedPauseOf = (error: unknown): number => (error instanceof TelegramError ? (error.retryAfterMs ?? 0) : 0)

function reasonOf(error: unknown): string {
  if (!(error instanceof TelegramError)) return messageOf(error)
  if (error.code === 409) return 'another program asks for the updates of this bot (409)'
  if (error.code === 401 || error.code === 404) return `Telegram does not know MESSENGER_BOT_TOKEN (${error.code})`
  return error.description === '' ? error.message : `${error.message}: ${error.description}`
}
