import type { Files } from '../features/media/files.ts'
import { ReadOnly } from '../storage/sqlite/storage.ts'
import type { Storage } from '../storage/storage.ts'
import type { Link } from './link.ts'

/** Under this name the main thread offers each of its stores, beside its files. */
const offeredAs = (store: string) => `storage.${store}`

/** Files and the stores of a storage, as objects to offer to other threads. `onFailure` sees each write of theirs that fails. */
export function offeredStores(
  files: Files,
  storage: Storage,
  onFailure: (error: unknown) => void,
): Record<string, object> {
  const noting = (store: object) =>
    wrapped(store, (call) => {
      const result = call()
      if (result instanceof Promise) result.catch(onFailure)
      return result
    })
  const stores = storesOf(storage).map(([name, store]) => [offeredAs(name), noting(store)])
  return { files: noting(files), ...Object.fromEntries(stores) }
}

/** Storage that reads here, and has the main thread do whatever writes. */
export function withWritesBy({ call }: Link, reading: Storage): Storage {
  const forwarding = (name: string, store: object) =>
    wrapped(store, (read, method, args) => {
      const result = read()
      if (!(result instanceof Promise)) return result
      return result.catch((error: unknown) => {
        if (error instanceof ReadOnly) return call(offeredAs(name), method, args)
        throw error
      })
    })
  const stores = storesOf(reading).map(([name, store]) => [name, forwarding(name, store)])
  return { ...reading, ...Object.fromEntries(stores) }
}

const storesOf = (storage: Storage): [string, object][] =>
  Object.entries(storage).flatMap(([name, store]): [string, object][] =>
    typeof store === 'object' && store !== null ? [[name, store]] : [],
  )

/** The same store, each of whose functions is called by `around`. */
function wrapped(store: object, around: (call: () => unknown, method: string, args: unknown[]) => unknown): object {
  return new Proxy(store, {
    get(target, method) {
      const value: unknown = Reflect.get(target, method)
      if (typeof value !== 'function' || typeof method !== 'string') return value
      return (...args: unknown[]) => around(() => Reflect.apply(value, target, args), method, args)
    },
  })
}
