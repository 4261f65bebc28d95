import type { Store } from './types.ts'

/** A store that can be set. `watched` is called when the first listener comes, and told when the last one has gone. */
export function createStore<T>(value: T, watched?: (isWatched: boolean) => void): Store<T> & { set(next: T): void } {
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (next === value) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      // Of its own, so that one function can listen twice.
      const own = () => listener()
      listeners.add(own)
      if (listeners.size === 1) watched?.(true)
      return () => {
        if (listeners.delete(own) && listeners.size === 0) watched?.(false)
      }
    },
  }
}

export type Retry = { minMs: number; maxMs: number }

/** Does a work again later, after a time that grows with each failure, so that not all clients come at once. */
export function openRetry({ minMs, maxMs }: Retry, work: () => unknown) {
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    /** Not before `afterMs`; spread over `withinMs` at least. */
    failed(withinMs = 0, afterMs = 0) {
      clearTimeout(timer)
      const limit = Math.max(withinMs, Math.min(maxMs, minMs * 2 ** ++failures))
      timer = setTimeout(work, afterMs + minMs + Math.random() * (limit - minMs))
    },
    done() {
      failures = 0
      clearTimeout(timer)
    },
    stop: () => clearTimeout(timer),
  }
}
