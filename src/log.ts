import { isatty } from 'node:tty'
import pino, { type DestinationStream, type Logger } from 'pino'
import type { Config } from './config.ts'

const stdout = 1

const secrets = ['password', 'current_password', 'new_password', 'init_data']
const tokens = ['token', 'access_token', 'refresh_token', 'authorization', 'cookie']
const people = ['email', 'phone', 'latitude', 'longitude', 'lat', 'lng']
const unsaid = [...secrets, ...tokens, ...people]

/**
 * The log: a JSON object a line on standard output, or coloured text on a terminal. Nothing that could hold a secret or a
 * position is given to it; what might by mistake is cut out all the same. A line is out before the program goes on, so that
 * the last ones before an end are there: those that matter. `to` takes its lines elsewhere.
 */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>, to?: DestinationStream): Logger {
  const terminal = to === undefined && isatty(stdout)
  const options = {
    level: logLevel,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: unsaid.flatMap((name) => [name, `*.${name}`]),
    serializers: { err: told },
    // The pretty printer wants the number.
    formatters: terminal ? {} : { level: (label: string) => ({ level: label }) },
  }
  if (!terminal) return pino(options, to ?? pino.destination({ dest: stdout, sync: true }))
  // Loaded only where somebody looks on.
  const pretty = require('pino-pretty') as typeof import('pino-pretty')
  return pino(options, pretty({ destination: stdout, sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' }))
}

/** Of an error its kind, its words and its place. What else hangs on it may hold what a client sent. */
function told(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack } = error
  return { type: name, code: 'code' in error ? error.code : undefined, message, stack }
}
