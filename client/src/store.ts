import { isTemporary } from './problem.ts'
import type { Problem, Store } from './types.ts'

/** A store that can be set. */
export type Settable<T> = Store<T> & { set(next: T): void; isWatched(): boolean }

/** Calls a listener of the app. An error of it must not stop the others, and is reported like any that nobody catches. */
export function call(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    // Node has no `reportError`.
    const { reportError } = globalThis as { reportError?(error: unknown): void }
    if (reportError) return reportError(error)
    queueMicrotask(() => {
      throw error
    })
  }
}

/** `watched` is called when the first listener subscribes. */
export function createStore<T>(value: T, watched?: () => void): Settable<T> {
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (next === value) return
      value = next
      for (const listener of [...listeners]) call(listener)
    },
    isWatched: () => listeners.size > 0,
    subscribe(listener) {
      // A new function, so that one listener can subscribe twice.
      const own = () => listener()
      listeners.add(own)
      if (listeners.size === 1) watched?.()
      return () => void listeners.delete(own)
    },
  }
}

/** Whether two values of plain data are equal. */
export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

export type Retry = { minMs: number; maxMs: number }

/** Runs a task again after a random time whose limit doubles with each failure, so that clients do not retry all at once. */
export function openRetry({ minMs, maxMs }: Retry, work: () => unknown) {
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  const stop = () => clearTimeout(timer)
  /** Schedules the next attempt, not before `afterMs`. */
  function failed(afterMs = 0, withinMs = 0) {
    stop()
    if (isClosed) return
    const limit = Math.max(withinMs, Math.min(maxMs, minMs * 2 ** ++failures))
    timer = setTimeout(work, afterMs + minMs + Math.random() * (limit - minMs))
  }
  function done() {
    failures = 0
    stop()
  }
  return {
    failed,
    done,
    stop,
    /** Stops for good: a request that is still running is not repeated either. */
    close() {
      isClosed = true
      stop()
    },
    /** The answer of a request. A temporary failure schedules the task again. Without a network, `problem` is null. */
    async answerOf<T>(request: Promise<{ data?: T; error?: Problem }>): Promise<{ data?: T; problem: Problem | null }> {
      const { data, error = null } = await request.catch((): { data?: T; error?: Problem } => ({}))
      if (data) done()
      else if (!error || isTemporary(error)) failed()
      return { data, problem: error }
    },
  }
}
