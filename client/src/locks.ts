import type { ClientLocks } from './types.ts'

const queues = new Map<string, Promise<unknown>>()

/** Runs works of one name one after another, in this program or in all tabs where there are Web Locks. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * Of a tab that is frozen the lock is taken after `patienceMs`: whatever is done under one of these locks is safe to be done
 * twice.
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
      // Without `own` the lock did not come. With it, either the work has failed, or the lock was taken from us meanwhile.
      // Where pages may not use locks at all, it is done without.
      if (!own && waiting.signal.aborted) await ask({ steal: true }).catch(() => {})
    }
    clearTimeout(timer)
    return own ?? begin()
  }
}
