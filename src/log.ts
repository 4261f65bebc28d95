import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'
import type { Config } from './config.ts'

/**
 * The log: JSON lines on standard output, or coloured text on a terminal. Nothing that could hold a secret or a position
 * is given to it; what might by mistake is cut out all the same.
 */
export function openLog({ logLevel }: Pick<Config, 'logLevel'>): Logger {
  const options = {
    level: logLevel,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: [
      '*.password',
      '*.token',
      '*.access_token',
      '*.refresh_token',
      '*.authorization',
      '*.cookie',
      '*.init_data',
    ],
  }
  if (process.stdout.isTTY)
    return pino(options, pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' }))
  return pino(options, pino.destination({ dest: 1, sync: true }))
}
