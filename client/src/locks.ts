import type { ClientLocks } from './types.ts'

const queues = new Map<string, Promise<unknown>>()

/** Runs tasks of the same name one after another: in all tabs if there are Web Locks, otherwise in this program. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * A tab may be frozen while it holds a lock, so others steal the lock after `patienceMs`. Work under these locks must
 * therefore be safe to run twice.
 */
export function openLock(locks: ClientLocks | null, prefix: string, patienceMs = 5000): Lock {
  if (!locks)
    return (name, work) => {
      const key = prefix + name
      const mine = (queues.get(key) ?? Promise.resolve()).then(work, work)
      queues.set(key, mine)
      const forget = () => queues.get(key) === mine && queues.delete(key)
      mine.then(forget, forget)
      return mine
    }
  return async <T>(name: string, work: () => Promise<T>) => {
    let own: Promise<T> | undefined
    const begin = () => {
      clearTimeout(timer)
      return (own ??= work())
    }
    const waiting = new AbortController()
    const timer = setTimeout(() => waiting.abort(), patienceMs)
    const ask = (options: object) => locks.request(prefix + name, options, begin)
    try {
      await ask({ signal: waiting.signal })
    } catch {
      // Without `own`, we did not get the lock. With `own`, the work has failed or another tab has stolen the lock. Where pages
      // may not use locks at all, the work runs without one.
      if (!own && waiting.signal.aborted) await ask({ steal: true }).catch(() => {})
    }
    clearTimeout(timer)
    return own ?? begin()
  }
}
