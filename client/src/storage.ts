import type { ClientStorage } from './types.ts'

/** Keeps everything while the program runs. */
export function memoryStorage(): ClientStorage {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

/** A storage whose keys have a prefix. If the storage is full or disabled, values are kept in memory. */
export function openStorage(storage: ClientStorage, prefix: string) {
  const refused = new Map<string, string>()
  return {
    /** Null where there is nothing, or where it cannot be read. */
    get(key: string): string | null | Promise<string | null> {
      try {
        const value = refused.get(key) ?? storage.getItem(prefix + key)
        return typeof value === 'object' && value ? value.catch(() => null) : value
      } catch {
        return null
      }
    },
    /** Throws where it cannot be read, for values that must not be taken for missing then. */
    read: async (key: string): Promise<string | null> => refused.get(key) ?? storage.getItem(prefix + key),
    /** Null removes it. */
    async set(key: string, value: string | null) {
      let isKept = false
      try {
        await (value === null ? storage.removeItem(prefix + key) : storage.setItem(prefix + key, value))
        isKept = true
      } catch {
        // The value is kept in memory below.
      }
      if (isKept || value === null) refused.delete(key)
      else refused.set(key, value)
    },
  }
}

export type ScopedStorage = ReturnType<typeof openStorage>
