import type { ClientStorage } from './types.ts'

// The part of IndexedDB that is used, so that programs without its types can use the package.
type Result<T> = { result: T; error: unknown; onsuccess: unknown; onerror: unknown; onupgradeneeded: unknown }
type Items = {
  get(key: string): Result<string | undefined>
  put(value: string, key: string): Result<unknown>
  delete(key: string): Result<unknown>
}
type Transaction = { objectStore(name: string): Items; oncomplete: unknown; onabort: unknown; error: unknown }
type Database = {
  createObjectStore(name: string): unknown
  transaction(name: string, mode: string, options: object): Transaction
}

// A page that was left during a write may leave the database locked in WebKit: nothing answers then, not even with an error.
// The wait has two parts, because after a page was frozen, an answer may still wait to be delivered.
const patienceMs = [2500, 500]
const sleep = (ms: number | undefined) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Tabs see each other's changes in IndexedDB at once, but in `localStorage` only after a while. So `localStorage` holds only a copy
 * of the session, which a page can read synchronously at its start.
 */
function copyOf(name: string): ClientStorage | undefined {
  try {
    const { localStorage } = globalThis as { localStorage?: ClientStorage }
    const prefix = name === 'convene' ? '' : `${name}:`
    return (
      localStorage && {
        getItem: (key) => localStorage.getItem(prefix + key),
        setItem: (key, value) => localStorage.setItem(prefix + key, value),
        removeItem: (key) => localStorage.removeItem(prefix + key),
      }
    )
  } catch {
    // A browser with storage disabled throws on any access to `localStorage`.
  }
}

/** A storage for browsers with room for photos and long lists: `createClient({ url, storage: indexedDb() })`. */
export function indexedDb(name = 'convene'): ClientStorage {
  let opened: Promise<Database> | null = null
  /** A connection that has failed once may be lost: the next access opens another one. */
  const failed = (error: unknown) => {
    opened = null
    throw error
  }
  const open = () =>
    (opened ??= new Promise((resolve, reject) => {
      // With storage disabled, any access to `indexedDB` throws.
      const { indexedDB } = globalThis as unknown as {
        indexedDB: { open(name: string, version: number): Result<Database> }
      }
      const request = indexedDB.open(name, 1)
      request.onupgradeneeded = () => request.result.createObjectStore('items')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    }))
  /** Whether a database that did not answer in time still does not. Each further access would wait as long. */
  let isStuck = false
  function run<T>(mode: string, work: (items: Items) => Result<T>): Promise<T> {
    if (isStuck) return Promise.reject(new Error('The storage does not answer.'))
    let isRunning = true
    const running = attempt(mode, work)
      .catch(failed)
      .finally(() => (isRunning = isStuck = false))
    const late = async () => {
      for (const ms of patienceMs) await sleep(ms)
      isStuck ||= isRunning
      throw new Error('The storage does not answer.')
    }
    return Promise.race([running, late()])
  }
  async function attempt<T>(mode: string, work: (items: Items) => Result<T>): Promise<T> {
    const transaction = (await open()).transaction('items', mode, { durability: 'strict' })
    const request = work(transaction.objectStore('items'))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  }
  return {
    copy: copyOf(name),
    getItem: async (key) => (await run('readonly', (items) => items.get(key))) ?? null,
    setItem: (key, value) => run('readwrite', (items) => items.put(value, key)),
    removeItem: (key) => run('readwrite', (items) => items.delete(key)),
  }
}
