import { isatty } from 'node:tty'
import type { Logger } from 'pino'

const stdin = 0
// SIGHUP means that the terminal was closed. Without a terminal, it is a request to reload the settings, or nohup, under which the
// server has to survive.
const hangup = ['SIGHUP'] as const
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT', ...(isatty(stdin) ? hangup : [])] as const
const reloadSignals = isatty(stdin) ? [] : hangup
// By default each of them would end the process at once, without finishing requests.
const ignoredSignals = ['SIGUSR1', 'SIGUSR2'] as const

/** What the server does at a signal. A later handler replaces the one before it. */
export function openSignals(log: Logger) {
  let reload = () => log.warn('SIGHUP ignored: the server is still starting')
  let stop: ((signal: string) => void) | null = null
  for (const signal of ignoredSignals)
    process.on(signal, () =>
      log.warn({ signal }, 'signal ignored: SIGHUP reloads the settings, SIGTERM stops the server'),
    )
  for (const signal of reloadSignals) process.on(signal, () => reload())
  return {
    onReload(handler: () => void) {
      reload = handler
    },
    /** Until the first call, these signals end the process at once. */
    onStop(handler: (signal: string) => void) {
      if (stop === null) for (const signal of stopSignals) process.on(signal, () => stop?.(signal))
      stop = handler
    },
  }
}

/** An uncaught error is a defect after which the state is uncertain: it is logged and ends the process. */
export function endOnUncaught(log: Logger) {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, 'uncaught error: the server stops')
      process.exit(1)
    })
}
