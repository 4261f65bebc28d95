import { isatty } from 'node:tty'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config.ts'
import { type LogOutput, openLogOutput } from './log-output.ts'
import { foldRepeats } from './log-repeats.ts'

const stdout = 1

const secrets = ['password', 'current_password', 'new_password', 'init_data']
const tokens = ['token', 'access_token', 'refresh_token', 'authorization', 'cookie']
const people = ['email', 'phone', 'latitude', 'longitude', 'lat', 'lng']
const redacted = [...secrets, ...tokens, ...people]

type Options = {
  /** Where lines go instead of standard output. */
  to?: DestinationStream
  /** Called for each line that is lost because standard output did not accept it. */
  onDropped?: () => void
}

/**
 * The log: one JSON object per line on standard output, or coloured text on a terminal. Callers must not log secrets or
 * positions; fields with such names are redacted in any case. While standard output accepts lines, each is written before the
 * program continues, so that the last lines before an exit are not lost. Logging never fails or blocks.
 */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>, { to, onDropped }: Options = {}): Logger {
  const terminal = to === undefined && isatty(stdout)
  const options = {
    level: logLevel,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: redacted.flatMap((name) => [name, `*.${name}`]),
    serializers: { err: loggedError },
    // The pretty printer needs the number.
    formatters: terminal ? {} : { level: (label: string) => ({ level: label }) },
  }
  const repeats = foldRepeats()
  const hooks = { logMethod: repeats.logMethod }
  if (to !== undefined) return pino({ ...options, hooks }, to)
  // Before the output registers its own handler, which writes what is queued.
  process.on('exit', repeats.flush)
  const output = openLogOutput(stdout, {
    onDropped,
    // Not folded, because each line has a different number.
    onRecovery: (dropped, reason) =>
      pino(options, shown).error(
        { dropped, reason },
        'lines of the log were dropped: standard output did not take them',
      ),
  })
  const shown = terminal ? prettyPrinted(output) : output
  return pino({ ...options, hooks }, shown)
}

function prettyPrinted(output: LogOutput): LogOutput {
  // Loaded only for a terminal.
  const { prettyFactory }: typeof import('pino-pretty') = require('pino-pretty')
  const pretty = prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l' })
  return { write: (line) => output.write(pretty(line)) }
}

/** The type, code, message and stack of an error. Other properties may contain what a client sent. */
function loggedError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack } = error
  return { type: name, code: 'code' in error ? error.code : undefined, message, stack }
}
