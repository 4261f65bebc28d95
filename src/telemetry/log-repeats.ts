import type { LogFn, Logger } from 'pino'
import { minutes } from '../lib/time.ts'

/** At most this many different lines are watched at a time; further ones are logged each time. */
const capacity = 1000
const warn = 40
const fatal = 60

// Fields that differ between occurrences of the same problem, besides those that end in `_id`.
const volatile = new Set(['ms', 'err'])

type Watched = { logger: Logger; args: Parameters<LogFn>; method: LogFn; repeated: number }

/**
 * Limits a repeated warning or error to one line per minute: logs the first one at once, and then, at the end of each minute with
 * repetitions, the last one with their number in `repeated`. Two lines are the same if they differ only in ids, times and numbers
 * within an error's message. Fatal lines are always logged.
 */
export function foldRepeats() {
  const watched = new Map<string, Watched>()

  function logRepeats(key: string): void {
    const line = watched.get(key)
    if (!line || line.repeated === 0) return void watched.delete(key)
    const { logger, args, method, repeated } = line
    line.repeated = 0
    const [first, ...rest]: readonly unknown[] = args
    const withCount =
      typeof first === 'object'
        ? [{ ...first, repeated }, ...rest]
        : [{ repeated }, ...(first === undefined ? [] : [first]), ...rest]
    Reflect.apply(method, logger, withCount)
    watch(key)
  }

  const watch = (key: string) => void setTimeout(logRepeats, minutes, key).unref()

  return {
    /** For pino's `hooks.logMethod`. */
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
      if (level < warn || level >= fatal) return method.apply(this, args)
      const key = `${level} ${keyOf(args)}`
      const line = watched.get(key)
      if (line) {
        line.repeated++
        line.args = args
        return
      }
      if (watched.size < capacity) {
        watched.set(key, { logger: this, args, method, repeated: 0 })
        watch(key)
      }
      method.apply(this, args)
    },

    /** Logs the pending repetitions, at the end of the process. */
    flush(): void {
      for (const key of [...watched.keys()]) logRepeats(key)
    },
  }
}

/** The same for all occurrences of one problem. */
function keyOf([first, ...rest]: readonly unknown[]): string {
  if (typeof first !== 'object' || first === null) return JSON.stringify([first, ...rest])
  const fields = Object.entries(first).filter(([name]) => !volatile.has(name) && !name.endsWith('_id'))
  return JSON.stringify([fields, 'err' in first ? errorKeyOf(first.err) : null, ...rest])
}

function errorKeyOf(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error ? error.code : null
  return [error.name, code, error.message.replaceAll(/\d+/g, '#')]
}
