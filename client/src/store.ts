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
