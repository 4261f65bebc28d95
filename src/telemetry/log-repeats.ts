import type { LogFn, Logger } from 'pino'
import { minutes } from '../lib/time.ts'

/** At most this many different lines are watched at a time; further ones are logged each time. */
const capacity = 1000
const warn = 40
const fatal = 60

// What differs between two occurrences of one problem. Every field that ends in `_id` does as well.
const volatile = new Set(['ms', 'err'])

type Watched = { logger: Logger; args: Parameters<LogFn>; method: LogFn; repeated: number }

/**
 * Logs a warning or an error that repeats once a minute: the first one at once, and then, at the end of each minute in which
 * it came again, the last one with the number in `repeated`. Two lines are the same if they differ in ids, times and numbers
 * within an error's message only. Fatal lines always go out.
 */
export function foldRepeats() {
  const watched = new Map<string, Watched>()

  function tell(key: string): void {
    const line = watched.get(key)
    if (!line || line.repeated === 0) return void watched.delete(key)
    const { logger, args, method, repeated } = line
    line.repeated = 0
    const [first, ...rest]: readonly unknown[] = args
    const told =
      typeof first === 'object'
        ? [{ ...first, repeated }, ...rest]
        : [{ repeated }, ...(first === undefined ? [] : [first]), ...rest]
    Reflect.apply(method, logger, told)
    watch(key)
  }

  const watch = (key: string) => void setTimeout(tell, minutes, key).unref()

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

    /** Logs what has repeated since the last minute: for the end of the process. */
    flush(): void {
      for (const key of [...watched.keys()]) tell(key)
    },
  }
}

/** What two occurrences of one problem have in common. */
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
