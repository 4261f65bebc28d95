import type { Logger } from 'pino'
import type { JobLeaseStore, openJobLeases } from '../../lib/job-leases.ts'
import { messageOf } from '../../lib/errors.ts'
import { hours, minutes, seconds } from '../../lib/time.ts'
import type { Telegram } from '../../outbox/telegram/api.ts'
import { TelegramError } from '../../outbox/telegram/error.ts'
import type { Bot } from './service.ts'

export type BotIntake = ReturnType<typeof openIntake>

type Deps = {
  telegram: Pick<Telegram, 'name' | 'updates' | 'useWebhook' | 'usePolling'>
  bot: Pick<Bot, 'receive'>
  leases: ReturnType<typeof openJobLeases>
  store: Pick<JobLeaseStore, 'last'>
  /** The id of this process. */
  node: string
  /** Where the messenger posts updates; null to ask it for them. */
  webhook: { url: string; secret: string } | null
  log: Logger
  onUpdate?: (outcome: 'done' | 'repeated' | 'ignored') => void
  now: () => number
  /** Resolves after that time, or once the signal aborts. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

const lease = 'messenger-bot'
const longestPause = minutes
// Somebody else may have changed it.
const webhookAgain = hours

const timer = async (ms: number, signal: AbortSignal) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const id = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(id)
}

/**
 * Lets the updates of the bot come to this server. One node at a time does so, by a lease: the messenger refuses two who ask.
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

  /** Asks for updates until the lease is somebody else's. Throws what the messenger or the database throws. */
  async function poll() {
    await telegram.usePolling()
    let offset: number | undefined
    while (!signal.aborted && (await isMine())) {
      for (const update of await telegram.updates(offset, signal)) {
        // What could not be stored is asked for again.
        onUpdate(await bot.receive(update))
        offset = update.update_id + 1
      }
    }
  }

  async function hook({ url, secret }: { url: string; secret: string }) {
    while (!signal.aborted && (await isMine())) {
      await telegram.useWebhook(url, secret)
      await pause(webhookAgain, signal)
    }
  }

  async function holdAndWork() {
    const last = await store.last(lease)
    const taken = await leases.take(lease, Math.max(now(), (last?.at ?? 0) + 1), signal)
    if (!taken.isMine) return
    log.info({ by: webhook === null ? 'polling' : 'webhook' }, 'this node takes the updates of the bot')
    try {
      await (webhook === null ? poll() : hook(webhook))
    } finally {
      await taken.over(true)
    }
  }

  async function run() {
    let failures = 0
    let said = ''
    while (!signal.aborted) {
      try {
        await holdAndWork()
        failures = 0
        said = ''
      } catch (error) {
        if (signal.aborted) return
        const reason = reasonOf(error)
        // An outage is one line, however long it lasts.
        if (reason !== said) log.error({ reason }, 'the bot gets no updates')
        said = reason
        failures++
      }
      // Also after a lease that was lost: nobody takes it in a loop.
      await pause(Math.min(longestPause, seconds * 2 ** Math.max(0, failures - 1)), signal)
    }
  }

  /** For clients that ask for it: links ask by themselves. */
  async function learnName() {
    for (let isKnown = false; !isKnown && !signal.aborted;) {
      try {
        await telegram.name()
        isKnown = true
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'the bot’s name is not known')
        await pause(longestPause, signal)
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

function reasonOf(error: unknown): string {
  if (!(error instanceof TelegramError)) return messageOf(error)
  if (error.code === 409) return 'another program asks for the updates of this bot (409)'
  if (error.code === 401 || error.code === 404) return `Telegram does not know MESSENGER_BOT_TOKEN (${error.code})`
  return error.description === '' ? error.message : `${error.message}: ${error.description}`
}
