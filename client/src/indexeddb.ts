import type { ClientStorage } from './types.ts'

/**
 * A storage for browsers with room for photos and long lists: `createClient({ url, storage: indexedDb() })`. The session is
 * there only after `ready`.
 */
export function indexedDb(name = 'convene'): ClientStorage {
  let opened: Promise<IDBDatabase> | null = null
  const open = () =>
    (opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(name, 1)
      request.onupgradeneeded = () => request.result.createObjectStore('items')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    }))
  async function run<T>(mode: IDBTransactionMode, work: (items: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const transaction = (await open()).transaction('items', mode, { durability: 'strict' })
    const request = work(transaction.objectStore('items'))
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = transaction.onerror = () => reject(transaction.error)
    })
  }
  return {
    getItem: async (key) => ((await run('readonly', (items) => items.get(key))) as string | undefined) ?? null,
    setItem: (key, value) => run('readwrite', (items) => items.put(value, key)),
    removeItem: (key) => run('readwrite', (items) => items.delete(key)),
  }
}
